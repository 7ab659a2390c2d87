// SPDX-License-Identifier: GPL-2.0
#include "array.h"

#include <stdlib.h>

void *array_grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return realloc(array, (count ? 2 * count : 1) * size);
}
