/* SPDX-License-Identifier: GPL-2.0 */
/* netnice --off: remove limits that netnice has set. */
#ifndef NETNICE_TOOL_OFF_H
#define NETNICE_TOOL_OFF_H

#include "vif.h"

/**
 * off - remove the limits of the VIFs that netnice created for a subject
 * @set: the VIFs, from vif_set_init()
 * @subject: the subject
 *
 * Each VIF gets the settings of a new VIF. Then all its processes are attached to the VIF above. The
 * kernel removes it with its last user. Return: 0; or, after a message, EFFECT_STATUS: netnice had
 * created no VIF, or -1.
 */
int off(const struct vif_set *set, const struct subject *subject);

#endif
