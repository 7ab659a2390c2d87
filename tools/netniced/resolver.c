// SPDX-License-Identifier: GPL-2.0
#include "resolver.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "netlink.h"

#define REQUEST_BYTES	256

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

/* As resolv.conf(5) has them; IPv4 as ::ffff:a.b.c.d. */
static bool read_server(const char *line, uint8_t address[16])
{
	char text[INET6_ADDRSTRLEN + 8];

	if (sscanf(line, " nameserver %45[0-9a-fA-F.:]", text + 7) != 1)
		return false;
	if (inet_pton(AF_INET6, text + 7, address) == 1)
		return true;
	return inet_pton(AF_INET6, memcpy(text, "::ffff:", 7), address) == 1;
}

/* Where no file names any it is the host itself. */
static bool is_server_of(const char *path, const uint8_t address[16], bool *any)
{
	char line[256];
	uint8_t server[16];
	bool found = false;
	FILE *file = fopen(path, "re");

	while (file && !found && fgets(line, sizeof(line), file))
		if (read_server(line, server)) {
			*any = true;
			found = !memcmp(server, address, sizeof(server));
		}
	if (file)
		fclose(file);
	return found;
}

/* Read again each time: it is for questions about our names only. */
static bool is_resolver(const uint8_t address[16])
{
	static const uint8_t host[16] = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 };
	bool any = false;

	return is_server_of("/etc/resolv.conf", address, &any) ||
	       is_server_of("/run/systemd/resolve/resolv.conf", address, &any) ||
	       (!any && !memcmp(address, host, sizeof(host)));
}

/* --- routes -------------------------------------------------------------------------- */

static int take_attribute(const struct nlattr *attr, void *device)
{
	if (mnl_attr_get_type(attr) == RTA_OIF && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		*(unsigned int *)device = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static int take_route(const struct nlmsghdr *answer, void *device)
{
	return mnl_attr_parse(answer, sizeof(struct rtmsg), take_attribute, device);
}

/* Of what the host itself sends, without marks. 0: none. */
static unsigned int find_route(const uint8_t address[16])
{
	static struct mnl_socket *sock;
	const bool is_4 = !memcmp(address, mapped, sizeof(mapped));
	char buf[REQUEST_BYTES] __attribute__((aligned(NLMSG_ALIGNTO))) = { 0 };
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct rtmsg *route;
	unsigned int device = 0;

	if (!sock)
		sock = netlink_open(NETLINK_ROUTE, 0, 0);
	if (!sock)
		return 0;
	request->nlmsg_type = RTM_GETROUTE;
	route = mnl_nlmsg_put_extra_header(request, sizeof(*route));
	route->rtm_family = is_4 ? AF_INET : AF_INET6;
	route->rtm_dst_len = is_4 ? 32 : 128;
	mnl_attr_put(request, RTA_DST, is_4 ? 4 : 16, is_4 ? address + sizeof(mapped) : address);
	return netlink_ask(sock, request, NLM_F_ACK, take_route, &device) ? 0 : device;
}

unsigned int resolver_device(const uint8_t address[16])
{
	return is_resolver(address) ? find_route(address) : 0;
}
