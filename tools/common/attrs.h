/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The attributes of a netlink message, by their types. Unknown ones are skipped, and
 * known ones of another size are not there.
 */
#ifndef NETNICE_ATTRS_H
#define NETNICE_ATTRS_H

#include <libmnl/libmnl.h>
#include <linux/netnice_netlink.h>
#include <stdbool.h>

#include "grammar/params.h"

/* More than any set has. */
#define ATTRS_MAX	64
_Static_assert(NETNICE_A_DIR_MAX < ATTRS_MAX, "all attributes of a direction are kept");

struct attrs {
	const struct nlattr *of[ATTRS_MAX];
};

/* Those of a message behind a header of that size; false if that is not whole. */
bool attrs_read(struct attrs *attrs, const struct nlmsghdr *message,
		size_t header_bytes);

/* Those inside of another attribute, none if it is NULL. */
void attrs_read_nest(struct attrs *attrs, const struct nlattr *nest);

/* NULL if it is not there. */
const char *attrs_string(const struct attrs *attrs, int type);

/* Of 32 or 64 bits; false, and nothing set, if it is not there. */
bool attrs_number(const struct attrs *attrs, int type,
		  unsigned long long *value);

/* The same; 0 if it is not there. */
unsigned long long attrs_value(const struct attrs *attrs, int type);

/* The parameters in a VIF's NETNICE_A_VIF_EGRESS, or INGRESS; the others are initial. */
void attrs_params(const struct attrs *side, struct vif_params *params);

#endif
