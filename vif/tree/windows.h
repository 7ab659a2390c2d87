/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core's part of announced windows, which are an option (vif/window/): when it is loaded, and
 * which shapers get a table (queue/windows.h).
 */
#ifndef NETNICE_VIF_TREE_WINDOWS_H
#define NETNICE_VIF_TREE_WINDOWS_H

#include "tree.h"

/* The parameter windows: lower the windows that TCP announces. Read without locks. */
extern bool vif_windows_on;

/**
 * vif_windows_load() - load the option, before received packets are limited
 * @vn: the namespace of the VIF that gets a limit
 *
 * The limit is in force with or without windows. So nothing is reported if the administrator does
 * not allow the option or its loading; the kernel's log says if it is not installed.
 * Context: process, without locks that modprobe(8) could need.
 */
void vif_windows_load(struct vif_net *vn);

/*
 * Received packets of a device are limited from now on: it gets a table, if the option is loaded,
 * or when it is. Caller holds the tree mutex.
 */
void __vif_windows_limit(struct vif_dev *vdev);

#endif
