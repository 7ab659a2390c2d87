/* SPDX-License-Identifier: GPL-2.0 */
/* The sockets that belong to VIFs, and how much goes through them. */
#ifndef VIFCTL_TOP_SOCKETS_H
#define VIFCTL_TOP_SOCKETS_H

#include <net/if.h>

#include "owners.h"
#include "process.h"
#include "sockets.h"

/* Of something whose rate is not known (yet) */
#define TOP_UNKNOWN	-1.0

/**
 * struct top_rate - what has gone through since the look before
 * @sent: bytes per second that have been acknowledged; TOP_UNKNOWN
 * @received: that have come; TOP_UNKNOWN
 */
struct top_rate {
	double sent;
	double received;
};

/**
 * struct top_socket - a socket of the VIF that was chosen
 * @info: the socket
 * @vif: path
 * @pid: that has it open; 0: unknown
 * @comm: its name
 * @rate: of TCP
 */
struct top_socket {
	const struct socket_info *info;
	const char *vif;
	pid_t pid;
	char comm[PROCESS_COMM_BYTES];
	struct top_rate rate;
};

/**
 * struct top_process - those of them that one process has open
 * @first: one of these; of @rate only what is known
 * @sockets: how many
 */
struct top_process {
	struct top_socket first;
	size_t sockets;
};

/* What a TCP socket had carried at the look before */
struct top_mark {
	uint64_t cookie;
	unsigned long long sent, received;
};

/**
 * struct top_sockets - the sockets of the last look
 * @all: all of the network namespace
 * @owners: whose they are
 * @time_ns: of the look, CLOCK_MONOTONIC
 * @mark: of the look before, by cookie
 * @n_marks: how many
 * @interval_ns: since then; 0: there was none
 * @dev: that of the VIF that was chosen
 * @socket: the VIF's, and those of VIFs below it; point into these; busiest first
 * @count: how many
 * @process: the processes that have these, busiest first
 * @n_processes: how many
 */
struct top_sockets {
	struct socket_list all;
	struct owners owners;
	uint64_t time_ns;
	struct top_mark *mark;
	size_t n_marks;
	uint64_t interval_ns;
	char dev[IF_NAMESIZE];
	struct top_socket *socket;
	size_t count;
	struct top_process *process;
	size_t n_processes;
};

/* Sent and acknowledged, and received, by TCP */
unsigned long long top_socket_bytes(const struct socket_info *socket);

/**
 * top_sockets_look - find out which sockets there are, and whose
 * @sockets: those of the look before, or empty
 * @genl: the family
 * @time_ns: now
 *
 * Return: 0, or -1 and errno, and there are none.
 */
int top_sockets_look(struct top_sockets *sockets, const struct genl *genl, uint64_t time_ns);

/* Takes those of a VIF and of those below it. Return: 0, or -1 without memory. */
int top_sockets_choose(struct top_sockets *sockets, const char *path);

void top_sockets_free(struct top_sockets *sockets);

#endif
