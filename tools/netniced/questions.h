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

/* Keeps one, which went out by @device. */
void questions_add(const struct packet_ends *ends, unsigned int device, const struct dns *dns);

/*
 * Whether an answer, which came by @device, is the first one to a question that went out by
 * the same device, between the same ends, with the same number, about the same name.
 */
bool questions_take(const struct packet_ends *ends, unsigned int device, const struct dns *dns);

#endif
