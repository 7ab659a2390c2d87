/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_COMPILER_H
#define LAB_LINUX_COMPILER_H

#define READ_ONCE(x) (x)

#endif
