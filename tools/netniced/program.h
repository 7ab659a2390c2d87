/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programs that rule files give to VIFs. They are eBPF programs, pinned below
 * /sys/fs/bpf/netnice. Each VIF has a folder there, with its program and its table of names.
 */
#ifndef NETNICED_PROGRAM_H
#define NETNICED_PROGRAM_H

#include "rules.h"

/*
 * Give all programs to the existing VIFs, and follow their names. Remove programs that this daemon,
 * or an earlier one, has given, and that @rules do not have. Print a message for each failure.
 */
void programs_update(const struct rules *rules);

/* The same for the VIFs of one device, which is new, without removing programs. */
void programs_update_device(const struct rules *rules, const char *device);

#endif
