/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recent questions that have left the host for one of its resolvers and are not answered yet. Their
 * number is bounded. At the bound, a new question replaces the oldest question of the user with
 * most questions. So a user cannot displace questions of a user who has fewer.
 */
#ifndef NETNICED_QUESTIONS_H
#define NETNICED_QUESTIONS_H

#include <stdbool.h>

#include "dns.h"
#include "packet.h"

/* Store a question that was sent by @device. */
void questions_add(const struct packet_ends *ends, unsigned int device, const struct dns *dns);

/*
 * Is an answer, received by @device, the first answer to a question that was sent by the same
 * device, with the same endpoints, number and name?
 */
bool questions_take(const struct packet_ends *ends, unsigned int device, const struct dns *dns);

#endif
