/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIFCTL_TRANSIENT_H
#define VIFCTL_TRANSIENT_H

#include "tree.h"

/**
 * is_transient - whether a VIF lives and dies with processes
 * @tree: with settings and links
 * @i: its place
 *
 * An autoremoved one that has no group or device attached, nor any below it has; and
 * all below such a one. netnice(1) makes these, and users do. They are nobody's
 * configuration: save leaves them out, restore leaves them alone.
 */
bool is_transient(const struct tree *tree, size_t i);

#endif
