/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program of this machine on another kernel: the two ends of `lab here`.
 *
 * Outside there is this machine, where a User Mode Linux is started: its root is this machine's,
 * read only, and its first process is this program again. That is inside: it puts a memory over
 * the root, sets the network up, and runs the command as the calling user, with that user's
 * environment and folder.
 *
 * Between the two are serial lines, which carry bytes, but do not tell where they end; and on their
 * way in each byte is a system call. So standard input that is no terminal is handed over in
 * files, one at a time, FOLDER/input.0 and so on: the inside reads this machine's files anyway.
 * On one of the lines both say what there is:
 *	`up`			to the outside: the job has been read, the command begins
 *	`end STATUS OUT ERR`	to the outside: status as of wait(2), bytes of its outputs
 *	`took`			to the outside: the file of input has been read
 *	`signal N`, `size ROWS COLUMNS`
 *	`input N`		to the inside: there is file N of the input
 *	`eof`			to the inside: that was all of the input
 *	`closed N`		to the inside: output N is not read any more
 */
#ifndef LAB_HERE_H
#define LAB_HERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>

/**
 * enum line - a serial line: ttyS0 and so on
 * @LINE_KERNEL: what the kernel has to say, and what goes wrong inside before there is a command
 * @LINE_CONTROL: lines of text, as above
 * @LINE_TTY: the command's terminal
 * @LINE_OUT: its standard output
 * @LINE_ERR: its standard error
 */
enum line { LINE_KERNEL, LINE_CONTROL, LINE_TTY, LINE_OUT, LINE_ERR, LINES };

/* bytes of input in a file, at most */
#define INPUT_BYTES	(1 << 20)

/* exit status where the command was not started, as of env(1) and others */
#define NOT_STARTED	125

/**
 * struct job - what is asked for
 * @argv: the command
 * @env: its environment
 * @settings: KEY=VALUE, see setup.c
 * @folder: where it runs
 * @uid, @gid, @groups, @n_groups: credentials
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

/* input_path: of file @n of the input */
void input_path(char path[PATH_MAX], const char *folder, unsigned int n);

/* job_write: what is asked of this process, into FOLDER/job; ends the process if it cannot */
void job_write(const char *folder, char **settings, char **argv);
void job_read(struct job *job, const char *folder);

/**
 * struct stream - bytes on their way from one descriptor to another
 * @from: -1 when there are no more
 * @to: -1 when they are not read any more; they are counted all the same
 * @passed: so many
 */
struct stream {
	int from, to;
	unsigned long long passed;
};

/* stream_wait: what it lacks, for poll(2): if there is no room at @to, that, else bytes */
struct pollfd stream_wait(const struct stream *s);
/* stream_pass: what there is now; false if that is nothing, or the end */
bool stream_pass(struct stream *s);
/* stream_rest: all that is there; who else has the other end may write on, but is not waited for */
void stream_rest(struct stream *s);
void stream_end(struct stream *s);

/* Lines of text that come in pieces. */
struct lines {
	char text[200];
	size_t n;
};

/* lines_read: what there is now, and @line is called for each that is whole */
void lines_read(struct lines *l, int fd, void (*line)(const char *text));
void line_put(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* put: all of it; false if it is not read any more */
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
