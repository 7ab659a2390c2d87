/* SPDX-License-Identifier: GPL-2.0 */
/* Keys of a terminal, from the bytes that it sends. */
#ifndef VIFCTL_TOP_KEYS_H
#define VIFCTL_TOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* Others are the byte that they send. */
enum top_key {
	KEY_NONE = 0,
	KEY_ENTER = '\r',
	KEY_ESCAPE = 033,
	KEY_BACKSPACE = 0177,
	KEY_UP = 256,
	KEY_DOWN,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
};

/**
 * top_key_take - take a key from what has come
 * @bytes: what has come
 * @n: how many
 * @key: set to it; KEY_NONE for a sequence that means nothing here
 * @is_all: nothing more comes for now: an ESC that nothing follows is the key
 *
 * Return: the bytes it takes; 0 if more are needed.
 */
size_t top_key_take(const unsigned char *bytes, size_t n, int *key,
		    bool is_all);

#endif
