/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attributes of a netlink message, by type. An unknown attribute is skipped. A number of the wrong
 * size counts as missing.
 */
#ifndef NETNICE_ATTRS_H
#define NETNICE_ATTRS_H

#include <libmnl/libmnl.h>
#include <linux/netnice_netlink.h>
#include <stdbool.h>

#include "grammar/params.h"

/* A type that is not below this is skipped. */
#define ATTRS_MAX	64
_Static_assert(NETNICE_A_DIR_MAX < ATTRS_MAX, "all attributes of a direction are kept");

struct attrs {
	const struct nlattr *of[ATTRS_MAX];
};

/* Read the attributes behind a header of @header_bytes. Return false if the message is too short. */
bool attrs_read(struct attrs *attrs, const struct nlmsghdr *message,
		size_t header_bytes);

/* Read the attributes inside another one. NULL has none. */
void attrs_read_nest(struct attrs *attrs, const struct nlattr *nest);

/* Return the text of an attribute, or NULL if it is missing. */
const char *attrs_string(const struct attrs *attrs, int type);

/* Read a number of 32 or 64 bits. Return false, and leave @value, if it is missing. */
bool attrs_number(const struct attrs *attrs, int type,
		  unsigned long long *value);

/* Return a number of 32 or 64 bits, or 0 if it is missing. */
unsigned long long attrs_value(const struct attrs *attrs, int type);

/*
 * Read the parameters in a VIF's NETNICE_A_VIF_EGRESS or NETNICE_A_VIF_INGRESS. A missing one has its
 * initial value.
 */
void attrs_params(const struct attrs *side, struct vif_params *params);

#endif
