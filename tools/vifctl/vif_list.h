/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of VIFs, by netlink. */
#ifndef VIFCTL_VIF_LIST_H
#define VIFCTL_VIF_LIST_H

#include "genl.h"
#include "vif_info.h"

/* Parents come before their children. Siblings are sorted by name, like "ls -v". */
struct vif_list {
	struct vif_info *vif;
	size_t count;
};

/**
 * vif_list_read - read VIFs and all below them
 * @list: the VIFs are appended to it; the caller frees it even after an error
 * @genl: the family
 * @path: a VIF, for it and all below it; NULL: all VIFs of all devices
 * @what: VIF_*
 *
 * The caller calls vif_list_sort() after the last list. Return: 0, or -1 and errno; ENOENT: @path does not
 * exist.
 */
int vif_list_read(struct vif_list *list, const struct genl *genl,
		  const char *path, unsigned int what);

/**
 * vif_list_take - parse a message with a VIF
 * @list: the VIF is appended to it, without is_top
 * @message: the message
 * @what: VIF_*
 *
 * Return: 1, 0: the message has no VIF with a directory, or -1 and errno.
 */
int vif_list_take(struct vif_list *list, const struct nlmsghdr *message, unsigned int what);

/* Sort the list. Return: 0, or -1 and ENOENT: the list is empty. */
int vif_list_sort(struct vif_list *list);

/* Read VIFs and sort them. After an error, the list is empty. */
int vif_list_get(struct vif_list *list, const struct genl *genl,
		 const char *path, unsigned int what);

void vif_list_free(struct vif_list *list);

/* Return the VIF with this path, or NULL. */
struct vif_info *vif_list_find(const struct vif_list *list, const char *path);

#endif
