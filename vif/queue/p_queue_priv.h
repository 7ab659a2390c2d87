/* SPDX-License-Identifier: GPL-2.0 */
/* Flows, for those who choose of which one packets go: making room, CoDel. */
#ifndef NETNICE_VIF_P_QUEUE_PRIV_H
#define NETNICE_VIF_P_QUEUE_PRIV_H

#include "p_queue_types.h"

/* Drop many packets at once, up to half of a flow. */
void p_queue_drop_some(struct p_queue_pool *pool, struct fq_flow *flow);

/* A flow's next packet, or NULL. Inside a call of the library. */
struct sk_buff *p_queue_next(struct p_queue_pool *pool, struct p_queue *queue,
			     struct fq_flow *flow);

#endif
