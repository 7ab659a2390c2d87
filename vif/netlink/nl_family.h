/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family: what there is, and what happens, for programs. It only
 * reads; uapi/linux/netnice_netlink.h describes it.
 */
#ifndef NETNICE_VIF_NL_FAMILY_H
#define NETNICE_VIF_NL_FAMILY_H

int nn_nl_init(void);
void nn_nl_exit(void);

#endif
