// SPDX-License-Identifier: GPL-2.0
#include "box.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "array.h"
#include "complain.h"
#include "netlink.h"

/* --- the host's device --- */

static bool is_shared(const struct sockaddr *address)
{
	const struct sockaddr_in6 *in6 = (const void *)address;

	return address->sa_family == AF_INET ||
	       (address->sa_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr));
}

/* IPv4's addresses may have labels, as "eth0:1", in its place. */
static bool is_of(const char *name, const char *dev)
{
	const size_t len = strlen(dev);

	return !strncmp(name, dev, len) && (!name[len] || name[len] == ':');
}

static int take_address(struct box_host *host, const struct sockaddr *from)
{
	struct box_address *address = array_add(&host->address, &host->count, sizeof(*address));
	char text[INET6_ADDRSTRLEN], *words;

	if (!address)
		return -1;
	address->family = from->sa_family;
	if (from->sa_family == AF_INET)
		address->in = ((const struct sockaddr_in *)from)->sin_addr;
	else
		address->in6 = ((const struct sockaddr_in6 *)from)->sin6_addr;
	inet_ntop(from->sa_family, &address->in, text, sizeof(text));
	if (asprintf(&words, "%s%s%s", host->words ?: "", host->words ? " " : "", text) < 0)
		return -1;
	free(host->words);
	host->words = words;
	return 0;
}

static int read_addresses(struct box_host *host, const char *dev)
{
	struct ifaddrs *all, *one;
	int ret = getifaddrs(&all);

	if (ret)
		return -1;
	for (one = all; !ret && one; one = one->ifa_next)
		if (is_of(one->ifa_name, dev) && one->ifa_addr && is_shared(one->ifa_addr) &&
		    !(one->ifa_flags & IFF_LOOPBACK))
			ret = take_address(host, one->ifa_addr);
	freeifaddrs(all);
	return ret;
}

static int control(const char *dev, unsigned long what, struct ifreq *request)
{
	int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret;

	snprintf(request->ifr_name, sizeof(request->ifr_name), "%s", dev);
	ret = sock < 0 ? -1 : ioctl(sock, what, request);
	if (ret)
		complain_errno("%s", dev);
	if (sock >= 0)
		close(sock);
	return ret;
}

int box_read_host(struct box_host *host, const char *dev)
{
	struct ifreq request = { .ifr_flags = 0 };

	*host = (struct box_host) { 0 };
	if (control(dev, SIOCGIFMTU, &request))
		return -1;
	host->mtu = request.ifr_mtu;
	if (read_addresses(host, dev)) {
		complain_errno("%s", dev);
		return -1;
	}
	if (!host->count)
		complain("%s: this device has no address that others reach it by", dev);
	return host->count ? 0 : -1;
}

void box_free_host(struct box_host *host)
{
	free(host->address);
	free(host->words);
}

int box_set_up(const char *dev, unsigned int mtu)
{
	struct ifreq request = { .ifr_mtu = mtu };

	if (mtu && control(dev, SIOCSIFMTU, &request))
		return -1;
	if (control(dev, SIOCGIFFLAGS, &request))
		return -1;
	request.ifr_flags |= IFF_UP;
	return control(dev, SIOCSIFFLAGS, &request);
}

/* --- the namespace --- */

static int ask(struct nlmsghdr *request, int flags, mnl_cb_t take, void *arg, const char *what)
{
	struct mnl_socket *sock = netlink_open(NETLINK_ROUTE, 0, 0);
	int ret = sock ? netlink_ask(sock, request, NLM_F_ACK | flags, take, arg) : -1;

	if (ret)
		complain_errno("%s", what);
	if (sock)
		mnl_socket_close(sock);
	return ret;
}

static int add(struct nlmsghdr *request, const char *what)
{
	return ask(request, NLM_F_CREATE | NLM_F_EXCL, NULL, NULL, what);
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret;

	ret = fd < 0 || write(fd, text, strlen(text)) < 0 ? -1 : 0;
	if (fd >= 0)
		close(fd);
	return ret;
}

static int take_state(const struct nlmsghdr *answer, void *arg)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, answer, sizeof(struct ifinfomsg))
		if (mnl_attr_get_type(attr) == IFLA_OPERSTATE &&
		    mnl_attr_validate(attr, MNL_TYPE_U8) >= 0)
			*(unsigned int *)arg = mnl_attr_get_u8(attr);
	return MNL_CB_OK;
}

/* Wait until a device sees that its other end is up: until then it drops sent packets. */
static int wait_for(const char *dev)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request;
	unsigned int state = 0;

	for (int n = 0; n < 1000; n++) {
		request = mnl_nlmsg_put_header(buf);
		request->nlmsg_type = RTM_GETLINK;
		mnl_nlmsg_put_extra_header(request, sizeof(struct ifinfomsg));
		mnl_attr_put_strz(request, IFLA_IFNAME, dev);
		if (ask(request, 0, take_state, &state, dev))
			return -1;
		if (state == IF_OPER_UP)
			return 0;
		usleep(n < 10 ? 100 : 2000);
	}
	complain("%s: the device does not come up", dev);
	return -1;
}

/* Stop new devices from creating or requesting addresses. Without IPv6, they do neither. */
static void quieten_ipv6(void)
{
	write_file("/proc/sys/net/ipv6/conf/default/addr_gen_mode", "1");
	write_file("/proc/sys/net/ipv6/conf/default/accept_ra", "0");
}

int box_make(const struct box_host *host, const char *dev, const char *plug)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct nlattr *info, *data, *peer;

	quieten_ipv6();
	request->nlmsg_type = RTM_NEWLINK;
	mnl_nlmsg_put_extra_header(request, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(request, IFLA_IFNAME, plug);
	mnl_attr_put_u32(request, IFLA_MTU, host->mtu);
	info = mnl_attr_nest_start(request, IFLA_LINKINFO);
	mnl_attr_put_strz(request, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(request, IFLA_INFO_DATA);
	peer = mnl_attr_nest_start(request, VETH_INFO_PEER);
	mnl_nlmsg_put_extra_header(request, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(request, IFLA_IFNAME, dev);
	mnl_attr_put_u32(request, IFLA_MTU, host->mtu);
	mnl_attr_nest_end(request, peer);
	mnl_attr_nest_end(request, data);
	mnl_attr_nest_end(request, info);
	return add(request, "a veth in namespaces of one's own") ?: box_set_up(plug, 0) ?: box_set_up(dev, 0) ?:
	       wait_for(plug) ?: wait_for(dev);
}

static size_t size_of(const struct box_address *address)
{
	return address->family == AF_INET ? sizeof(address->in) : sizeof(address->in6);
}

static int add_address(const struct box_address *address, int index)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct ifaddrmsg *message;

	request->nlmsg_type = RTM_NEWADDR;
	message = mnl_nlmsg_put_extra_header(request, sizeof(*message));
	message->ifa_family = address->family;
	message->ifa_prefixlen = 8 * size_of(address);
	message->ifa_flags = IFA_F_NODAD;
	message->ifa_index = index;
	mnl_attr_put(request, IFA_LOCAL, size_of(address), &address->in);
	mnl_attr_put(request, IFA_ADDRESS, size_of(address), &address->in);
	return add(request, "address");
}

/* Route all addresses to the link: the kernel at its other end answers for all hosts. */
static int add_route(int family, int index)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct rtmsg *message;

	request->nlmsg_type = RTM_NEWROUTE;
	message = mnl_nlmsg_put_extra_header(request, sizeof(*message));
	message->rtm_family = family;
	message->rtm_table = RT_TABLE_MAIN;
	message->rtm_protocol = RTPROT_BOOT;
	message->rtm_scope = family == AF_INET ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
	message->rtm_type = RTN_UNICAST;
	mnl_attr_put_u32(request, RTA_OIF, index);
	return add(request, "route");
}

int box_write_proc(pid_t pid, const char *name, const char *text)
{
	const bool is_map = strlen(name) == 3;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/%s%s", pid, name, is_map ? "_map" : "");
	ret = write_file(path, text);
	if (ret)
		complain_errno("%s", path);
	return ret;
}

static int set_ports(unsigned int first, unsigned int count)
{
	char range[32];

	snprintf(range, sizeof(range), "%u %u", first, first + count - 1);
	if (write_file("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0") ||
	    (count && write_file("/proc/sys/net/ipv4/ip_local_port_range", range))) {
		complain_errno("/proc/sys/net/ipv4");
		return -1;
	}
	return 0;
}

int box_open(const struct box_host *host, const char *dev, unsigned int first,
	     unsigned int count)
{
	bool has[2] = { false };
	int index = if_nametoindex(dev), ret;

	ret = box_set_up("lo", 0);
	for (size_t i = 0; !ret && i < host->count; i++) {
		ret = add_address(&host->address[i], index);
		has[host->address[i].family == AF_INET6] = true;
	}
	if (!ret && has[0])
		ret = add_route(AF_INET, index);
	if (!ret && has[1])
		ret = add_route(AF_INET6, index);
	return ret ?: set_ports(first, count);
}
