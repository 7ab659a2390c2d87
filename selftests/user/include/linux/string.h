/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_STRING_H
#define LAB_LINUX_STRING_H

#include <string.h>

#endif
