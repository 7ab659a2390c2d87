/* SPDX-License-Identifier: GPL-2.0 */
/* what the parts of fsfuzz share; see fsfuzz.c */
#ifndef FSFUZZ_H
#define FSFUZZ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TOP "/proc/network"
#define GROUPS "/sys/fs/cgroup/fsfuzz"
#define USER 1000

#define MAX_OPS 64
#define MAX_WORKERS 16
#define MAX_FAULTS 16
#define SLOTS 16
#define VICTIMS 8
#define NAME_SIZE 320
#define PATH_SIZE 1024

/**
 * struct seat - what a worker is at, for the watchdog
 * @pid: its process or thread
 * @op: number of its present operation
 * @turn: which one that is, from 1 on; 0 before the first and after the last one
 * @seen: @turn as the watchdog has seen it
 * @since: when it did so first
 */
struct seat {
	_Atomic pid_t pid;
	_Atomic unsigned int op;
	_Atomic uint64_t turn;
	uint64_t seen;
	int64_t since;
};

/* a process that can be attached, its second thread, its socket */
struct victim {
	_Atomic pid_t pid;
	_Atomic pid_t tid;
	_Atomic int fd;
};

/* how often an operation was tried, and has succeeded; for root [0], the user [1] */
struct count {
	_Atomic unsigned long tried[2];
	_Atomic unsigned long done[2];
};

/* in memory that all processes share */
struct shared {
	_Atomic bool stop;
	_Atomic bool lacks_fanotify;
	long fs_type;
	ino_t top_ino;
	struct count count[MAX_OPS];
	struct seat seat[MAX_WORKERS];
	struct victim victim[VICTIMS];
	_Atomic unsigned int n_faults;
	char fault[MAX_FAULTS][512];
};

extern struct shared *shared;

/* one that other workers do not touch: its settings are known */
#define SETTINGS 8
struct own {
	char path[64];
	unsigned int value[SETTINGS][2];
	bool known;
};

/**
 * struct worker - who operates, at random
 * @nr: its number
 * @user: an ordinary user
 * @alone: no other worker has its descriptors, session and user
 * @seed: what its choices come from
 * @turn: how many operations it has done
 * @random: state; begins anew with each turn, so that what an operation returned
 *	does not change what is done next
 * @fd: descriptors, shared by threads; -1: none
 * @inotify, @fanotify, @epoll: made when first used
 * @pipe: ditto
 * @own: see there
 * @mount: a folder of its own to mount on
 */
struct worker {
	unsigned int nr;
	bool user;
	bool alone;
	uint64_t seed;
	uint64_t turn;
	uint64_t random;
	_Atomic int *fd;
	int inotify;
	int fanotify;
	int epoll;
	int pipe[2];
	struct own own;
	char mount[64];
};

/**
 * struct op - an operation
 * @weight: how often, against the others
 * @must: who must succeed with it once: R root, U the ordinary user
 * @root: only root tries
 * @run: whether it has succeeded
 */
struct op {
	const char *name;
	unsigned int weight;
	const char *must;
	bool root;
	bool (*run)(struct worker *w);
};

extern const struct op ops[];

/* from 0 to @n - 1 */
unsigned int below(struct worker *w, unsigned int n);

/* true once in @n times */
static inline bool once_in(struct worker *w, unsigned int n)
{
	return !below(w, n);
}

#define ONE_OF(w, list) ((list)[below(w, sizeof(list) / sizeof(*(list)))])

/* Where something is done: @dir is AT_FDCWD or a descriptor. */
struct place {
	int dir;
	char path[PATH_SIZE];
};

/* fsnames.c: any of these may be there or not. */
void vif_path(struct worker *w, char *path);
void file_path(struct worker *w, char *path);
void target_path(struct worker *w, char *path);
const char *device_name(struct worker *w);
void any_name(struct worker *w, char *name);
void any_place(struct worker *w, struct place *place);

/* Something to write, valid or not. Return: its length, at most @size. */
size_t any_value(struct worker *w, char *text, size_t size);

/* what may be written to a setting, and what is read then */
extern const struct setting {
	const char *file;
	const char *written;
	const char *read;
	unsigned int min;
	unsigned int max;
} settings[SETTINGS];

/* Something is wrong; the test will fail. */
void __attribute__((format(printf, 2, 3))) fault(struct worker *w, const char *fmt, ...);

#endif
