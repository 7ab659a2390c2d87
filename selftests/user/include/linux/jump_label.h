/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_JUMP_LABEL_H
#define LAB_LINUX_JUMP_LABEL_H

#include <linux/types.h>

#define DECLARE_STATIC_KEY_FALSE(name)	extern bool name
#define DEFINE_STATIC_KEY_FALSE(name)	bool name

#define static_branch_unlikely(key)	(*(key))
#define static_branch_enable(key)	(*(key) = true)

#endif
