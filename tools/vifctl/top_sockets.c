// SPDX-License-Identifier: GPL-2.0
/*
 * sockets.c lists sockets, owners.c finds their VIFs. This file selects the sockets of one VIF, and
 * computes their traffic in the last interval, from TCP's counters: bytes acknowledged and
 * received.
 */
#include "top_sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "words.h"

unsigned long long top_socket_bytes(const struct socket_info *socket)
{
	return socket->tcp.tcpi_bytes_acked + socket->tcp.tcpi_bytes_received;
}

/* --- what they had carried --- */

static int by_cookie(const void *a, const void *b)
{
	const struct top_mark *x = a, *y = b;

	return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

/* Without memory there are none: rates are not known then. */
static void keep_marks(struct top_sockets *sockets)
{
	free(sockets->mark);
	sockets->n_marks = 0;
	sockets->mark = calloc(sockets->all.count + 1, sizeof(*sockets->mark));
	if (!sockets->mark)
		return;
	for (size_t i = 0; i < sockets->all.count; i++) {
		const struct socket_info *info = &sockets->all.socket[i];

		if (info->is_tcp)
			sockets->mark[sockets->n_marks++] = (struct top_mark) {
				.cookie = info->cookie,
				.sent = info->tcp.tcpi_bytes_acked,
				.received = info->tcp.tcpi_bytes_received,
			};
	}
	qsort(sockets->mark, sockets->n_marks, sizeof(*sockets->mark), by_cookie);
}

static double rate(unsigned long long now, unsigned long long before, uint64_t interval_ns)
{
	return now > before ? (now - before) * (double)SECOND_NS / interval_ns : 0;
}

/* What is new since then has carried all that it has. */
static struct top_rate rate_of(const struct top_sockets *sockets,
			       const struct socket_info *info)
{
	const struct top_mark key = { .cookie = info->cookie };
	const struct top_mark *before;

	if (!info->is_tcp || !sockets->interval_ns || !sockets->mark)
		return (struct top_rate) { TOP_UNKNOWN, TOP_UNKNOWN };
	before = bsearch(&key, sockets->mark, sockets->n_marks, sizeof(key), by_cookie) ?: &key;
	return (struct top_rate) {
		.sent = rate(info->tcp.tcpi_bytes_acked, before->sent, sockets->interval_ns),
		.received = rate(info->tcp.tcpi_bytes_received, before->received,
				 sockets->interval_ns),
	};
}

/* --- those of a VIF --- */

static int busier(const struct top_rate *x, const struct top_rate *y)
{
	const double a = x->sent + x->received, b = y->sent + y->received;

	return a > b ? -1 : a < b;
}

static int busiest(const void *a, const void *b)
{
	const struct top_socket *x = a, *y = b;
	const unsigned long long more = top_socket_bytes(x->info), less = top_socket_bytes(y->info);
	int ret = busier(&x->rate, &y->rate);

	if (ret || more != less)
		return ret ?: more > less ? -1 : 1;
	return x->info->cookie < y->info->cookie ? -1 : x->info->cookie > y->info->cookie;
}

static int by_process(const void *a, const void *b)
{
	const struct top_socket *x = &((const struct top_process *)a)->first;
	const struct top_socket *y = &((const struct top_process *)b)->first;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int busiest_process(const void *a, const void *b)
{
	const struct top_process *x = a, *y = b;

	return busier(&x->first.rate, &y->first.rate) ?: by_process(a, b);
}

static void add(double *sum, double more)
{
	if (more >= 0)
		*sum = *sum < 0 ? more : *sum + more;
}

/* Sockets of one become one. */
static void gather(struct top_sockets *sockets)
{
	struct top_process *process = sockets->process;
	size_t n = 0;

	for (size_t i = 0; i < sockets->count; i++)
		process[i] = (struct top_process) { sockets->socket[i], 1 };
	if (sockets->count)
		qsort(process, sockets->count, sizeof(*process), by_process);
	for (size_t i = 0; i < sockets->count; i++) {
		if (!n || process[n - 1].first.pid != process[i].first.pid) {
			process[n++] = process[i];
			continue;
		}
		process[n - 1].sockets++;
		add(&process[n - 1].first.rate.sent, process[i].first.rate.sent);
		add(&process[n - 1].first.rate.received, process[i].first.rate.received);
	}
	if (n)
		qsort(process, n, sizeof(*process), busiest_process);
	sockets->n_processes = n;
}

static void forget_chosen(struct top_sockets *sockets)
{
	free(sockets->socket);
	free(sockets->process);
	sockets->socket = NULL;
	sockets->process = NULL;
	sockets->count = sockets->n_processes = 0;
}

static void choose_one(struct top_sockets *sockets, const struct socket_info *info,
		       const char *vif)
{
	struct top_socket *socket = &sockets->socket[sockets->count++];

	*socket = (struct top_socket) {
		.info = info,
		.vif = vif,
		.pid = owners_process(&sockets->owners, info),
		.rate = rate_of(sockets, info),
	};
	if (socket->pid)
		process_comm(socket->pid, socket->comm);
}

int top_sockets_choose(struct top_sockets *sockets, const char *path)
{
	struct owners_device device;
	const char *vif;

	forget_chosen(sockets);
	sockets->socket = calloc(sockets->all.count + 1, sizeof(*sockets->socket));
	sockets->process = calloc(sockets->all.count + 1, sizeof(*sockets->process));
	if (!sockets->socket || !sockets->process) {
		forget_chosen(sockets);
		return -1;
	}
	path_device(path, sockets->dev);
	owners_find_device(&sockets->owners, sockets->dev, &device);
	for (size_t i = 0; i < sockets->all.count; i++) {
		vif = owners_vif(&sockets->owners, &sockets->all.socket[i], &device);
		if (vif && path_is_below(vif, path))
			choose_one(sockets, &sockets->all.socket[i], vif);
	}
	if (sockets->count)
		qsort(sockets->socket, sockets->count,
		      sizeof(*sockets->socket), busiest);
	gather(sockets);
	return 0;
}

static void forget_look(struct top_sockets *sockets)
{
	int err = errno;

	forget_chosen(sockets);
	sockets_free(&sockets->all);
	owners_free(&sockets->owners);
	sockets->owners = (struct owners) { 0 };
	errno = err;
}

int top_sockets_look(struct top_sockets *sockets, const struct genl *genl, uint64_t time_ns)
{
	sockets->interval_ns = sockets->time_ns ? time_ns - sockets->time_ns : 0;
	sockets->time_ns = time_ns;
	keep_marks(sockets);
	forget_look(sockets);
	if (!sockets_read(&sockets->all) && !owners_read(&sockets->owners, genl))
		return 0;
	forget_look(sockets);
	return -1;
}

void top_sockets_free(struct top_sockets *sockets)
{
	forget_look(sockets);
	free(sockets->mark);
	*sockets = (struct top_sockets) { 0 };
}
