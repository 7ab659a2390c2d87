// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl(8): show and change virtual network interfaces.
 *
 * One table lists the verbs; each noun has a file of its own. vif_list.c reads VIFs, change.c
 * changes them. A verb may be abbreviated while it is unique. Scripts should not depend on that; a
 * whole word always means itself.
 */
#include "vifctl.h"

#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "failure.h"
#include "nearest.h"
#include "netns.h"
#include "words.h"

struct verb {
	const char *name;
	const char *what;		/* NULL: another name of the one before */
	verb_run *run;
	const char *help;		/* NULL: what help_help() prints */
	void (*more)(void);
};

static int help_run(struct options *options, char **words);

static const struct verb verbs[] = {
	{ "show", "draw the tree; also list, ls", show_run, show_help, NULL },
	{ "list", NULL, show_run, show_help, NULL },
	{ "ls", NULL, show_run, show_help, NULL },
	{ "stat", "print counters", stat_run, stat_help, NULL },
	{ "account", "print daily traffic", account_run, account_help,
	  NULL },
	{ "export", "print or serve metrics for Prometheus", export_run, export_help, NULL },
	{ "top", "show live traffic", top_run, top_help, keys_help },
	{ "watch", "print changes of TCP connections", watch_run, watch_help, NULL },
	{ "monitor", "print events", monitor_run, monitor_help, NULL },
	{ "add", "create a VIF", add_run, add_help, settings_help },
	{ "set", "change its settings", set_run, set_help, settings_help },
	{ "del", "remove it", del_run, del_help, NULL },
	{ "move", "rename or move it", move_run, move_help, NULL },
	{ "attach", "attach a process or another object", attach_run, attach_help,
	  targets_help },
	{ "detach", "detach it", detach_run, detach_help, targets_help },
	{ "stack", "give it a user-level stack", stack_run, stack_help, NULL },
	{ "port", "give the stack ports of the host", port_run, port_help, NULL },
	{ "program", "distribute its packets to VIFs below", program_run, program_help, NULL },
	{ "relay", "make a socket send what another receives", relay_run, relay_help, NULL },
	{ "save", "print the tree as a file", save_run, save_help, NULL },
	{ "restore", "change the tree to match a file", restore_run, restore_help, NULL },
	{ "batch", "run the commands in a file", batch_run, batch_help, NULL },
	{ "enable", "make a device drain its VIFs", enable_run, enable_help, NULL },
	{ "disable", "undo enable", disable_run, disable_help, NULL },
	{ "help", "print this text, or a verb's", help_run, NULL, NULL },
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
		if (verbs[i].what)
			printf("  %-8s %s\n", verbs[i].name, verbs[i].what);
	puts("A verb may be abbreviated while it is unique: \"vifctl sh\".\n"
	     "\n"
	     "Options:\n"
	     "  -j, --json         print JSON\n"
	     "  -p, --pretty       print it with line breaks\n"
	     "  -s, --statistics   print statistics too\n"
	     "      --human        print only nonzero statistics, with units; also -s -h\n"
	     "  -d, --details      print all parameters, owner and mode too\n"
	     "  -br, --brief       print one line for each VIF, with its whole path\n"
	     "  -c, --color[=always | auto | never]\n"
	     "                     print colours\n"
	     "  -v, --verbose      print each change\n"
	     "  -n, --netns NETNS  work in another network namespace\n"
	     "  -b, --batch FILE   run the commands in a file\n"
	     "      --force        continue after a line that fails\n"
	     "  -h, --help         print this text, or a verb's\n"
	     "  -V, --version      print the version");
}

static void print_help(const struct verb *verb)
{
	if (!verb->help)
		help_help();
	else
		puts(verb->help);
	if (verb->more)
		verb->more();
}

/* Other names of a verb are the same one. */
static bool begins_another(const struct verb *verb, const struct verb *first,
			   const char *word)
{
	return !strncmp(verb->name, word, strlen(word)) && (!first || verb->run != first->run);
}

/* Says which there are. */
static void list_verbs(const char *begin)
{
	for (size_t i = 0; i < N_VERBS; i++)
		if (!strncmp(verbs[i].name, begin, strlen(begin)))
			fprintf(complain_stream(), "  %s\n", verbs[i].name);
}

static const struct verb *unknown_verb(const char *word)
{
	struct nearest nearest = { 0 };
	char hint[NEAREST_BYTES];

	for (size_t i = 0; i < N_VERBS; i++)
		nearest_try(&nearest, word, verbs[i].name);
	if (nearest.word) {
		complain("unknown verb '%s'%s (\"vifctl help\" lists them)", word,
			 nearest_hint(&nearest, hint));
		return NULL;
	}
	complain("unknown verb '%s'", word);
	fputs("valid are:\n", complain_stream());
	list_verbs("");
	return NULL;
}

static const struct verb *find_verb(const char *word)
{
	const struct verb *found = NULL;

	for (size_t i = 0; i < N_VERBS; i++)
		if (!strcmp(verbs[i].name, word))
			return &verbs[i];
	if (!*word)
		return unknown_verb(word);
	for (size_t i = 0; i < N_VERBS; i++) {
		if (!begins_another(&verbs[i], found, word))
			continue;
		if (found) {
			complain("'%s' is short for more than one verb:", word);
			list_verbs(word);
			return NULL;
		}
		found = &verbs[i];
	}
	return found ?: unknown_verb(word);
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
	print_help(verb);
	return EXIT_OK;
}

int options_open(struct options *options)
{
	if (options->is_open)
		return EXIT_OK;
	if (handle_open(&options->nn))
		return EXIT_KERNEL;
	options->is_open = true;
	return EXIT_OK;
}

void options_close(struct options *options)
{
	if (options->is_open)
		handle_end(&options->nn);
	options->is_open = false;
}

int options_open_genl(struct options *options)
{
	return options->genl.sock || !genl_open(&options->genl) ? EXIT_OK :
								  EXIT_KERNEL;
}

static int unknown_option(const char *word)
{
	static const char *const others[] = { "--netns", "--batch", "--force", "--version" };
	struct nearest nearest = { 0 };
	char hint[NEAREST_BYTES];

	options_try(&nearest, word);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		nearest_try(&nearest, word, others[i]);
	complain("unknown option '%s'%s (\"vifctl help\" lists them)", word,
		 nearest_hint(&nearest, hint));
	return EXIT_USAGE;
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
		return unknown_option(word);
	}
	if (!**words) {
		complain("%s needs an argument (\"vifctl help\" says which)",
			 word);
		return EXIT_USAGE;
	}
	*value = *(*words)++;
	return EXIT_OK;
}

static bool is_help(const char *word)
{
	return is_either(word, "-help", "--help");
}

static bool is_version(const char *word)
{
	return is_either(word, "-V", "--version");
}

/*
 * Return whether a verb's words contain a request for help, at any place. With -s they do not: -h
 * then means human-readable, as in ip(8).
 */
static bool wants_help(struct options *options, const struct verb *verb, char **words,
		       bool has_h)
{
	struct options all = *options;

	if (*words && !strcmp(*words, "help"))
		return true;
	for (; *words && strcmp(*words, "--"); words++) {
		if (is_help(*words))
			return true;
		has_h |= !strcmp(*words, "-h");
		if (**words == '-')
			options_take(&all, *words);
	}
	if (has_h && all.statistics && (verb->run == show_run || verb->run == stat_run))
		options->human = true;
	return has_h && !options->human;
}

/* @has_h: -h stands before it. */
static int run_verb(struct options *options, char **words, bool has_h)
{
	const struct verb *verb = find_verb(*words);

	if (!verb)
		return EXIT_USAGE;
	if (wants_help(options, verb, words + 1, has_h)) {
		print_help(verb);
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

/* Of the verb behind --help; other options there mean nothing. */
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
	bool has_h = false;

	while (!status && *words && **words == '-') {
		if (is_help(*words))
			return help_of(options, words + 1);
		if (is_version(*words)) {
			puts("vifctl " NETNICE_VERSION);
			return EXIT_OK;
		}
		if (!strcmp(*words, "-h")) {
			has_h = true;
			words++;
		} else if (options_take(options, *words)) {
			words++;
		} else {
			status = take_main_option(options, &words);
		}
	}
	if (!status && has_h && (!*words || options->batch))
		return help_of(options, words);
	if (status || (is_in_batch && (options->netns || options->batch)))
		return status;
	if (options->netns && netns_enter(options->netns))
		return EXIT_KERNEL;
	if (options->batch)
		return run_batch(options, words);
	if (*words)
		return run_verb(options, words, has_h);
	complain("no verb given (\"vifctl help\" lists them)");
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int status;

	setlocale(LC_CTYPE, "");
	status = vifctl_line(&options, argv + (argc > 0));
	options_close(&options);
	genl_close(&options.genl);
	return complain_output() ? EXIT_KERNEL : status;
}
