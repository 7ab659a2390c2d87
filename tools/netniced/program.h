/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programs that rule files give to VIFs. They are eBPF programs, pinned below
 * /sys/fs/bpf/netnice. Each VIF has a folder there, with its program and its table of names.
 */
#ifndef NETNICED_PROGRAM_H
#define NETNICED_PROGRAM_H

#include "rules.h"

/*
 * Gives all programs to the VIFs that are there, follows their names, and takes those away
 * that this daemon, or one before it, has given, and @rules do not have. What fails is said.
 */
void programs_update(const struct rules *rules);

/* Gives those of VIFs of one device, which has just come, and follows their names. */
void programs_update_device(const struct rules *rules, const char *device);

#endif
