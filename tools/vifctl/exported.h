/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which VIFs are exported to a monitoring system. All VIFs of an administrator are. VIFs that users name
 * are bounded for each user, because each name is a new time series, which the monitoring system stores
 * for weeks.
 */
#ifndef VIFCTL_EXPORTED_H
#define VIFCTL_EXPORTED_H

#include "vif_list.h"

/* Default for the number of a user's exported VIFs. */
#define EXPORTED_OF_USER	20
/* Longest label of a path in bytes; a VIF of a user with a longer one is not exported. */
#define EXPORTED_LABEL_BYTES	256

/**
 * struct exported - the exported VIFs, remembered from one scrape to the next
 * @of_user: maximum of VIFs for each user
 * @depth: maximum of levels below the first VIF
 * @user: the VIFs of each user, by number
 */
struct exported {
	unsigned long of_user;
	unsigned long depth;
	void *user;
};

/**
 * exported_select - remove the VIFs from a list that are not exported
 * @exported: the state; an exported name keeps its place for an hour after the VIF has gone
 * @list: the VIFs, sorted, with owners and modes; "above" and "depth" are invalid afterwards
 *
 * Return: for each VIF that remains, the number of removed VIFs below it, in an array that the caller
 * frees; or NULL without memory: then @list is unchanged.
 */
unsigned int *exported_select(struct exported *exported, struct vif_list *list);

/* Free the state of exported_select(). @exported can be used again. */
void exported_free(struct exported *exported);

#endif
