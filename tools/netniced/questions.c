// SPDX-License-Identifier: GPL-2.0
#include "questions.h"

#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "netlink.h"

/* Questions that are waited for, and how long */
#define PLACES		256
#define WAIT_NS		(10 * SECOND_NS)

/*
 * The sender of a question. A user of the host is identified by the socket of the question. If the
 * socket is not known, for example in a container, the source address counts.
 */
struct asker {
	uint32_t uid;
	uint8_t address[16];
};

#define NO_UID		UINT32_MAX

#define REQUEST_BYTES	256

struct question {
	struct packet_ends ends;
	struct asker asker;
	unsigned int device;
	uint16_t id;
	uint16_t type;
	uint64_t until;		/* 0: the place is free */
	char name[NS_MAXDNAME];
};

static struct question questions[PLACES];

/* --- senders of questions ------------------------------------------------------------ */

static int take_socket(const struct nlmsghdr *answer, void *uid)
{
	const struct inet_diag_msg *socket = mnl_nlmsg_get_payload(answer);

	if (mnl_nlmsg_get_payload_len(answer) >= sizeof(*socket))
		*(uint32_t *)uid = socket->idiag_uid;
	return MNL_CB_OK;
}

/* Of UDP the kernel takes the ends the other way round. */
static void put_ends(struct inet_diag_req_v2 *request, const struct packet_ends *ends)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const bool is_4 = !memcmp(ends->client, mapped, sizeof(mapped));
	const bool is_swapped = ends->protocol == IPPROTO_UDP;
	const size_t skipped = is_4 ? sizeof(mapped) : 0;
	struct inet_diag_sockid *id = &request->id;

	request->sdiag_family = is_4 ? AF_INET : AF_INET6;
	memcpy(is_swapped ? id->idiag_dst : id->idiag_src, ends->client + skipped, 16 - skipped);
	memcpy(is_swapped ? id->idiag_src : id->idiag_dst, ends->server + skipped, 16 - skipped);
	id->idiag_sport = htons(is_swapped ? 53 : ends->port);
	id->idiag_dport = htons(is_swapped ? ends->port : 53);
}

static struct asker find_asker(const struct packet_ends *ends, unsigned int device)
{
	static struct mnl_socket *sock;
	struct asker asker = { .uid = NO_UID };
	char buf[REQUEST_BYTES] __attribute__((aligned(NLMSG_ALIGNTO))) = { 0 };
	struct nlmsghdr *message = mnl_nlmsg_put_header(buf);
	struct inet_diag_req_v2 *request;

	if (!sock)
		sock = netlink_open(NETLINK_SOCK_DIAG, 0, 0);
	message->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	request = mnl_nlmsg_put_extra_header(message, sizeof(*request));
	request->sdiag_protocol = ends->protocol;
	request->idiag_states = ~0U;
	put_ends(request, ends);
	request->id.idiag_if = device;
	request->id.idiag_cookie[0] = request->id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	if (sock)
		netlink_ask(sock, message, NLM_F_ACK, take_socket, &asker.uid);
	if (asker.uid == NO_UID)
		memcpy(asker.address, ends->client, sizeof(asker.address));
	return asker;
}

/* --- places -------------------------------------------------------------------------- */

static bool is_waited_for(const struct question *question, uint64_t now)
{
	return question->until >= now;
}

static bool is_same_asker(const struct question *a, const struct question *b)
{
	return !memcmp(&a->asker, &b->asker, sizeof(a->asker));
}

static unsigned int count_of(const struct question *question)
{
	unsigned int count = 0;

	for (size_t i = 0; i < PLACES; i++)
		count += questions[i].until && is_same_asker(&questions[i], question);
	return count;
}

/* All are in use: the oldest of the asker that has most. */
static struct question *find_oldest(void)
{
	struct question *found = NULL;
	unsigned int most = 0, count;

	for (size_t i = 0; i < PLACES; i++) {
		struct question *question = &questions[i];

		count = count_of(question);
		if (count > most || (count == most && question->until < found->until)) {
			most = count;
			found = question;
		}
	}
	return found;
}

static struct question *find_place(uint64_t now)
{
	for (size_t i = 0; i < PLACES; i++)
		if (!is_waited_for(&questions[i], now))
			return &questions[i];
	return find_oldest();
}

static bool is_question(const struct question *question, const struct packet_ends *ends,
			unsigned int device, const struct dns *dns)
{
	return question->device == device && question->id == dns->id &&
	       question->type == dns->type && !memcmp(&question->ends, ends, sizeof(*ends)) &&
	       !strcasecmp(question->name, dns->name);
}

static struct question *find(const struct packet_ends *ends, unsigned int device,
			     const struct dns *dns, uint64_t now)
{
	for (size_t i = 0; i < PLACES; i++)
		if (is_waited_for(&questions[i], now) &&
		    is_question(&questions[i], ends, device, dns))
			return &questions[i];
	return NULL;
}

/* A repeated question has the same place. */
void questions_add(const struct packet_ends *ends, unsigned int device, const struct dns *dns)
{
	const uint64_t now = clock_ns(CLOCK_BOOTTIME);
	struct question *question = find(ends, device, dns, now);

	if (!question) {
		question = find_place(now);
		*question = (struct question) {
			.ends = *ends, .asker = find_asker(ends, device), .device = device,
			.id = dns->id, .type = dns->type,
		};
		strcpy(question->name, dns->name);
	}
	question->until = now + WAIT_NS;
}

bool questions_take(const struct packet_ends *ends, unsigned int device, const struct dns *dns)
{
	struct question *question = find(ends, device, dns, clock_ns(CLOCK_BOOTTIME));

	if (question)
		question->until = 0;
	return question;
}
