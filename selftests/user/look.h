/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is seen by looking at every node of a world: who could be drained, and
 * whether the core agrees.
 */
#ifndef LAB_LOOK_H
#define LAB_LOOK_H

#include "world.h"

/* Find out who is ready, by the model. */
void look_ready(struct world *w);

/* Before vsched_pick(). */
void look_before(struct world *w);

/* Tell the fluid who is active now. */
void look_sync(struct world *w);

/* After vsched_pick() has said that @node is next, or that none is. */
void look_picked(struct world *w, struct world_node *node);

/* After a packet of @node has left: is everybody near the fluid? */
void look_lags(struct world *w, const struct world_node *node);

/* At any time: states, vsched_next_ns(). */
void look_around(struct world *w);

/* At any time: the core's own data. */
void look_inside(const struct world *w);

#endif
