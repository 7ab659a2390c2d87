/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Questions that have been seen to leave the host for one of its resolvers, a moment ago, and
 * have no answer yet. There are so many places for all. When they are used up, a new question
 * takes the place of the oldest one of the user that has most, so that a user cannot push out
 * the questions of another one that has fewer.
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
