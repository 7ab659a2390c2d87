/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for socket records. It is allocated before their lock is taken, and charged to the control
 * group of the running task, except in a softirq. If no memory can be allocated (raw.h), uncharged
 * spares are used.
 */
#ifndef NETNICE_VIF_SOCK_MEMORY_H
#define NETNICE_VIF_SOCK_MEMORY_H

#include <linux/types.h>

/* A record, its payer, and a listener's leaf of slots. */
enum vif_sock_item {
	VIF_SOCK_RECORD,
	VIF_SOCK_PAYER,
	VIF_SOCK_LEAF,
	VIF_SOCK_ITEMS
};

/**
 * struct vif_sock_memory - memory allocated for a change
 * @item: one of each kind, or NULL
 * @refused: memory was refused: no spare is used either, to keep the bound
 */
struct vif_sock_memory {
	void *item[VIF_SOCK_ITEMS];
	bool refused;
};

/* Have one. Context: any in which the lock of socket records is not held. */
void vif_sock_memory_get(struct vif_sock_memory *memory, enum vif_sock_item item);

/* Zeroed, or a spare, or NULL. Caller holds the lock of socket records. */
void *__vif_sock_memory_take(struct vif_sock_memory *memory, enum vif_sock_item item);

/* Free unused memory. Context: as vif_sock_memory_get(). */
void vif_sock_memory_put(struct vif_sock_memory *memory);

/* Spares. Context: process. */
void vif_sock_memory_init(void);

/* Context: process; there are no records any more, and no new ones. */
void vif_sock_memory_exit(void);

#endif
