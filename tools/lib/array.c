// SPDX-License-Identifier: GPL-2.0
#include "array.h"

#include <stdlib.h>
#include <string.h>

void *array_add(void *array, size_t *count, size_t size)
{
	void *all;

	memcpy(&all, array, sizeof(all));
	if (!(*count & (*count - 1)))
		all = realloc(all, (*count ? 2 * *count : 1) * size);
	if (!all)
		return NULL;
	memcpy(array, &all, sizeof(all));
	return memset((char *)all + (*count)++ * size, 0, size);
}
