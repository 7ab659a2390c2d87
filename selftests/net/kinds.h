/* SPDX-License-Identifier: GPL-2.0 */
/* what the parts of kinds share; see kinds.c */
#ifndef KINDS_H
#define KINDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define MAX_SOCKETS 1024
#define MAX_THREADS 256
#define MAX_BYTES (4 << 20)

/**
 * struct actor - who does words: a process or thread
 * @fd: its sockets
 * @n: how many
 * @current: the one that words use
 * @pair: both ends of a line to threads and children
 * @threads: that it began
 * @n_threads: how many
 * @arg: arguments of the present word
 * @end: where the words end; of a word with a block, where the block does
 */
struct actor {
	int fd[MAX_SOCKETS];
	unsigned int n;
	unsigned int current;
	int pair[2];
	pthread_t threads[MAX_THREADS];
	unsigned int n_threads;
	char **arg;
	char **end;
};

/**
 * struct word
 * @args: what the arguments are; what follows a tab is a remark
 */
struct word {
	const char *name;
	int n_args;
	bool block;
	const char *args;
	void (*run)(struct actor *a);
};

extern const struct word socket_words[];
extern const struct word tap_words[];
extern const struct word xdp_words[];

void __attribute__((noreturn)) die(const char *what);

/* the actor's current socket */
int current(const struct actor *a);

/* @fd, which @what has returned, is the current socket */
void opened(struct actor *a, int fd, const char *what);

/* a socket's option of SOL_SOCKET */
int option(int fd, int name);

/* The frame of a word `frame': MAC FROM TO PORT BYTES. Return: its length. */
size_t frame_make(char **arg, void *to, size_t room);

/* Sends or receives so many bytes in a way of that name. */
void way_do(const char *name, int fd, char *data, size_t bytes);

/* From now on the connection is encrypted by the kernel, with a known key. */
void way_tls(int fd);

#endif
