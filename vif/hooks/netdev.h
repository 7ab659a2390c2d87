/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Network devices as they come, go up and down, and go: their trees are made and ended
 * with them, and the hooks registered while a tree is in use, and a second longer.
 */
#ifndef NETNICE_VIF_NETDEV_H
#define NETNICE_VIF_NETDEV_H

struct net;

/*
 * The devices of a network namespace have VIFs from now on; see vif_net_admits(), which the
 * caller has asked. Context: process; takes RTNL and the tree mutex.
 */
void vif_netdev_admit(struct net *net);

int vif_netdev_init(void);
void vif_netdev_exit(void);

#endif
