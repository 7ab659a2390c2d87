/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names that rules have, and the tables of their addresses: kept by reading what the host's
 * resolvers answer, wherever it passes a device of the host.
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
 * @table: see bpf_table(); closed by names_forget()
 */
void names_follow(const struct words *names, int table);

/* No name is followed any more. */
void names_forget(void);

/* Whether any is. */
bool names_any(void);

#endif
