/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow at their end. */
#ifndef NETNICE_ARRAY_H
#define NETNICE_ARRAY_H

#include <stddef.h>

/**
 * array_add - one more
 * @array: where the pointer to the array is, which may move; NULL as long as it is empty
 * @count: how many there are; counts the new one
 * @size: bytes of each
 *
 * Room is doubled when it is used up, which @count tells.
 *
 * Return: the new one, all zero; or NULL, and all is as it was.
 */
void *array_add(void *array, size_t *count, size_t size);

#endif
