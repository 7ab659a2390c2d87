// SPDX-License-Identifier: GPL-2.0
/*
 * ustack - a user-level stack, as small as can be, on a tap (or tun) that it makes
 *
 *	ustack tap|tun|vtap|vtun NAME FILE WORD...
 *	ustack given "" "" WORD...
 *
 * (vtap, vtun: each frame has a header of virtio's, which says what is left to the device to
 * do; given: it is at the descriptor $NETNICE_TAP) writes the device's name into FILE, a VIF's
 * "stack", if that is not "", and says "ready". Then it does what the words say:
 *
 *	echo			answers datagrams of UDP by themselves, until it is ended; says
 *				"extension" of what has another header before that
 *	say TEXT
 *	wait FILE		until there is one
 *	send KIND COUNT FROM TO SOURCE-PORT PORT
 *				frames of KIND, see kinds[]
 *	fuzz COUNT SEED FROM TO SOURCE-PORT PORT
 *				such frames with some bytes changed at random, some of them
 *				large, with virtio's header as it should be, or nearly
 *	ask ADDRESS		who has it? says the answer, or "none"
 *	type NUMBER		the device says that it is of this ARPHRD_ type
 *	byte NUMBER		a frame of this byte alone
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/if_ether.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "program.h"

#define MAX_FRAME 16384
#define PAYLOAD 18

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4 /* headers before 6.2 */
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

static const unsigned char own_mac[ETH_ALEN] = { 2, 0, 0, 0, 0, 85 };
static const unsigned char gateway_mac[ETH_ALEN] = { 2, 'n', 'n', 'i', 'c', 'e' };

static int tap;
static char device[IFNAMSIZ];
static size_t link_bytes; /* of a frame's header */
static bool has_virtio; /* before that */
static struct virtio_net_hdr virtio;

/* ---- frames ---- */

static uint32_t add(uint32_t sum, const void *data, size_t len)
{
	const unsigned char *byte = data;

	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? byte[i] : byte[i] << 8;
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons(~sum);
}

/* what is behind the IP header, whose addresses are @addresses bytes at @from */
static uint16_t checksum(const void *from, size_t addresses, int protocol, const void *data,
			 size_t len)
{
	return fold(add(add(protocol + len, from, addresses), data, len));
}

struct address {
	int family;
	unsigned char bytes[16];
};

static struct address address(const char *text)
{
	struct address a = { .family = strchr(text, ':') ? AF_INET6 : AF_INET };

	errno = EINVAL;
	if (inet_pton(a.family, text, a.bytes) != 1)
		die(text);
	return a;
}

struct packet {
	const char *kind;
	struct address from, to;
	uint16_t source, port;
	size_t payload;
};

static bool is(const struct packet *p, const char *kind)
{
	return !strcmp(p->kind, kind);
}

static const char *const kinds[] = {
	"udp", "tcp", "icmp", "fragment", "option", "vlan", "truncated", "ethertype", "arp", NULL
};

static int protocol_of(const struct packet *p)
{
	if (is(p, "icmp"))
		return p->from.family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;
	return is(p, "tcp") ? IPPROTO_TCP : IPPROTO_UDP;
}

/* an echo request for ICMP, a SYN for TCP */
static size_t put_transport(unsigned char *to, const struct packet *p)
{
	struct udphdr *udp = (struct udphdr *)to;
	struct tcphdr *tcp = (struct tcphdr *)to;
	struct icmp6_hdr *icmp = (struct icmp6_hdr *)to;
	size_t len = sizeof(*udp) + p->payload;

	memset(to, 0, sizeof(*tcp) + p->payload);
	if (is(p, "icmp")) {
		icmp->icmp6_type = p->from.family == AF_INET ? 8 : ICMP6_ECHO_REQUEST;
	} else if (is(p, "tcp")) {
		tcp->doff = 5;
		tcp->syn = p->payload == PAYLOAD;
		len = sizeof(*tcp) + (tcp->syn ? 0 : p->payload);
	} else {
		udp->len = htons(len);
	}
	if (!is(p, "icmp")) {
		udp->source = htons(p->source);
		udp->dest = htons(p->port);
	}
	return len;
}

static size_t put4(unsigned char *to, const struct packet *p)
{
	struct iphdr *ip = (struct iphdr *)to;
	size_t header = is(p, "option") ? 24 : 20, len;

	len = put_transport(to + header, p);
	memset(ip, 0, header);
	/* no operation */
	memset(ip + 1, 1, header - 20);
	ip->version = 4;
	ip->ihl = header / 4;
	ip->tot_len = htons(header + len + (is(p, "truncated") ? 100 : 0));
	ip->ttl = 64;
	ip->protocol = protocol_of(p);
	ip->frag_off = is(p, "fragment") ? htons(IP_MF) : 0;
	memcpy(&ip->saddr, p->from.bytes, 4);
	memcpy(&ip->daddr, p->to.bytes, 4);
	ip->check = fold(add(0, ip, header));
	return header + len;
}

static size_t put6(unsigned char *to, const struct packet *p)
{
	struct ip6_hdr *ip = (struct ip6_hdr *)to;
	size_t header = sizeof(*ip), extension = 0, len;

	memset(to, 0, header + 8);
	ip->ip6_flow = htonl(6 << 28);
	ip->ip6_hops = 64;
	ip->ip6_nxt = protocol_of(p);
	if (is(p, "fragment") || is(p, "option")) {
		extension = 8;
		to[header] = ip->ip6_nxt;
		ip->ip6_nxt = is(p, "fragment") ? IPPROTO_FRAGMENT : IPPROTO_DSTOPTS;
		/* the first of several; or six bytes of padding */
		to[header + 2] = is(p, "fragment") ? 0 : 1;
		to[header + 3] = is(p, "fragment") ? 1 : 4;
	}
	len = put_transport(to + header + extension, p) + extension;
	ip->ip6_plen = htons(len + (is(p, "truncated") ? 100 : 0));
	memcpy(&ip->ip6_src, p->from.bytes, 16);
	memcpy(&ip->ip6_dst, p->to.bytes, 16);
	return header + len;
}

/* the checksum of what is a plain packet */
static void seal(unsigned char *ip, const struct packet *p, size_t len)
{
	size_t header = p->from.family == AF_INET ? 20 : 40;
	size_t addresses = p->from.family == AF_INET ? 8 : 32;
	size_t at = is(p, "tcp") ? offsetof(struct tcphdr, check) : offsetof(struct udphdr, check);
	uint16_t sum = checksum(ip + header - addresses, addresses, protocol_of(p), ip + header,
				len - header);

	memcpy(ip + header + at, &sum, sizeof(sum));
}

static size_t put_link(unsigned char *to, uint16_t type)
{
	struct ethhdr *link = (struct ethhdr *)to;

	if (!link_bytes)
		return 0;
	memcpy(link->h_dest, gateway_mac, ETH_ALEN);
	memcpy(link->h_source, own_mac, ETH_ALEN);
	link->h_proto = htons(type);
	return ETH_HLEN;
}

static size_t put_arp(unsigned char *to, int op, const unsigned char *sender,
		      const unsigned char *target)
{
	struct ether_arp *arp = (struct ether_arp *)(to + put_link(to, ETH_P_ARP));

	memset(arp, 0, sizeof(*arp));
	arp->ea_hdr.ar_hrd = htons(1);
	arp->ea_hdr.ar_pro = htons(ETH_P_IP);
	arp->ea_hdr.ar_hln = ETH_ALEN;
	arp->ea_hdr.ar_pln = 4;
	arp->ea_hdr.ar_op = htons(op);
	memcpy(arp->arp_sha, own_mac, ETH_ALEN);
	memcpy(arp->arp_spa, sender, 4);
	memcpy(arp->arp_tpa, target, 4);
	return ETH_HLEN + sizeof(*arp);
}

static size_t make(unsigned char *to, const struct packet *p)
{
	uint16_t type = p->from.family == AF_INET ? ETH_P_IP : ETH_P_IPV6;
	size_t link, len;

	if (is(p, "arp"))
		return put_arp(to, ARPOP_REPLY, p->from.bytes, p->to.bytes);
	if (is(p, "vlan")) {
		link = put_link(to, ETH_P_8021Q);
		to[link] = 0;
		to[link + 1] = 7;
		*(uint16_t *)(to + link + 2) = htons(type);
		link += 4;
	} else {
		link = put_link(to, is(p, "ethertype") ? 0x88b5 : type);
	}
	len = type == ETH_P_IP ? put4(to + link, p) : put6(to + link, p);
	if (is(p, "udp") || is(p, "tcp") || is(p, "vlan"))
		seal(to + link, p, len);
	return link + len;
}

static void put(const void *frame, size_t len)
{
	size_t before = has_virtio ? sizeof(virtio) : 0;
	struct iovec part[] = { { &virtio, before }, { (void *)frame, len } };

	if (writev(tap, part, 2) != (ssize_t)(before + len) && errno != EINVAL)
		die("write");
}

static ssize_t get(void *to, size_t room)
{
	struct virtio_net_hdr left;
	ssize_t before = has_virtio ? sizeof(left) : 0;
	struct iovec part[] = { { &left, before }, { to, room } };
	ssize_t len = readv(tap, part, 2);

	return len < 0 ? len : len - before;
}

static void set_up(bool up)
{
	struct ifreq request = { .ifr_flags = up ? IFF_UP : 0 };
	int control = socket(AF_INET, SOCK_DGRAM, 0);

	memcpy(request.ifr_name, device, IFNAMSIZ);
	if (ioctl(control, SIOCSIFFLAGS, &request))
		die(up ? "up" : "down");
	close(control);
}

/* ---- words ---- */

static struct packet packet(char **arg)
{
	return (struct packet) {
		.kind = "udp",
		.from = address(arg[0]),
		.to = address(arg[1]),
		.source = atoi(arg[2]),
		.port = atoi(arg[3]),
		.payload = PAYLOAD,
	};
}

static void word_send(char **arg)
{
	unsigned char frame[MAX_FRAME];
	struct packet p = packet(arg + 2);
	size_t len;
	int i;

	for (i = 0; kinds[i] && strcmp(arg[0], kinds[i]); i++)
		;
	errno = EINVAL;
	if (!kinds[i])
		die(arg[0]);
	p.kind = arg[0];
	len = make(frame, &p);
	for (i = atoi(arg[1]); i > 0; i--)
		put(frame, len);
}

static bool one_in(int n)
{
	return random() % n == 0;
}

/* @len bytes at @to */
static void change(void *to, size_t len)
{
	((unsigned char *)to)[random() % len] = random();
}

/* as the packet has it, were it to be cut, and its checksum to be made, by the device */
static void leave_to_device(const struct packet *p)
{
	bool ip4 = p->from.family == AF_INET, tcp = is(p, "tcp");
	size_t thoff = link_bytes + (ip4 ? 20 : 40);

	virtio = (struct virtio_net_hdr) {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = !tcp ? VIRTIO_NET_HDR_GSO_UDP_L4 :
			    ip4 ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6,
		.hdr_len = thoff + (tcp ? 20 : 8),
		.gso_size = 1 + random() % 1500,
		.csum_start = thoff,
		.csum_offset = tcp ? offsetof(struct tcphdr, check) :
				     offsetof(struct udphdr, check),
	};
	if (one_in(4))
		virtio.gso_type = VIRTIO_NET_HDR_GSO_NONE;
}

/* one of the kinds: in the headers mostly, and sometimes the length */
static void put_random(struct packet *p)
{
	static unsigned char frame[MAX_FRAME];
	size_t len;

	p->kind = kinds[random() % (sizeof(kinds) / sizeof(kinds[0]) - 1)];
	p->payload = one_in(8) ? random() % (MAX_FRAME - 200) : PAYLOAD;
	len = make(frame, p);
	memset(&virtio, 0, sizeof(virtio));
	if (has_virtio && !one_in(4))
		leave_to_device(p);
	if (has_virtio && one_in(2))
		change(&virtio, sizeof(virtio));
	for (int n = random() % 4; n > 0; n--)
		change(frame + (one_in(8) ? 0 : link_bytes), one_in(4) ? len - link_bytes : 60);
	if (one_in(8))
		len = link_bytes + random() % (len - link_bytes);
	put(frame, len);
}

static void word_fuzz(char **arg)
{
	struct packet p = packet(arg + 2);

	srandom(atoi(arg[1]));
	for (int i = atoi(arg[0]); i > 0; i--)
		put_random(&p);
	memset(&virtio, 0, sizeof(virtio));
}

static void word_ask(char **arg)
{
	unsigned char frame[MAX_FRAME];
	struct address who = address(arg[0]);
	struct ether_arp *arp = (struct ether_arp *)(frame + ETH_HLEN);
	struct pollfd wait = { .fd = tap, .events = POLLIN };

	put(frame, put_arp(frame, ARPOP_REQUEST, (const unsigned char[]) { 10, 0, 0, 1 }, who.bytes));
	while (poll(&wait, 1, 500) > 0 && get(frame, sizeof(frame)) > 0)
		if (((struct ethhdr *)frame)->h_proto == htons(ETH_P_ARP) &&
		    arp->ea_hdr.ar_op == htons(ARPOP_REPLY)) {
			printf("%s is %02x:...:%02x\n", arg[0], arp->arp_sha[0], arp->arp_sha[5]);
			return;
		}
	printf("%s is none\n", arg[0]);
}

static void swap(void *a, void *b, size_t len)
{
	unsigned char buf[16];

	memcpy(buf, a, len);
	memcpy(a, b, len);
	memcpy(b, buf, len);
}

/* The checksum stays what it was: the sum is the same. */
static void answer(unsigned char *frame, size_t len)
{
	struct iphdr *ip = (struct iphdr *)(frame + link_bytes);
	struct ip6_hdr *ip6 = (struct ip6_hdr *)ip;
	struct udphdr *udp;

	if (ip->version == 4 && ip->protocol == IPPROTO_UDP) {
		udp = (struct udphdr *)((unsigned char *)ip + ip->ihl * 4);
		swap(&ip->saddr, &ip->daddr, 4);
	} else if (ip->version == 6 && ip6->ip6_nxt == IPPROTO_UDP) {
		udp = (struct udphdr *)(ip6 + 1);
		swap(&ip6->ip6_src, &ip6->ip6_dst, 16);
	} else {
		if (ip->version == 6 &&
		    (ip6->ip6_nxt == IPPROTO_ROUTING || ip6->ip6_nxt == IPPROTO_DSTOPTS))
			puts("extension");
		return;
	}
	swap(&udp->source, &udp->dest, 2);
	if (link_bytes)
		swap(frame, frame + ETH_ALEN, ETH_ALEN);
	put(frame, len);
}

static void word_echo(char **arg)
{
	unsigned char frame[65536];
	ssize_t len;

	(void)arg;
	while ((len = get(frame, sizeof(frame))) > 0)
		answer(frame, len);
	die("read");
}

/* goes by while it is down only */
static void word_type(char **arg)
{
	set_up(false);
	if (ioctl(tap, TUNSETLINK, strtoul(arg[0], NULL, 0)))
		die("TUNSETLINK");
	set_up(true);
}

static void word_byte(char **arg)
{
	unsigned char byte = strtoul(arg[0], NULL, 0);

	put(&byte, sizeof(byte));
}

static void word_say(char **arg)
{
	puts(arg[0]);
}

static void word_wait(char **arg)
{
	while (access(arg[0], F_OK))
		usleep(20000);
}

static const struct {
	const char *name;
	int n_args;
	void (*run)(char **arg);
} words[] = {
	{ "echo", 0, word_echo },
	{ "say", 1, word_say },
	{ "wait", 1, word_wait },
	{ "send", 6, word_send },
	{ "fuzz", 6, word_fuzz },
	{ "ask", 1, word_ask },
	{ "type", 1, word_type },
	{ "byte", 1, word_byte },
};

#define N_WORDS (sizeof(words) / sizeof(words[0]))

static void run(char **word)
{
	while (*word) {
		unsigned int i = 0;

		while (i < N_WORDS && strcmp(words[i].name, *word))
			i++;
		errno = EINVAL;
		if (i == N_WORDS)
			die(*word);
		words[i].run(word + 1);
		word += 1 + words[i].n_args;
	}
}

/* up, with an address of its own: only the stack uses it */
static void open_device(const char *kind, const char *name)
{
	bool is_tap = strstr(kind, "tap");
	struct ifreq request = { .ifr_flags = (is_tap ? IFF_TAP : IFF_TUN) | IFF_NO_PI };

	link_bytes = is_tap ? ETH_HLEN : 0;
	has_virtio = *kind == 'v';
	if (has_virtio)
		request.ifr_flags |= IFF_VNET_HDR;
	tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	strncpy(device, name, IFNAMSIZ - 1);
	memcpy(request.ifr_name, device, IFNAMSIZ);
	if (tap < 0 || ioctl(tap, TUNSETIFF, &request))
		die("TUNSETIFF");
	set_up(true);
}

static void plug(const char *file, const char *name)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, name, strlen(name)) < 0)
		die(file);
	close(fd);
}

static void take_device(void)
{
	const char *number = getenv("NETNICE_TAP");

	errno = ENOENT;
	if (!number)
		die("NETNICE_TAP");
	tap = atoi(number);
	link_bytes = ETH_HLEN;
}

int main(int argc, char **argv)
{
	setlinebuf(stdout);
	if (argc < 4) {
		fprintf(stderr, "usage: ustack tap|tun|vtap|vtun|given NAME FILE WORD...\n");
		return 2;
	}
	if (!strcmp(argv[1], "given"))
		take_device();
	else
		open_device(argv[1], argv[2]);
	if (*argv[3])
		plug(argv[3], argv[2]);
	puts("ready");
	run(argv + 4);
	return 0;
}
