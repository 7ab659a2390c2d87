/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IPsec: what a device has received encrypted the kernel sees twice, and is to be counted
 * once, as what it is: by what was inside, where this is for the device itself. In tunnel
 * mode the device receives that again; in transport mode it only passes netfilter's
 * hooks. Without a state that could decrypt it a packet is one like others; but one that a
 * state then finds to be forged has not been counted.
 */
#ifndef NETNICE_VIF_IPSEC_H
#define NETNICE_VIF_IPSEC_H

#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>

#ifdef CONFIG_XFRM

int vif_ipsec_init(void);
void vif_ipsec_exit(void);

/* Has the namespace any state by which packets are encrypted or decrypted? */
static inline bool vif_ipsec_any(const struct sk_buff *skb)
{
	return unlikely(READ_ONCE(dev_net(skb->dev)->xfrm.state_num));
}

/**
 * vif_ipsec_is_outer() - will what is inside a packet be seen, too?
 * @skb: at its device's ingress hook
 * @inner: for what is decrypted in transport mode, see VIF_LATE_RECEIVED. Until it is there,
 *	such packets are like any other.
 *
 * Context: packet, caller holds rcu_read_lock().
 */
bool vif_ipsec_is_outer(struct sk_buff *skb, nf_hookfn *inner);

/* Has it been decrypted, in transport mode last? */
bool vif_ipsec_is_inner(const struct sk_buff *skb);

#else

static inline int vif_ipsec_init(void)
{
	return 0;
}

static inline void vif_ipsec_exit(void)
{
}

static inline bool vif_ipsec_any(const struct sk_buff *skb)
{
	return false;
}

static inline bool vif_ipsec_is_outer(struct sk_buff *skb, nf_hookfn *inner)
{
	return false;
}

static inline bool vif_ipsec_is_inner(const struct sk_buff *skb)
{
	return false;
}

#endif

#endif
