/* SPDX-License-Identifier: GPL-2.0 */
/* netnice --off: taking back what netnice set before. */
#ifndef NETNICE_TOOL_OFF_H
#define NETNICE_TOOL_OFF_H

#include "vif.h"

/**
 * off - end the limits of the VIFs that netnice made for a subject
 * @set: as vif_set_init() found them
 * @subject: for which they were made
 *
 * Each VIF gets the settings of a new one, then all processes in it are put back to the VIF above; the
 * kernel removes it with the last of its users. Return: 0; EFFECT_STATUS where netnice had made none, or
 * -1, after a message.
 */
int off(const struct vif_set *set, const struct subject *subject);

#endif
