/* SPDX-License-Identifier: GPL-2.0 */
/* The VIFs that there are, by netlink. */
#ifndef VIFCTL_VIF_LIST_H
#define VIFCTL_VIF_LIST_H

#include "genl.h"
#include "vif_info.h"

/* Parents before their children, siblings by name, as "ls -v" has them. */
struct vif_list {
	struct vif_info *vif;
	size_t count;
};

/**
 * vif_list_read - read VIFs and all below them
 * @list: what it has stays; to be freed in any case
 * @genl: the family
 * @path: the VIF to start with; NULL for all devices
 * @what: VIF_*
 *
 * To be followed by vif_list_sort(), when all is read. Return: 0, or -1 and errno; ENOENT
 * where @path is not there.
 */
int vif_list_read(struct vif_list *list, const struct genl *genl,
		  const char *path, unsigned int what);

/**
 * vif_list_take - take one message of what vif_list_read() gets
 * @list: gets the VIF, whose is_top is not set
 * @message: the message
 * @what: VIF_*
 *
 * Return: 1, 0 if it is no VIF that has a directory, or -1 and errno.
 */
int vif_list_take(struct vif_list *list, const struct nlmsghdr *message, unsigned int what);

/* Return: 0, or -1 and ENOENT: nothing is left of what was asked for. */
int vif_list_sort(struct vif_list *list);

/* Both of these, into a list that is empty again on failure. */
int vif_list_get(struct vif_list *list, const struct genl *genl,
		 const char *path, unsigned int what);

void vif_list_free(struct vif_list *list);

/* Return: the VIF of that path, or NULL. */
struct vif_info *vif_list_find(const struct vif_list *list, const char *path);

#endif
