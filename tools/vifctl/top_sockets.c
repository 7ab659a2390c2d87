// SPDX-License-Identifier: GPL-2.0
/* sockets.c has the sockets, owners.c whose they are; here those of one VIF. */
#include "top_sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

unsigned long long top_socket_bytes(const struct socket_info *socket)
{
	return socket->tcp.tcpi_bytes_acked + socket->tcp.tcpi_bytes_received;
}

static int busiest(const void *a, const void *b)
{
	const struct socket_info *x = ((const struct top_socket *)a)->info;
	const struct socket_info *y = ((const struct top_socket *)b)->info;

	if (top_socket_bytes(x) != top_socket_bytes(y))
		return top_socket_bytes(x) > top_socket_bytes(y) ? -1 : 1;
	return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

static int choose(struct top_sockets *sockets, const char *path)
{
	struct owners_device device;
	const char *vif;

	sockets->socket = calloc(sockets->all.count + 1,
				 sizeof(*sockets->socket));
	if (!sockets->socket)
		return -1;
	path_device(path, sockets->dev);
	owners_find_device(&sockets->owners, sockets->dev, &device);
	for (size_t i = 0; i < sockets->all.count; i++) {
		const struct socket_info *info = &sockets->all.socket[i];
		struct top_socket *socket = &sockets->socket[sockets->count];

		vif = owners_vif(&sockets->owners, info, &device);
		if (!vif || !path_is_below(vif, path))
			continue;
		*socket = (struct top_socket) {
			.info = info,
			.vif = vif,
			.pid = owners_process(&sockets->owners, info),
		};
		if (socket->pid)
			process_comm(socket->pid, socket->comm);
		sockets->count++;
	}
	if (sockets->count)
		qsort(sockets->socket, sockets->count,
		      sizeof(*sockets->socket), busiest);
	return 0;
}

int top_sockets_read(struct top_sockets *sockets, const struct genl *genl,
		     const char *path)
{
	top_sockets_free(sockets);
	if (!sockets_read(&sockets->all) &&
	    !owners_read(&sockets->owners, genl) && !choose(sockets, path))
		return 0;
	top_sockets_free(sockets);
	return -1;
}

void top_sockets_free(struct top_sockets *sockets)
{
	int err = errno;

	sockets_free(&sockets->all);
	owners_free(&sockets->owners);
	free(sockets->socket);
	*sockets = (struct top_sockets) { 0 };
	errno = err;
}
