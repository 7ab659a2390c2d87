/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names in rules, and the tables of their addresses. They are updated from the answers of the
 * host's resolvers, on any device of the host.
 */
#ifndef NETNICED_NAMES_H
#define NETNICED_NAMES_H

#include <stdbool.h>

#include "expression.h"

/* A descriptor that can be read when something has come; or -1 after a message. */
int names_open(void);
void names_close(void);
void names_read(void);

/**
 * names_follow - put the addresses of some names into a table
 * @names: copied
 * @device: of the VIF whose program has them
 * @table: see bpf_table(); closed by names_forget()
 */
void names_follow(const struct words *names, const char *device, int table);

/* Names of programs of @device's VIFs are not followed any more; NULL: none is. */
void names_forget(const char *device);

/* Whether any is. */
bool names_any(void);

#endif
