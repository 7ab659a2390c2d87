/* SPDX-License-Identifier: GPL-2.0 */
/* Programs and filters that may redirect what a device receives, past hooks of other devices. */
#ifndef NETNICE_REDIRECT_H
#define NETNICE_REDIRECT_H

#include <stdbool.h>

/*
 * Whether a program of BPF, or a filter of tc(8), decides about packets that a device receives, or that the other
 * end of a netkit sends. It need not redirect any. False also if the kernel refuses to say so.
 */
bool redirect_is_possible(unsigned int ifindex);

#endif
