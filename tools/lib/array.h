/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow at the end. */
#ifndef NETNICE_ARRAY_H
#define NETNICE_ARRAY_H

#include <stddef.h>

/**
 * array_add - append an element
 * @array: pointer to the array, which may move; NULL while the array is empty
 * @count: number of elements, incremented
 * @size: bytes of an element
 *
 * The memory is doubled when @count reaches a power of two.
 *
 * Return: the new element, filled with zeros; or NULL without memory: then nothing has changed.
 */
void *array_add(void *array, size_t *count, size_t size);

#endif
