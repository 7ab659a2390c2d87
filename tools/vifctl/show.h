/* SPDX-License-Identifier: GPL-2.0 */
/* The two ways in which "vifctl show" prints VIFs. */
#ifndef VIFCTL_SHOW_H
#define VIFCTL_SHOW_H

#include "attached.h"
#include "listing.h"

void show_text(const struct listing *listing,
	       const struct attachments *attachments);
void show_json(const struct listing *listing,
	       const struct attachments *attachments, bool pretty);

#endif
