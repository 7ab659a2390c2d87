/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of the VIFs that there are belongs into a file: their settings, and control groups
 * and devices that are attached, which have names that last.
 */
#ifndef VIFCTL_KEPT_H
#define VIFCTL_KEPT_H

#include "nnfs.h"
#include "vif_list.h"

/**
 * kept_read - read VIFs with their settings
 * @list: what it has stays; to be freed in any case
 * @genl: the family
 * @path: the VIF to start with; NULL for all devices
 *
 * To be followed by kept_finish(), when all is read. Return: 0, or -1 and errno: ENOENT
 * where @path is not there.
 */
int kept_read(struct vif_list *list, const struct genl *genl, const char *path);

/**
 * kept_finish - put VIFs into their order, and find what is attached to them
 * @list: those that were read
 * @genl: the family
 * @fs: the file system
 *
 * Return: 0, or -1 and errno: EACCES where some of it may not be seen.
 */
int kept_finish(struct vif_list *list, const struct genl *genl, const struct nnfs *fs);

/**
 * kept_is_transient - whether a VIF lives and dies with processes, or a unit of systemd's
 * @list: the VIFs
 * @vif: one of them
 *
 * An autoremoved one that has no group or device attached, nor any below it has; and
 * all below such a one. netnice(1) makes these, and users do. VIFs of units come from
 * the units' files. They are not part of a saved configuration: save leaves them out, restore
 * leaves them alone.
 */
bool kept_is_transient(const struct vif_list *list, const struct vif_info *vif);

#endif
