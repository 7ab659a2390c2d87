/* SPDX-License-Identifier: GPL-2.0 */
/* What sched/ uses of the kernel's header, in user space. */
#ifndef LAB_LINUX_TYPES_H
#define LAB_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* long long, as in the kernel, for printf()'s formats */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

#define noinline __attribute__((__noinline__))

#endif
