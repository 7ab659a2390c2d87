/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names in rules, and the tables of their addresses. They are updated from the answers of the
 * host's resolvers, on any device of the host.
 */
#ifndef NETNICED_NAMES_H
#define NETNICED_NAMES_H

#include <stdbool.h>

#include "expression.h"

/* Return a descriptor to be polled, or -1 after a message. */
int names_open(void);
void names_close(void);
void names_read(void);

/**
 * names_follow - put the addresses of some names into a table
 * @names: the names; they are copied
 * @device: device of the VIF whose program has them
 * @table: see bpf_table(); names_forget() closes it
 */
void names_follow(const struct words *names, const char *device, int table);

/* Stop following names of programs of @device's VIFs; NULL: all names. */
void names_forget(const char *device);

/* Is any name followed? */
bool names_any(void);

#endif
