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
 * @bytes: the packet from its IP header on, from an untrusted sender
 * @count: number of bytes
 * @is_answer: the packet is from a server; otherwise it is to a server
 * @ends: result
 * @message: result: the message in @bytes. With TCP, only a message that begins a segment and is
 *	whole is found.
 *
 * Return: its length, or 0.
 */
size_t packet_read(const uint8_t *bytes, size_t count, bool is_answer, struct packet_ends *ends,
		   const uint8_t **message);

#endif
