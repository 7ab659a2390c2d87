/* SPDX-License-Identifier: GPL-2.0 */
/* What vifctl's verbs share. */
#ifndef VIFCTL_H
#define VIFCTL_H

#include <stdbool.h>

#include "genl.h"
#include "nnfs.h"

/*
 * As ip(8) and tc(8) have it. 1: what was asked makes no sense, whatever there is; 2: the
 * kernel would not do it, or what is meant is not there; 3: done for what is there.
 */
enum {
	EXIT_OK		= 0,
	EXIT_USAGE	= 1,
	EXIT_KERNEL	= 2,
	EXIT_PART	= 3,
};

struct options {
	bool json;
	bool pretty;
	bool statistics;
	bool verbose;
	bool force;		/* a batch goes on after a failure */
	const char *batch;	/* its file */
	const char *netns;
	bool is_open;
	struct nnfs fs;		/* see options_open() */
	struct genl genl;	/* see options_open_genl() */
};

/*
 * The file system, and netlink, are opened by the first line of a batch that needs them.
 * Return: EXIT_OK, or EXIT_KERNEL after a message.
 */
int options_open(struct options *options);
int options_open_genl(struct options *options);

/* One command, with the options before its verb. Return: its exit status. */
int vifctl_line(struct options *options, char **words);

/* Each verb gets the words behind its own name, NULL at the end. */
int show_run(struct options *options, char **words);
void show_help(void);
int stat_run(struct options *options, char **words);
void stat_help(void);
int top_run(struct options *options, char **words);
void top_help(void);
int monitor_run(struct options *options, char **words);
void monitor_help(void);
int add_run(struct options *options, char **words);
void add_help(void);
int del_run(struct options *options, char **words);
void del_help(void);
int set_run(struct options *options, char **words);
void set_help(void);
int move_run(struct options *options, char **words);
void move_help(void);
int attach_run(struct options *options, char **words);
void attach_help(void);
int detach_run(struct options *options, char **words);
void detach_help(void);
int save_run(struct options *options, char **words);
void save_help(void);
int restore_run(struct options *options, char **words);
void restore_help(void);
int batch_run(struct options *options, char **words);
void batch_help(void);
int enable_run(struct options *options, char **words);
void enable_help(void);
int disable_run(struct options *options, char **words);
void disable_help(void);

#endif
