/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_SLAB_H
#define LAB_LINUX_SLAB_H

#include <stdlib.h>

#define GFP_KERNEL_ACCOUNT	0

#define kvzalloc(bytes, flags)	calloc(1, bytes)
#define kvfree(memory)		free(memory)

#endif
