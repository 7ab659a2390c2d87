/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_JUMP_LABEL_H
#define LAB_LINUX_JUMP_LABEL_H

#include <linux/types.h>

#define DECLARE_STATIC_KEY_FALSE(name)	extern bool name

#define static_branch_unlikely(key)	(*(key))

#endif
