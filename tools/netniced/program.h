/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that rule files give to VIFs. They are of eBPF, pinned below /sys/fs/bpf/netnice, each
 * VIF's in a folder of its own, with its table of names.
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
