// SPDX-License-Identifier: GPL-2.0
#include "packet.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <string.h>

#define DNS_PORT	53

/* The known part of a packet; @at: the next byte, @left: number of bytes from there on */
struct packet {
	const uint8_t *at;
	size_t left;
	uint8_t from[16], to[16];
	uint16_t protocol;
};

static bool skip(struct packet *packet, size_t bytes)
{
	if (bytes > packet->left)
		return false;
	packet->at += bytes;
	packet->left -= bytes;
	return true;
}

/* Bytes behind the end of the IP packet belong to the link. */
static bool cut(struct packet *packet, size_t bytes)
{
	if (bytes > packet->left)
		return false;
	packet->left = bytes;
	return true;
}

static void map(uint8_t to[16], const struct in_addr *from)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	memcpy(to, mapped, sizeof(mapped));
	memcpy(to + sizeof(mapped), from, sizeof(*from));
}

static bool read_ip4(struct packet *packet)
{
	struct ip ip;

	if (packet->left < sizeof(ip))
		return false;
	memcpy(&ip, packet->at, sizeof(ip));
	map(packet->from, &ip.ip_src);
	map(packet->to, &ip.ip_dst);
	packet->protocol = ip.ip_p;
	return ip.ip_hl >= 5 && !(ntohs(ip.ip_off) & (IP_MF | IP_OFFMASK)) &&
	       cut(packet, ntohs(ip.ip_len)) && skip(packet, ip.ip_hl * 4);
}

static bool read_ip6(struct packet *packet)
{
	struct ip6_hdr ip6;

	if (packet->left < sizeof(ip6))
		return false;
	memcpy(&ip6, packet->at, sizeof(ip6));
	memcpy(packet->from, &ip6.ip6_src, 16);
	memcpy(packet->to, &ip6.ip6_dst, 16);
	packet->protocol = ip6.ip6_nxt;
	return skip(packet, sizeof(ip6)) && cut(packet, ntohs(ip6.ip6_plen));
}

/* Both protocols begin with the ports. */
static bool read_ports(const struct packet *packet, uint16_t *from, uint16_t *to)
{
	uint16_t ports[2];

	if (packet->left < sizeof(ports))
		return false;
	memcpy(ports, packet->at, sizeof(ports));
	*from = ntohs(ports[0]);
	*to = ntohs(ports[1]);
	return true;
}

static bool read_udp(struct packet *packet)
{
	struct udphdr udp;

	if (packet->left < sizeof(udp))
		return false;
	memcpy(&udp, packet->at, sizeof(udp));
	return cut(packet, ntohs(udp.len)) && skip(packet, sizeof(udp));
}

static bool read_tcp(struct packet *packet)
{
	struct tcphdr tcp;
	uint16_t length;

	if (packet->left < sizeof(tcp))
		return false;
	memcpy(&tcp, packet->at, sizeof(tcp));
	if (!skip(packet, tcp.doff * 4) || packet->left < sizeof(length))
		return false;
	memcpy(&length, packet->at, sizeof(length));
	return skip(packet, sizeof(length)) && cut(packet, ntohs(length));
}

size_t packet_read(const uint8_t *bytes, size_t count, bool is_answer, struct packet_ends *ends,
		   const uint8_t **message)
{
	struct packet packet = { .at = bytes, .left = count };
	const int version = count ? *bytes >> 4 : 0;
	uint16_t from, to;

	if (!(version == 4 ? read_ip4(&packet) : version == 6 && read_ip6(&packet)) ||
	    !read_ports(&packet, &from, &to) || (is_answer ? from : to) != DNS_PORT)
		return 0;
	memcpy(ends->server, is_answer ? packet.from : packet.to, 16);
	memcpy(ends->client, is_answer ? packet.to : packet.from, 16);
	ends->port = is_answer ? to : from;
	ends->protocol = packet.protocol;
	if (!(packet.protocol == IPPROTO_UDP ? read_udp(&packet) :
	      packet.protocol == IPPROTO_TCP && read_tcp(&packet)))
		return 0;
	*message = packet.at;
	return packet.left;
}
