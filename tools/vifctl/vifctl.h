/* SPDX-License-Identifier: GPL-2.0 */
/* Common definitions of vifctl's verbs. */
#ifndef VIFCTL_H
#define VIFCTL_H

#include <stdbool.h>

#include "colour.h"
#include "effect.h"
#include "handle.h"

/*
 * Exit statuses, like those of ip(8) and tc(8). 1: the command line is invalid; 2: the kernel refused it, or
 * an object does not exist; 3: it was done for existing objects only, or is not in force for all of them.
 */
enum {
	EXIT_OK		= 0,
	EXIT_USAGE	= 1,
	EXIT_KERNEL	= 2,
	EXIT_PART	= EFFECT_STATUS,
};

struct options {
	bool json;
	bool pretty;
	bool statistics;
	bool details;
	bool brief;
	bool human;		/* counters with units */
	bool verbose;
	enum colour_when colour;
	bool force;		/* a batch continues after a failure */
	const char *batch;	/* its file */
	unsigned int batches;	/* how many batches the line is in */
	struct words *shares;	/* a batch: VIFs with shares, to which a later line may give an effect */
	const char *netns;
	bool is_open;
	struct netnice nn;	/* see options_open() */
	struct genl genl;	/* see options_open_genl() */
};

/*
 * The file system, and netlink, are opened by the first line of a batch that needs them.
 * Return: EXIT_OK, or EXIT_KERNEL after a message.
 */
int options_open(struct options *options);
int options_open_genl(struct options *options);

/* Close the file system, which is then opened again by the next line that needs it. */
void options_close(struct options *options);

/* One command, with the options before its verb. Return: its exit status. */
int vifctl_line(struct options *options, char **words);

/* Each verb gets the words behind its own name, NULL at the end. Return: the exit status. */
typedef int verb_run(struct options *options, char **words);

verb_run show_run, stat_run, account_run, export_run, top_run, watch_run, monitor_run, add_run, set_run, del_run,
	 move_run, attach_run, detach_run, save_run, restore_run, batch_run,
	 stack_run, port_run, program_run, relay_run, enable_run, disable_run;

extern const char show_help[], stat_help[], account_help[], export_help[], top_help[], watch_help[], monitor_help[], add_help[],
		  set_help[], del_help[], move_help[], attach_help[], detach_help[],
		  save_help[], restore_help[], batch_help[], stack_help[], port_help[],
		  program_help[], relay_help[], enable_help[], disable_help[];

/* What stands below that: keys of top, settings of add and set, targets of attach and detach */
void keys_help(void);
void settings_help(void);
void targets_help(void);

#endif
