/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the tree that is saved to a file: settings of VIFs, and attached control groups and devices,
 * whose names are persistent.
 */
#ifndef VIFCTL_KEPT_H
#define VIFCTL_KEPT_H

#include "nnfs.h"
#include "vif_list.h"

/**
 * kept_read - read VIFs with their settings
 * @list: the VIFs are appended to it; the caller frees it even after an error
 * @genl: the family
 * @path: a VIF, for it and all below it; NULL: all VIFs of all devices
 *
 * The caller calls kept_finish() after the last list. Return: 0, or -1 and errno; ENOENT: @path does not
 * exist.
 */
int kept_read(struct vif_list *list, const struct genl *genl, const char *path);

/**
 * kept_finish - sort VIFs, and find their attachments
 * @list: the VIFs
 * @genl: the family
 * @fs: the file system
 *
 * Return: 0, or -1 and errno; EACCES: the caller may not see all of it.
 */
int kept_finish(struct vif_list *list, const struct genl *genl, const struct nnfs *fs);

/**
 * kept_is_transient - check if a VIF exists only as long as processes or a systemd unit
 * @list: the VIFs
 * @vif: one of them
 *
 * Transient VIFs are VIFs with autoremove, if neither they nor VIFs below have attached groups or devices;
 * all VIFs below them; and the VIFs of units. netnice(1) and users create them, and units' files describe
 * them. They are no part of a saved configuration: save omits them, and restore does not change them.
 */
bool kept_is_transient(const struct vif_list *list, const struct vif_info *vif);

#endif
