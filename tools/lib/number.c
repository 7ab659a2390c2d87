// SPDX-License-Identifier: GPL-2.0
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

bool text_number(const char *text, unsigned long most, unsigned long *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoul(text, &end, 10);
	return !*end && !errno && *number <= most;
}
