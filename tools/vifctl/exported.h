/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which VIFs a monitoring system is told of. An administrator's are; of those that users name
 * there is a bound for each user, as each name is a new series of samples, which the monitoring
 * system keeps for weeks.
 */
#ifndef VIFCTL_EXPORTED_H
#define VIFCTL_EXPORTED_H

#include "vif_list.h"

/* VIFs of a user, without another number */
#define EXPORTED_OF_USER	20
/* Of the others' longest path, as a label */
#define EXPORTED_LABEL_BYTES	256

/**
 * struct exported - which there are, also from one time to the next
 * @of_user: VIFs of each user at most
 * @depth: levels below the first VIF at most
 * @user: what each user has, by number
 */
struct exported {
	unsigned long of_user;
	unsigned long depth;
	void *user;
};

/**
 * exported_select - leave those in a list that are told of
 * @exported: a name once told of has its place for an hour longer than it is there
 * @list: sorted, with owners and modes; of what stays "above" and "depth" mean nothing any more
 *
 * Return: for each that stays, how many below it do not; to be freed, or NULL without memory,
 * when @list is as it was.
 */
unsigned int *exported_select(struct exported *exported, struct vif_list *list);

/* Free what exported_select() remembers; @exported can be used again. */
void exported_free(struct exported *exported);

#endif
