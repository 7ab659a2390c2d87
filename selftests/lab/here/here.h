/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program of this machine on another kernel: the two ends of `lab here`.
 *
 * Outside there is this machine, where a User Mode Linux is started: its root is this machine's,
 * read only, and its first process is this program again. That is inside: it puts a memory over
 * the root, sets the network up, and runs the command as the user who asked for it, with his
 * environment, in his folder.
 *
 * Between the two are serial lines, which carry bytes, but do not tell where they end, and lose
 * what comes faster than it is read. So on one of them both say how many there were:
 *	`up`			to the outside: the job has been read, the command begins
 *	`end STATUS OUT ERR`	to the outside: status as of wait(2), bytes of its outputs
 *	`took BYTES`		to the outside: of the input, so far
 *	`signal N`, `size ROWS COLUMNS`
 *	`input BYTES`		to the inside: that was all of the input
 *	`closed N`		to the inside: nobody reads output N any more
 */
#ifndef LAB_HERE_H
#define LAB_HERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>

/**
 * enum line - a serial line: ttyS0 and so on
 * @LINE_KERNEL: what the kernel has to say, and what goes wrong inside before there is a command
 * @LINE_CONTROL: lines of text, as above
 * @LINE_TTY: the command's terminal, or its standard input
 * @LINE_OUT: its standard output
 * @LINE_ERR: its standard error
 */
enum line { LINE_KERNEL, LINE_CONTROL, LINE_TTY, LINE_OUT, LINE_ERR, LINES };

/* so much of the input may be under way: a terminal's buffer has 4,096 */
#define INPUT_WINDOW	2048

/* exit status where the command was not started, as of env(1) and others */
#define NOT_STARTED	125

/**
 * struct job - what is asked for
 * @argv: the command
 * @env: its environment
 * @settings: KEY=VALUE, see setup.c
 * @folder: where it runs
 * @uid, @gid, @groups, @n_groups: as whom
 * @tty: standard input and output are a terminal
 * @tty_err: and standard error is
 * @size: the terminal's
 */
struct job {
	char **argv, **env, **settings;
	const char *folder;
	uid_t uid;
	gid_t gid, groups[NGROUPS_MAX];
	size_t n_groups;
	bool tty, tty_err;
	struct winsize size;
};

/* job_write: what is asked of this process, into FOLDER/job; ends the process if it cannot */
void job_write(const char *folder, char **settings, char **argv);
void job_read(struct job *job, const char *folder);

/**
 * struct stream - bytes on their way from one descriptor to another
 * @from: -1 when there are no more
 * @to: -1 when nobody reads them any more; they are counted all the same
 * @passed: so many
 */
struct stream {
	int from, to;
	unsigned long long passed;
};

/* stream_pass: what there is now, up to @most bytes; false if that is nothing, or the end */
bool stream_pass(struct stream *s, size_t most);
void stream_end(struct stream *s);

/* Lines of text that come in pieces. */
struct lines {
	char text[200];
	size_t n;
};

/* lines_read: what there is now, and @line is called for each that is whole */
void lines_read(struct lines *l, int fd, void (*line)(const char *text));
void line_put(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* put: all of it; false if nobody reads that any more */
bool put(int fd, const char *data, size_t n);

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* die: with what errno says of it */
void die(const char *what) __attribute__((noreturn));

/* set_up_root: of the first process, before all else; set_up: by the job's settings */
void set_up_root(void);
void set_up(char **settings);

int inside(char *self);
int outside(const char *folder, char **kernel, char **settings, char **argv);

#endif
