// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl(8): look at the virtual network interfaces, and have devices drain them.
 *
 * One table lists the verbs; each has a file of its own. Words have to be
 * exact: a guess that is right today is another verb tomorrow.
 */
#include "vifctl.h"

#include <err.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct verb {
	const char *name;
	int (*run)(struct options *options, char **words);
	void (*help)(void);
};

static int help_run(struct options *options, char **words);
static void help_help(void);

static const struct verb verbs[] = {
	{ "show", show_run, show_help },
	{ "enable", enable_run, enable_help },
	{ "disable", disable_run, disable_help },
	{ "help", help_run, help_help },
};

#define N_VERBS	(sizeof(verbs) / sizeof(*verbs))

static void help_help(void)
{
	puts("Usage: vifctl [OPTION]... VERB [WORD]...\n"
	     "       vifctl VERB help\n"
	     "\n"
	     "Verbs:");
	for (size_t i = 0; i < N_VERBS; i++)
		printf("  %s\n", verbs[i].name);
	puts("\n"
	     "Options:\n"
	     "  -j, --json        print JSON\n"
	     "  -p, --pretty      print it with line breaks\n"
	     "  -s, --statistics  print statistics too\n"
	     "  -h, --help        print this text\n"
	     "  -V, --version     print the version");
}

static const struct verb *find_verb(const char *word)
{
	for (size_t i = 0; i < N_VERBS; i++)
		if (!strcmp(verbs[i].name, word))
			return &verbs[i];

	warnx("unknown verb '%s'; valid are:", word);
	for (size_t i = 0; i < N_VERBS; i++)
		fprintf(stderr, "  %s\n", verbs[i].name);
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

static bool is_either(const char *word, const char *brief, const char *full)
{
	return !strcmp(word, brief) || !strcmp(word, full);
}

bool options_take(struct options *options, const char *word)
{
	if (is_either(word, "-j", "--json"))
		options->json = true;
	else if (is_either(word, "-p", "--pretty"))
		options->pretty = true;
	else if (is_either(word, "-s", "--statistics"))
		options->statistics = true;
	else
		return false;
	return true;
}

static int run(char **words)
{
	struct options options = { 0 };
	const struct verb *verb;

	while (*words && options_take(&options, *words))
		words++;
	if (!*words) {
		warnx("no verb given (\"vifctl help\" lists them)");
		return EXIT_USAGE;
	}
	if (is_either(*words, "-h", "--help")) {
		help_help();
		return EXIT_OK;
	}
	if (is_either(*words, "-V", "--version")) {
		puts("vifctl " NETNICE_VERSION);
		return EXIT_OK;
	}
	if (**words == '-') {
		warnx("unknown option '%s' (\"vifctl help\" lists them)",
		      *words);
		return EXIT_USAGE;
	}
	verb = find_verb(*words);
	if (!verb)
		return EXIT_USAGE;
	if (words[1] && !strcmp(words[1], "help")) {
		verb->help();
		return EXIT_OK;
	}
	return verb->run(&options, words + 1);
}

int main(int argc, char **argv)
{
	int status;

	(void)argc;
	setlocale(LC_CTYPE, "");
	status = run(argv + (*argv ? 1 : 0));
	if (fflush(stdout) || ferror(stdout)) {
		warn("standard output");
		return EXIT_KERNEL;
	}
	return status;
}
