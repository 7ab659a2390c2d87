/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and paths of VIFs as text.
 */
#ifndef NETNICE_PROCFS_PATH_H
#define NETNICE_PROCFS_PATH_H

#include <linux/types.h>

#include <linux/netnice.h>

struct qstr;
struct vif;
struct vif_net;

#define NNFS_NAME_SIZE	(NETNICE_NAME_MAX + 1)

/**
 * nnfs_vif_name() - copy the name that a VIF has now
 * @vif: the VIF; a root VIF has its device's name
 * @name: NNFS_NAME_SIZE bytes
 *
 * Context: process; takes the tree mutex.
 * Return: false if the VIF is not in the tree any more.
 */
bool nnfs_vif_name(struct vif *vif, char *name);

/**
 * nnfs_has_device_name() - whether a device has a name now
 * @vif: a VIF of the device
 * @name: the name
 *
 * Context: process, or inside RCU.
 * Return: false if the device has gone.
 */
bool nnfs_has_device_name(const struct vif *vif, const struct qstr *name);

/**
 * nnfs_vif_is_at() - whether a VIF is in the tree at a place
 * @vif: the VIF; a weak reference will do
 * @parent_ino: number of the VIF above it, 0 for a device's root VIF
 * @name: its name there
 *
 * Context: process, or inside RCU.
 */
bool nnfs_vif_is_at(const struct vif *vif, u64 parent_ino, const struct qstr *name);

/**
 * nnfs_path_text() - the path of a VIF, as "eth0/web"
 * @vif: the VIF
 * @prefix: what to put before it
 * @buf: room for it
 * @size: of @buf
 *
 * Return: where the text begins in @buf, -ENAMETOOLONG, -ENOENT the VIF or
 *	one above it is not in the tree any more.
 */
char *nnfs_path_text(struct vif *vif, const char *prefix, char *buf,
		     size_t size);

/**
 * nnfs_path_vif() - find the VIF that the text of a link means
 * @net: the namespace
 * @base: directory of the link, as an absolute path
 * @text: the link's text
 *
 * The text is read as text: no path is looked up by the VFS, which would
 * take locks that the caller, a symlink(2) in this very file system, has.
 * Context: process; takes the tree mutex.
 * Return: the VIF, referenced, or an error pointer; last_error is set.
 */
struct vif *nnfs_path_vif(struct vif_net *net, const char *base,
			  const char *text);

#endif
