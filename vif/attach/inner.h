/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The packet in a packet, of tunnels that do not encrypt: IP in IP, GRE, VXLAN, Geneve.
 */
#ifndef NETNICE_VIF_INNER_H
#define NETNICE_VIF_INNER_H

#include <linux/skbuff.h>

/**
 * vif_inner_find() - where the IP header in a tunnel's packet is
 * @skb: a received packet, at its network header
 * @protocol: result: ETH_P_IP or ETH_P_IPV6
 *
 * VXLAN and Geneve are known by their usual ports.
 * Context: packet.
 * Return: its offset from skb->data, 0 if there is none.
 */
unsigned int vif_inner_find(const struct sk_buff *skb, __be16 *protocol);

#endif
