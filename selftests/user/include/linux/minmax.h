/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_MINMAX_H
#define LAB_LINUX_MINMAX_H

#define min(a, b) \
	({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) \
	({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))

#define min3(a, b, c) min(min(a, b), c)
#define max3(a, b, c) max(max(a, b), c)

#define clamp(x, low, high) min(max(x, low), high)
#define clamp_t(type, x, low, high) clamp((type)(x), (type)(low), (type)(high))

#endif
