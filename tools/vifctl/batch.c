// SPDX-License-Identifier: GPL-2.0
/* vifctl batch: a command a line. */
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "lines.h"
#include "words.h"

const char batch_help[] =
	"Usage: vifctl batch [--force] FILE\n"
	"       vifctl -b FILE [--force]\n"
	"\n"
	"FILE := lines of arguments of vifctl; - is standard input; # starts a comment\n"
	"--force: continue after a line that fails; one that is done in part (status 3) ends no batch";

/* A file may name itself. */
#define BATCHES_MAX	8

/* Options of one line do not apply to the next. */
static int run_line(struct options *options, struct words *shares, char **words)
{
	struct options line = *options;
	int status;

	line.batch = NULL;
	line.batches++;
	line.netns = NULL;
	line.shares = shares;
	nnfs_refresh(&line.nn.fs);
	status = vifctl_line(&line, words);
	options->is_open = line.is_open;
	options->nn = line.nn;
	options->genl = line.genl;
	if (line.batch || line.netns) {
		complain("-b and -n belong before the batch, not in it");
		return EXIT_USAGE;
	}
	return status;
}

/* A status of partial success is better than a status of failure. */
static bool is_worse(int status, int than)
{
	if (status == EXIT_PART || than == EXIT_PART)
		return status == EXIT_PART ? than == EXIT_OK : status != EXIT_OK;
	return status > than;
}

static int run_lines(struct options *options, struct words *shares, struct lines *lines)
{
	int ret, status, worst = EXIT_OK;

	while ((ret = lines_next(lines)) > 0) {
		status = run_line(options, shares, lines->words);
		if (is_worse(status, worst))
			worst = status;
		if (status && status != EXIT_PART && !options->force)
			break;
	}
	if (ret < 0) {
		status = ferror(lines->file) ? EXIT_KERNEL : EXIT_USAGE;
		if (is_worse(status, worst))
			worst = status;
	}
	return worst;
}

int batch_run(struct options *options, char **words)
{
	const struct flag flags[] = {
		{ "--force", .value = &options->force },
		{ "-force", .value = &options->force },
		{ .name = NULL }
	};
	struct words shares = { 0 };
	struct lines lines;
	int status;

	status = words_take_options("batch", options, words, flags) ?:
		 words_take_file("batch", words) ?: options_open(options);
	if (status)
		return status;
	if (options->batches == BATCHES_MAX) {
		complain("batch: %s: more than %d batches in each other", *words, BATCHES_MAX);
		return EXIT_USAGE;
	}
	if (lines_open(&lines, *words))
		return EXIT_KERNEL;
	status = run_lines(options, &shares, &lines);
	lines_close(&lines);
	if (!effect_shares_of(&options->nn.fs, &shares) && is_worse(EXIT_PART, status))
		status = EXIT_PART;
	words_free(&shares);
	return status;
}
