/* SPDX-License-Identifier: GPL-2.0 */
/* The end of subjects, and of devices that they are attached on. */
#ifndef NETNICE_VIF_SUBJECT_END_H
#define NETNICE_VIF_SUBJECT_END_H

#include "subject.h"

/**
 * vif_subject_when_gone() - have something done for each entry that ends
 * @fn: called in process context, before the entry's VIFs may go
 *
 * Context: process, before there is any.
 */
void vif_subject_when_gone(void (*fn)(struct vif_subject *subject));

/* Ends all entries. Context: process; no event can come any more. */
void vif_subject_exit(void);

/**
 * vif_subject_end() - a subject is gone
 * @kind: its kind
 * @key: its address
 *
 * Its entry, if any, leaves the table; a work item does the rest.
 * Context: any, also as a tracepoint's probe.
 */
void vif_subject_end(enum vif_kind kind, const void *key);

/**
 * vif_subject_retire() - end a subject's attachments, but keep its entry for later packets
 * @kind: its kind
 * @key: its address
 *
 * The entry stays until vif_subject_end().
 * Context: any, also as a tracepoint's probe.
 */
void vif_subject_retire(enum vif_kind kind, const void *key);

/**
 * vif_subject_retire_now() - the same of a socket's, which has sent what may still wait
 * @id: the socket
 * @vdev: a device
 * @was: result: what it was attached to there
 *
 * The entry stays until the socket is closed, and nothing has it any more, or 10 s have passed.
 * Context: process; takes the attach mutex.
 */
void vif_subject_retire_now(const struct vif_subject_id *id, const struct vif_dev *vdev,
			    struct vif *was[VIF_ORIGINS]);

/* Have all attachments to devices that have gone be forgotten, soon. Context: any. */
void vif_subject_forget_gone(void);

#endif
