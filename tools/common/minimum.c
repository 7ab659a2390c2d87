// SPDX-License-Identifier: GPL-2.0
#include "minimum.h"

#include <string.h>

#include "param.h"

static u64 lower(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* An invalid value is not changed: the kernel reports the error. */
char *minimum_lower(const char *a, const char *b)
{
	struct vif_params x[VIF_DIRS], y[VIF_DIRS];

	if (param_parse(PARAM_MINIMUM, a, x))
		return strdup(a);
	if (param_parse(PARAM_MINIMUM, b, y))
		return strdup(b);
	for (int dir = 0; dir < VIF_DIRS; dir++)
		x[dir].minimum = lower(x[dir].minimum, y[dir].minimum);
	return param_print(PARAM_MINIMUM, x);
}
