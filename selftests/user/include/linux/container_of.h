/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_CONTAINER_OF_H
#define LAB_LINUX_CONTAINER_OF_H

#include <linux/types.h>

#define container_of(ptr, type, member) \
	((type *)((char *)(1 ? (ptr) : &((type *)0)->member) - \
		  offsetof(type, member)))

#endif
