// SPDX-License-Identifier: GPL-2.0
/*
 * An answer is accepted if its question was seen before: it left the host for one of the host's
 * resolvers, by the device through which the host reaches that resolver, and the answer came by the
 * same device, with the same endpoints, number and name. A container answers by a device of its
 * own, whatever address it uses, and a user's own server is reached through another device. So
 * forging an answer is as hard for a stranger as deceiving the resolver's client itself.
 */
#include "names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"
#include "bpf.h"
#include "clock.h"
#include "dns.h"
#include "log.h"
#include "packet.h"
#include "questions.h"
#include "resolver.h"
#include "translate.h"

/* Packets that are read in one turn; then other sources have their turn. */
#define MOST		64

/* The longest that an answer is believed */
#define LONGEST_NS	(86400 * SECOND_NS)

static int capture = -1;

/* --- names --- */

/* Entries of one table follow each other. */
struct followed {
	char device[IF_NAMESIZE];
	char *name;
	uint64_t hash;
	int table;
};

static struct followed *followed;
static size_t count;

void names_follow(const struct words *names, const char *device, int table)
{
	for (size_t i = 0; i < names->count; i++) {
		struct followed *one = array_add(&followed, &count, sizeof(*one));

		if (!one)
			abort();
		*one = (struct followed) {
			.name = strdup(names->word[i]), .hash = name_hash(names->word[i]),
			.table = table,
		};
		if (!one->name)
			abort();
		strcpy(one->device, device);
	}
}

void names_forget(const char *device)
{
	size_t kept = 0;
	int closed = -1;

	for (size_t i = 0; i < count; i++) {
		if (device && strcmp(followed[i].device, device)) {
			followed[kept++] = followed[i];
			continue;
		}
		if (followed[i].table != closed)
			close(followed[i].table);
		closed = followed[i].table;
		free(followed[i].name);
	}
	count = kept;
	if (count)
		return;
	free(followed);
	followed = NULL;
}

bool names_any(void)
{
	return count;
}

/* "*.example.org" is any name below that. What is no host's name has a backslash in it. */
static bool is_meant(const char *wanted, const char *name)
{
	const size_t length = strlen(name), tail = strlen(wanted + 1);

	if (strchr(name, '\\'))
		return false;
	if (*wanted != '*')
		return !strcasecmp(wanted, name);
	return length > tail && !strcasecmp(wanted + 1, name + length - tail);
}

static bool is_any_meant(const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (is_meant(followed[i].name, name))
			return true;
	return false;
}

/* --- answers --- */

/* Never shorter than it was. */
static void put(const struct followed *one, const uint8_t address[16], uint64_t until)
{
	struct bpf_name name = { .name = one->hash };
	uint64_t before;

	memcpy(name.address, address, sizeof(name.address));
	if (!bpf_table_find(one->table, &name, &before) && before >= until)
		return;
	if (bpf_table_put(one->table, &name, until))
		log_say(LOG_WARN, "name %s: an address could not be kept: %s", one->name,
			strerror(errno));
}

static void take_address(const uint8_t address[16], uint32_t seconds, void *arg)
{
	const struct dns *dns = arg;
	uint64_t ns = seconds * SECOND_NS;

	if (ns < NAME_LEAST_NS)
		ns = NAME_LEAST_NS;
	if (ns > LONGEST_NS)
		ns = LONGEST_NS;
	for (size_t i = 0; i < count; i++)
		if (is_meant(followed[i].name, dns->name))
			put(&followed[i], address, clock_ns(CLOCK_BOOTTIME) + ns);
}

/* --- packets --- */

static void read_packet(const uint8_t *bytes, size_t length, unsigned int device, bool is_answer)
{
	struct packet_ends ends;
	const uint8_t *message;
	struct dns dns;

	length = packet_read(bytes, length, is_answer, &ends, &message);
	if (!length || !dns_read(&dns, message, length) || dns.is_answer != is_answer)
		return;
	if (is_answer) {
		if (questions_take(&ends, device, &dns))
			dns_addresses(&dns, take_address, &dns);
	} else if (is_any_meant(dns.name) && resolver_device(ends.server) == device) {
		questions_add(&ends, device, &dns);
	}
}

/* A packet that the host sends is a question. A packet that it receives is an answer. */
void names_read(void)
{
	static uint8_t bytes[65536];
	struct sockaddr_ll from;
	socklen_t size;
	ssize_t length;

	for (int i = 0; i < MOST; i++) {
		size = sizeof(from);
		length = recvfrom(capture, bytes, sizeof(bytes), MSG_TRUNC,
				  (struct sockaddr *)&from, &size);
		if (length < 0)
			return;
		if ((size_t)length <= sizeof(bytes) &&
		    (from.sll_pkttype == PACKET_OUTGOING || from.sll_pkttype == PACKET_HOST))
			read_packet(bytes, length, from.sll_ifindex,
				    from.sll_pkttype == PACKET_HOST);
	}
}

static int set_filter(int fd)
{
	char why[EXPRESSION_WHY];
	struct sock_fprog filter;
	struct insns insns;
	int ret;

	if (expression_compile("udp port 53 or tcp port 53", &insns, NULL, why)) {
		errno = EINVAL;
		return -1;
	}
	filter = (struct sock_fprog) { .len = insns.count, .filter = insns.insn };
	ret = setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
	free(insns.insn);
	return ret;
}

/* Without a protocol it gets nothing, until it is bound: then it has its filter. */
int names_open(void)
{
	struct sockaddr_ll all = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
	};

	if (capture >= 0)
		return capture;
	capture = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (capture >= 0 && !set_filter(capture) &&
	    !bind(capture, (struct sockaddr *)&all, sizeof(all)))
		return capture;
	log_say(LOG_ERROR, "names cannot be followed: packet socket: %s", strerror(errno));
	names_close();
	return -1;
}

void names_close(void)
{
	if (capture >= 0)
		close(capture);
	capture = -1;
}
