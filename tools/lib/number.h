/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers in text. */
#ifndef NETNICE_NUMBER_H
#define NETNICE_NUMBER_H

#include <stdbool.h>

/* Parse a decimal number without a sign, up to @most. Return false if @text is not one. */
bool text_number(const char *text, unsigned long most, unsigned long *number);

#endif
