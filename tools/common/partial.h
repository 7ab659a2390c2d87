/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of which only a part is known, and whether an expression can be true of them. */
#ifndef NETNICE_PARTIAL_H
#define NETNICE_PARTIAL_H

#include <netinet/in.h>
#include <stdbool.h>

#include "expression.h"

/**
 * struct partial - what is known of a packet
 * @byte: the packet from its IP header on
 * @is_known: which of these bytes are known
 */
struct partial {
	uint8_t byte[sizeof(struct in6_addr) * 2 + 8];
	bool is_known[sizeof(struct in6_addr) * 2 + 8];
};

/**
 * partial_init - make a packet of which the family is known
 * @packet: the packet
 * @family: AF_INET or AF_INET6; its header has no options
 */
void partial_init(struct partial *packet, int family);

/* Set an address of the packet, a struct in_addr or in6_addr. */
void partial_set_source(struct partial *packet, const void *address);
void partial_set_destination(struct partial *packet, const void *address);

/* Set the protocol, IPPROTO_*. */
void partial_set_protocol(struct partial *packet, uint8_t protocol);

/* Is the expression true of a packet with these bytes, whatever its other bytes are? */
bool partial_can_match(const struct insns *insns, const struct partial *packet);

#endif
