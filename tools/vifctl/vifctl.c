// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl(8): virtual network interfaces, seen and changed by the administrator.
 *
 * One table lists the verbs; each noun has a file of its own. Words have to be
 * exact: a guess that is right today is another verb tomorrow.
 */
#include "vifctl.h"

#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "netns.h"
#include "words.h"

struct verb {
	const char *name;
	int (*run)(struct options *options, char **words);
	void (*help)(void);
	const char *what;
};

static int help_run(struct options *options, char **words);
static void help_help(void);

static const struct verb verbs[] = {
	{ "show", show_run, show_help, "draw the tree" },
	{ "stat", stat_run, stat_help, "print counters" },
	{ "top", top_run, top_help, "show what goes through, live" },
	{ "monitor", monitor_run, monitor_help, "print what happens" },
	{ "add", add_run, add_help, "make a VIF" },
	{ "set", set_run, set_help, "change its settings" },
	{ "del", del_run, del_help, "remove it" },
	{ "move", move_run, move_help, "rename it, or put it elsewhere" },
	{ "attach", attach_run, attach_help, "attach a process and the like" },
	{ "detach", detach_run, detach_help, "detach it" },
	{ "save", save_run, save_help, "print the tree as a file" },
	{ "restore", restore_run, restore_help, "make the tree that of a file" },
	{ "batch", batch_run, batch_help, "run the commands in a file" },
	{ "enable", enable_run, enable_help, "have a device drain its VIFs" },
	{ "disable", disable_run, disable_help, "end that" },
	{ "help", help_run, help_help, "print this text, or a verb's" },
};

#define N_VERBS	(sizeof(verbs) / sizeof(*verbs))

static void help_help(void)
{
	puts("Usage: vifctl [OPTION]... VERB [WORD]...\n"
	     "       vifctl [OPTION]... -b FILE\n"
	     "       vifctl VERB help\n"
	     "\n"
	     "Verbs:");
	for (size_t i = 0; i < N_VERBS; i++)
		printf("  %-8s %s\n", verbs[i].name, verbs[i].what);
	puts("\n"
	     "Options:\n"
	     "  -j, --json         print JSON\n"
	     "  -p, --pretty       print it with line breaks\n"
	     "  -s, --statistics   print statistics too\n"
	     "  -v, --verbose      print what is changed\n"
	     "  -n, --netns NETNS  in another network namespace\n"
	     "  -b, --batch FILE   run the commands in a file\n"
	     "      --force        go on behind a line of it that fails\n"
	     "  -h, --help         print this text, or a verb's\n"
	     "  -V, --version      print the version");
}

static const struct verb *find_verb(const char *word)
{
	for (size_t i = 0; i < N_VERBS; i++)
		if (!strcmp(verbs[i].name, word))
			return &verbs[i];

	complain("unknown verb '%s'; valid are:", word);
	for (size_t i = 0; i < N_VERBS; i++)
		fprintf(complain_stream(), "  %s\n", verbs[i].name);
	return NULL;
}

static int help_run(struct options *options, char **words)
{
	const struct verb *verb;

	(void)options;
	if (!*words) {
		help_help();
		return EXIT_OK;
	}
	verb = find_verb(*words);
	if (!verb)
		return EXIT_USAGE;
	verb->help();
	return EXIT_OK;
}

int options_open(struct options *options)
{
	if (options->is_open)
		return EXIT_OK;
	if (nnfs_open(&options->fs))
		return EXIT_KERNEL;
	options->is_open = true;
	return EXIT_OK;
}

int options_open_genl(struct options *options)
{
	return options->genl.sock || !genl_open(&options->genl) ? EXIT_OK :
								  EXIT_KERNEL;
}

static bool is_either(const char *word, const char *brief, const char *full)
{
	return !strcmp(word, brief) || !strcmp(word, full);
}

/* An option with a word of its own, or that none of the verbs knows. */
static int take_main_option(struct options *options, char ***words)
{
	char *word = *(*words)++;
	const char **value;

	if (is_either(word, "-force", "--force")) {
		options->force = true;
		return EXIT_OK;
	}
	if (is_either(word, "-b", "--batch") || !strcmp(word, "-batch")) {
		value = &options->batch;
	} else if (is_either(word, "-n", "--netns")) {
		value = &options->netns;
	} else {
		complain("unknown option '%s' (\"vifctl help\" lists them)",
			 word);
		return EXIT_USAGE;
	}
	if (!**words) {
		complain("%s wants a word behind it (\"vifctl help\" says which)",
			 word);
		return EXIT_USAGE;
	}
	*value = *(*words)++;
	return EXIT_OK;
}

static bool is_help(const char *word)
{
	return is_either(word, "-h", "--help");
}

static bool is_version(const char *word)
{
	return is_either(word, "-V", "--version");
}

/* Whether a verb's words ask for its help, wherever among them. */
static bool wants_help(char **words)
{
	if (*words && !strcmp(*words, "help"))
		return true;
	for (; *words && strcmp(*words, "--"); words++)
		if (is_help(*words))
			return true;
	return false;
}

static int run_verb(struct options *options, char **words)
{
	const struct verb *verb = find_verb(*words);

	if (!verb)
		return EXIT_USAGE;
	if (wants_help(words + 1)) {
		verb->help();
		return EXIT_OK;
	}
	return verb->run(options, words + 1);
}

static int run_batch(struct options *options, char **words)
{
	char *batch[] = { "--", (char *)options->batch, NULL };

	if (*words) {
		complain("a batch, or a verb: not both ('%s')", *words);
		return EXIT_USAGE;
	}
	return batch_run(options, batch);
}

/* Of the verb behind -h; other options there mean nothing. */
static int help_of(struct options *options, char **words)
{
	while (*words && **words == '-')
		words++;
	return help_run(options, words);
}

int vifctl_line(struct options *options, char **words)
{
	const bool is_in_batch = options->is_open;
	int status = EXIT_OK;

	while (!status && *words && **words == '-') {
		if (is_help(*words))
			return help_of(options, words + 1);
		if (is_version(*words)) {
			puts("vifctl " NETNICE_VERSION);
			return EXIT_OK;
		}
		if (options_take(options, *words))
			words++;
		else
			status = take_main_option(options, &words);
	}
	if (status || (is_in_batch && (options->netns || options->batch)))
		return status;
	if (options->netns && netns_enter(options->netns))
		return EXIT_KERNEL;
	if (options->batch)
		return run_batch(options, words);
	if (*words)
		return run_verb(options, words);
	complain("no verb given (\"vifctl help\" lists them)");
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int status;

	setlocale(LC_CTYPE, "");
	status = vifctl_line(&options, argv + (argc > 0));
	if (options.is_open)
		nnfs_close(&options.fs);
	genl_close(&options.genl);
	if (fflush(stdout) || ferror(stdout)) {
		complain_errno("standard output");
		return EXIT_KERNEL;
	}
	return status;
}
