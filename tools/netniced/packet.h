/* SPDX-License-Identifier: GPL-2.0 */
/* DNS packets: endpoints and message. */
#ifndef NETNICED_PACKET_H
#define NETNICED_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* IPv4 as ::ffff:a.b.c.d; no padding: compared as bytes. */
struct packet_ends {
	uint8_t server[16];
	uint8_t client[16];
	uint16_t port;		/* the client's */
	uint16_t protocol;
};

/**
 * packet_read - find a message of DNS in a packet
 * @bytes: from its IP header on, from an untrusted sender
 * @count: how many
 * @is_answer: whether it is from a server; or else to one
 * @ends: result
 * @message: result: where it is; by TCP it is one that a segment has all of, at its beginning
 *
 * Return: its length, or 0.
 */
size_t packet_read(const uint8_t *bytes, size_t count, bool is_answer, struct packet_ends *ends,
		   const uint8_t **message);

#endif
