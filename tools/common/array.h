/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow at their end. */
#ifndef NETNICE_ARRAY_H
#define NETNICE_ARRAY_H

#include <stddef.h>

/**
 * array_grow - room for one more
 * @array: the array, grown by nothing else; NULL as long as it is empty
 * @count: how many there are
 * @size: bytes of each
 *
 * Room is doubled when it is used up, which @count tells.
 *
 * Return: the array, which may have moved, or NULL and it is as it was.
 */
void *array_grow(void *array, size_t count, size_t size);

#endif
