/* SPDX-License-Identifier: GPL-2.0 */
/* The sockets of VIFs, and their rates. */
#ifndef VIFCTL_TOP_SOCKETS_H
#define VIFCTL_TOP_SOCKETS_H

#include <net/if.h>

#include "owners.h"
#include "process.h"
#include "sockets.h"

/* The rate is unknown. */
#define TOP_UNKNOWN	-1.0

/**
 * struct top_rate - rates since the sample before
 * @sent: bytes per second that were sent and acknowledged; or TOP_UNKNOWN
 * @received: bytes per second that were received; or TOP_UNKNOWN
 */
struct top_rate {
	double sent;
	double received;
};

/**
 * struct top_socket - a socket of the chosen VIF
 * @info: the socket
 * @vif: path of its VIF
 * @pid: a process that has it open; 0: unknown
 * @comm: name of the process
 * @rate: rates, if it is a TCP socket
 */
struct top_socket {
	const struct socket_info *info;
	const char *vif;
	pid_t pid;
	char comm[PROCESS_COMM_BYTES];
	struct top_rate rate;
};

/**
 * struct top_process - the sockets of a process
 * @first: one of them, but @rate is the sum of the known rates
 * @sockets: number of them
 */
struct top_process {
	struct top_socket first;
	size_t sockets;
};

/* The bytes of a TCP socket at the sample before. */
struct top_mark {
	uint64_t cookie;
	unsigned long long sent, received;
};

/**
 * struct top_sockets - a sample of sockets
 * @all: all sockets of the network namespace
 * @owners: their owners
 * @time_ns: time of the sample, by CLOCK_MONOTONIC
 * @mark: bytes at the sample before, sorted by cookie
 * @n_marks: number of these
 * @interval_ns: time since that sample; 0: there was none
 * @dev: device of the chosen VIF
 * @socket: sockets of the chosen VIF and of VIFs below it, which point into @all; the busiest first
 * @count: number of these
 * @process: their processes, the busiest first
 * @n_processes: number of these
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

/* Return the sum of acknowledged and received bytes of a TCP socket. */
unsigned long long top_socket_bytes(const struct socket_info *socket);

/**
 * top_sockets_look - read all sockets and their owners
 * @sockets: the sample before, or an empty one
 * @genl: the family
 * @time_ns: the present time
 *
 * Return: 0, or -1 and errno: then @sockets is empty.
 */
int top_sockets_look(struct top_sockets *sockets, const struct genl *genl, uint64_t time_ns);

/* Choose the sockets of a VIF and of all VIFs below it. Return: 0, or -1 without memory. */
int top_sockets_choose(struct top_sockets *sockets, const char *path);

void top_sockets_free(struct top_sockets *sockets);

#endif
