// SPDX-License-Identifier: GPL-2.0
/* the words of kinds that are a network card: a guest's tap, or one by which frames are sent */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <netinet/if_ether.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

#define MAX_FRAME 65000

struct frame {
	struct ethhdr link;
	struct iphdr ip;
	struct udphdr udp;
	char payload[MAX_FRAME];
} __attribute__((packed));

static void open_tap(struct actor *a, short flags)
{
	struct ifreq request = { .ifr_flags = IFF_NO_PI | flags };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	strncpy(request.ifr_name, a->arg[0], IFNAMSIZ - 1);
	if (fd >= 0 && ioctl(fd, TUNSETIFF, &request))
		die("TUNSETIFF");
	opened(a, fd, "tap");
}

static void word_tap(struct actor *a)
{
	open_tap(a, IFF_TAP);
}

static void word_tun(struct actor *a)
{
	open_tap(a, IFF_TUN);
}

/* its packets may be large */
static void word_card(struct actor *a)
{
	const int header_bytes = sizeof(struct virtio_net_hdr);

	open_tap(a, IFF_TAP | IFF_VNET_HDR);
	/* it stays as it was for the one before */
	if (ioctl(current(a), TUNSETVNETHDRSZ, &header_bytes))
		die("card");
}

/* a packet socket, to which whole frames are written as to a tap */
static void word_link(struct actor *a)
{
	struct sockaddr_ll link = { .sll_family = AF_PACKET };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	link.sll_ifindex = if_nametoindex(a->arg[0]);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&link, sizeof(link)))
		die("link");
	opened(a, fd, "link");
}

static uint16_t checksum(const void *data, size_t len)
{
	const unsigned char *byte = data;
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i += 2)
		sum += byte[i] << 8 | byte[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return htons(~(sum + (sum >> 16)));
}

size_t frame_make(char **arg, void *to, size_t room)
{
	static const unsigned char guest[ETH_ALEN] = { 2, 0, 0, 0, 0, 9 };
	size_t bytes = atoi(arg[4]), len;
	struct frame frame = {
		.link.h_proto = htons(ETH_P_IP),
		.ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP },
	};
	unsigned int mac[ETH_ALEN];

	errno = EINVAL;
	if (bytes > sizeof(frame.payload) ||
	    sscanf(arg[0], "%x:%x:%x:%x:%x:%x", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4],
		   &mac[5]) != ETH_ALEN ||
	    inet_pton(AF_INET, arg[1], &frame.ip.saddr) != 1 ||
	    inet_pton(AF_INET, arg[2], &frame.ip.daddr) != 1)
		die("frame");
	for (int i = 0; i < ETH_ALEN; i++)
		frame.link.h_dest[i] = mac[i];
	memcpy(frame.link.h_source, guest, ETH_ALEN);
	len = sizeof(frame.udp) + bytes;
	frame.udp.source = frame.udp.dest = htons(atoi(arg[3]));
	frame.udp.len = htons(len);
	frame.ip.tot_len = htons(sizeof(frame.ip) + len);
	len += offsetof(struct frame, udp);
	frame.ip.check = checksum((char *)&frame + offsetof(struct frame, ip), sizeof(frame.ip));
	if (len > room)
		die("frame");
	memcpy(to, &frame, len);
	return len;
}

/* what a guest with this address would send */
static void word_frame(struct actor *a)
{
	char frame[sizeof(struct frame)];
	size_t len = frame_make(a->arg, frame, sizeof(frame));

	if (write(current(a), frame, len) != (ssize_t)len)
		die("frame");
}

/* a large packet of UDP, which is to be cut as what the virtio header says, true or not */
static void word_cut(struct actor *a)
{
	static const struct {
		const char *name;
		uint8_t type;
		uint16_t check;
	} types[] = {
		{ "ufo", VIRTIO_NET_HDR_GSO_UDP, offsetof(struct udphdr, check) },
		{ "tcp", VIRTIO_NET_HDR_GSO_TCPV4, 16 },
	};
	static struct {
		struct virtio_net_hdr virtio;
		char frame[sizeof(struct frame)];
	} __attribute__((packed)) packet;
	int type = !!strcmp(a->arg[0], types[0].name), start = atoi(a->arg[2]);
	size_t len = frame_make(a->arg + 3, packet.frame, sizeof(packet.frame));

	packet.virtio = (struct virtio_net_hdr) {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = types[type].type,
		.gso_size = atoi(a->arg[1]),
		.hdr_len = offsetof(struct frame, payload),
		.csum_start = start < 0 ? (int)len + start : start,
		.csum_offset = types[type].check,
	};
	len += sizeof(packet.virtio);
	if (write(current(a), &packet, len) != (ssize_t)len)
		die("cut");
}

/*
 * A large packet of TCP in a tunnel, whose inner IP header is, by the virtio header, at that place of
 * the frame. If the headers in front are TCP's, that is a lie.
 */
static void word_nested(struct actor *a)
{
	/* as in newer versions of virtio_net.h */
	static struct {
		struct virtio_net_hdr_v1 virtio;
		uint32_t hash[2];
		uint16_t outer_transport, inner_network;
		char frame[sizeof(struct frame)];
	} __attribute__((packed)) packet;
	const int header_bytes = offsetof(typeof(packet), frame), tunnel_ipv4 = 0x20;
	int inner = atoi(a->arg[2]);
	size_t len = frame_make(a->arg + 3, packet.frame, sizeof(packet.frame));
	struct frame *frame = (struct frame *)packet.frame;
	struct iphdr ip = frame->ip;
	struct tcphdr tcp = { .doff = sizeof(tcp) / 4 };

	if (inner + sizeof(ip) + sizeof(tcp) > len || ioctl(current(a), TUNSETVNETHDRSZ, &header_bytes))
		die("nested");
	ip.protocol = IPPROTO_TCP;
	memcpy(packet.frame + inner, &ip, sizeof(ip));
	memcpy(packet.frame + inner + sizeof(ip), &tcp, sizeof(tcp));
	if (!strcmp(a->arg[0], "tcp")) {
		frame->ip.protocol = IPPROTO_TCP;
		memcpy(&frame->udp, &tcp, sizeof(tcp));
	}
	frame->ip.check = 0;
	frame->ip.check = checksum(&frame->ip, sizeof(frame->ip));
	packet.virtio = (struct virtio_net_hdr_v1) {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_TCPV4 | tunnel_ipv4,
		.gso_size = atoi(a->arg[1]),
		.hdr_len = inner + sizeof(ip) + sizeof(tcp),
		.csum_start = inner + sizeof(ip),
		.csum_offset = offsetof(struct tcphdr, check),
	};
	packet.outer_transport = offsetof(struct frame, udp);
	packet.inner_network = inner;
	len += header_bytes;
	if (write(current(a), &packet, len) != (ssize_t)len)
		die("nested");
}

/* a frame of so many bytes that begins with these, in hexadecimal */
static void word_hex(struct actor *a)
{
	unsigned char frame[MAX_FRAME] = {};
	size_t len = atoi(a->arg[1]), n = strlen(a->arg[0]) / 2;

	errno = EINVAL;
	if (len > sizeof(frame) || n > len)
		die("hex");
	for (size_t i = 0; i < n; i++)
		if (sscanf(a->arg[0] + 2 * i, "%2hhx", &frame[i]) != 1)
			die("hex");
	if (write(current(a), frame, len) != (ssize_t)len && errno != ENOBUFS)
		die("hex");
}

/* until so many answers by UDP have come; the rest is of no interest */
static void word_answers(struct actor *a)
{
	struct frame frame;

	for (int left = atoi(a->arg[0]); left;) {
		if (read(current(a), &frame, sizeof(frame)) < 0)
			die("answers");
		left -= frame.link.h_proto == htons(ETH_P_IP) && frame.ip.protocol == IPPROTO_UDP;
	}
}

/**
 * struct shreds - fragments of a packet
 * @out: a packet socket, by which they leave
 * @to: where to
 * @ip: the packet's header
 * @header: how many bytes that has
 * @id: the packet's
 */
struct shreds {
	int out;
	struct sockaddr_ll to;
	const char *ip;
	size_t header;
	uint32_t id;
};

#define SHRED_BYTES 1400

/* @harm: what is wrong with the header: `sum' or `length' */
static void shred_send(const struct shreds *s, const char *data, size_t at, size_t len, bool more,
		       const char *harm)
{
	size_t said = len + 100 * !strcmp(harm, "length"), header = s->header;
	struct ip6_frag *fragment;
	struct ip6_hdr *ip6;
	char packet[2048];
	struct iphdr *ip;

	memcpy(packet, s->ip, header);
	if (header == sizeof(*ip)) {
		ip = (struct iphdr *)packet;
		ip->tot_len = htons(sizeof(*ip) + said);
		ip->id = htons(s->id);
		ip->frag_off = htons(at / 8 | (more ? 0x2000 : 0));
		ip->check = 0;
		ip->check = checksum(ip, sizeof(*ip)) ^ !strcmp(harm, "sum");
		header = sizeof(*ip);
	} else {
		ip6 = (struct ip6_hdr *)packet;
		fragment = (struct ip6_frag *)(ip6 + 1);
		*fragment = (struct ip6_frag) {
			.ip6f_nxt = ip6->ip6_nxt,
			.ip6f_offlg = htons(at | more),
			.ip6f_ident = htonl(s->id),
		};
		ip6->ip6_nxt = IPPROTO_FRAGMENT;
		ip6->ip6_plen = htons(sizeof(*fragment) + said);
		header += sizeof(*fragment);
	}
	memcpy(packet + header, data + at, len);
	if (sendto(s->out, packet, header + len, 0, (struct sockaddr *)&s->to, sizeof(s->to)) < 0)
		die("shred");
}

/* A packet's first fragment for another port. */
static void shred_send_decoy(const struct shreds *s, const char *data, size_t len, int port,
			     const char *harm)
{
	char decoy[2048];

	memcpy(decoy, data, len);
	decoy[2] = port >> 8;
	decoy[3] = port;
	shred_send(s, decoy, 0, len, true, harm);
}

/*
 * Forever, what is routed to a tun: of TCP and UDP all packets are cut. A decoy is sent as well:
 * behind the first fragment (`copy'), or before it, with a wrong header.
 */
static void word_shred(struct actor *a)
{
	size_t first = atoi(a->arg[2]), at, len;
	int decoy = strcmp(a->arg[3], "none"), copy = !strcmp(a->arg[3], "copy"), port = atoi(a->arg[4]);
	static char packet[MAX_FRAME];
	unsigned int mac[ETH_ALEN];
	struct shreds s = {
		.out = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
		.to = {
			.sll_family = AF_PACKET,
			.sll_ifindex = if_nametoindex(a->arg[0]),
			.sll_halen = ETH_ALEN,
		},
		.ip = packet,
	};
	struct timespec now;
	ssize_t n;

	/* datagrams of an earlier shred have other numbers, for a minute */
	clock_gettime(CLOCK_MONOTONIC, &now);
	s.id = now.tv_sec * 250 + now.tv_nsec / 4000000;
	if (sscanf(a->arg[1], "%x:%x:%x:%x:%x:%x", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4],
		   &mac[5]) != ETH_ALEN)
		die("shred");
	for (int i = 0; i < ETH_ALEN; i++)
		s.to.sll_addr[i] = mac[i];
	while ((n = read(current(a), packet, sizeof(packet))) > 0) {
		bool four = *packet >> 4 == 4;
		int protocol = packet[four ? 9 : 6];
		const char *data;

		s.header = four ? sizeof(struct iphdr) : sizeof(struct ip6_hdr);
		s.to.sll_protocol = htons(four ? ETH_P_IP : ETH_P_IPV6);
		s.id++;
		if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP)
			continue;
		data = packet + s.header;
		n -= s.header;
		if (decoy && !copy)
			shred_send_decoy(&s, data, first, port, a->arg[3]);
		for (at = 0; at < (size_t)n; at += len) {
			len = at ? SHRED_BYTES : first;
			if (len > n - at)
				len = n - at;
			shred_send(&s, data, at, len, at + len < (size_t)n, "");
			if (at || !copy)
				continue;
			/* a VIF may hold it */
			usleep(20000);
			shred_send_decoy(&s, data, first, port, "");
		}
	}
	die("shred");
}

const struct word tap_words[] = {
	{ "tap", 1, false, "DEVICE", word_tap },
	{ "card", 1, false, "DEVICE\tlike tap, for cut", word_card },
	{ "cut", 8, false, "ufo|tcp SIZE START MAC FROM TO PORT BYTES\tUDP, the checksum from START on",
	  word_cut },
	{ "nested", 8, false, "udp|tcp SIZE INNER MAC FROM TO PORT BYTES\tin a tunnel, if it is true",
	  word_nested },
	{ "tun", 1, false, "DEVICE\tfor shred", word_tun },
	{ "shred", 5, false, "DEVICE MAC BYTES none|copy|sum|length PORT\tin fragments, and decoys", word_shred },
	{ "link", 1, false, "DEVICE\tby a packet socket", word_link },
	{ "hex", 2, false, "HEXADECIMAL BYTES\ta frame", word_hex },
	{ "frame", 5, false, "MAC FROM TO PORT BYTES\tUDP", word_frame },
	{ "answers", 1, false, "COUNT", word_answers },
	{}
};
