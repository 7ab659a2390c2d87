/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hints: the VIF that a socket's packets were found to belong to a moment ago, so that
 * it need not be found again for each.
 *
 * Each CPU has its own, a few sockets' that used it last, and drops one at the next
 * change that concerns it (see genid.h): a hint says what vif_resolve() would say now.
 */
#ifndef NETNICE_VIF_HINT_H
#define NETNICE_VIF_HINT_H

#include <linux/percpu.h>
#include <linux/sched.h>
#include <net/sock.h>

#include "../tree/dev.h"
#include "../tree/genid.h"
#include "../tree/vif.h"
#include "sock_trail.h"

#define VIF_HINTS	256

/* In struct vif_hint.sender */
#define VIF_HINT_THREAD	1UL

/**
 * struct vif_hint - a socket's packets go by a VIF
 * @cookie: the socket's, 0 for none
 * @genid: as long as it holds, all that follows is valid inside RCU
 * @vdev: on this device; an address to compare
 * @sender: if a thread of the process with this leader sends; or, with VIF_HINT_THREAD, this
 *	thread; an address to compare; 0 for nobody
 * @since: when that began, as others may have its address later
 * @vif: the VIF
 * @trail: of the socket's record
 */
struct vif_hint {
	u64 cookie;
	struct vif_genid genid;
	const struct vif_dev *vdev;
	unsigned long sender;
	u64 since;
	struct vif *vif;
	struct vif_sock_trail *trail;
} __aligned(64);

struct vif_hints {
	struct vif_hint hint[VIF_HINTS];
};

extern struct vif_hints __percpu *vif_hints;

/* Does the running task send as whoever a hint is for? */
static inline bool vif_hint_is_sender(const struct vif_hint *hint)
{
	const struct task_struct *leader = current->group_leader;

	if (likely(hint->sender == (unsigned long)leader))
		return hint->since == leader->start_boottime;
	return hint->sender == ((unsigned long)current | VIF_HINT_THREAD) &&
	       hint->since == current->start_boottime;
}

/**
 * vif_hint_find() - by which VIF does a socket's packet go?
 * @vdev: the device
 * @sk: a full socket
 * @sent: the running task sends it
 * @dir: direction
 *
 * Context: packet, BH disabled, inside RCU.
 * Return: valid inside RCU; NULL if that has to be found, and be noted.
 */
static inline struct vif *vif_hint_find(const struct vif_dev *vdev,
					const struct sock *sk, bool sent,
					enum vif_dir dir)
{
	u64 cookie = atomic64_read(&sk->sk_cookie);
	const struct vif_hint *hint;

	/* what is not used is of no device: there is none for 0 */
	hint = &this_cpu_ptr(vif_hints)->hint[cookie % VIF_HINTS];
	if (hint->cookie != cookie || hint->vdev != vdev ||
	    !vif_genid_holds(&hint->genid, &vdev->genid, cookie))
		return NULL;
	if (sent && !vif_hint_is_sender(hint))
		return NULL;
	return vif_sock_went_by(hint->trail, hint->vif, dir) ? hint->vif : NULL;
}

/**
 * vif_hint_note() - keep what was found
 * @cookie: the socket's, as it was before; 0 is not kept
 * @genid: begun before anything was looked at, and be it who sends
 * @vif: the VIF
 * @trail: of the socket's record
 * @sent: the running task sends by it
 *
 * Context: packet, BH disabled, inside RCU.
 */
void vif_hint_note(u64 cookie, const struct vif_genid *genid, struct vif *vif,
		   struct vif_sock_trail *trail, bool sent);

int vif_hint_init(void);

/* Context: process; no packet can come any more. */
void vif_hint_exit(void);

#endif
