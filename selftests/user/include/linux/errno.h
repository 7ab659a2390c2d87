/* SPDX-License-Identifier: GPL-2.0 */
/* <errno.h> includes this one. */
#include_next <linux/errno.h>
