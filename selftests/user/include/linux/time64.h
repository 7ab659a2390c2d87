/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_TIME64_H
#define LAB_LINUX_TIME64_H

#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L

#endif
