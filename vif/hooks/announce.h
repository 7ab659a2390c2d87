/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the sockets of this host announce to those who send to them by TCP, where what is
 * received is limited: not more than window.h says.
 *
 * It is changed in the packets that leave, and nowhere else. The socket knows nothing of
 * it: what it announces goes out as it is once there is no limit any more. It announces at
 * least what we do, so it takes all that comes.
 */
#ifndef NETNICE_VIF_ANNOUNCE_H
#define NETNICE_VIF_ANNOUNCE_H

#include <net/sock.h>

#include "../attach/classify.h"
#include "../queue/window.h"

struct sk_buff;
struct vif;
struct vif_dev;

/* May it announce a window? What is no full socket is TCP's. */
static __always_inline bool vif_may_announce(const struct sock *sk)
{
	return vif_windows_any() &&
	       (!vif_classify_is_full(sk) || sk->sk_protocol == IPPROTO_TCP);
}

/**
 * vif_announce() - a packet leaves
 * @vdev: by this device
 * @vif: whose it is, with a program by what that says of it
 * @sk: its vif_classify_sender()
 * @skb: the packet; its header may be written to
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 */
void vif_announce(struct vif_dev *vdev, struct vif *vif, const struct sock *sk,
		  struct sk_buff *skb);

#endif
