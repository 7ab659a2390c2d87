// SPDX-License-Identifier: GPL-2.0
/*
 * ECMA-48: ESC [, parameters, and a final byte from @ to ~; VT100s in application mode
 * send ESC O and a letter.
 */
#include "top_keys.h"

#include <string.h>

static int key_of(const unsigned char *sequence, size_t n)
{
	static const struct {
		const char *end;
		int key;
	} keys[] = {
		{ "A", KEY_UP }, { "B", KEY_DOWN }, { "H", KEY_HOME },
		{ "F", KEY_END }, { "1~", KEY_HOME }, { "7~", KEY_HOME },
		{ "4~", KEY_END }, { "8~", KEY_END }, { "5~", KEY_PAGE_UP },
		{ "6~", KEY_PAGE_DOWN },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (n == strlen(keys[i].end) &&
		    !memcmp(sequence, keys[i].end, n))
			return keys[i].key;
	return KEY_NONE;
}

/* Longer ones are none; whatever comes then is read as keys. */
#define SEQUENCE_MAX	16

/* Behind ESC [ or ESC O. Return: its bytes, 0 if more are needed. */
static size_t sequence_length(const unsigned char *bytes, size_t n)
{
	size_t len = 2;

	if (bytes[1] == 'O')
		return n > 2 ? 3 : 0;
	while (len < n && len < SEQUENCE_MAX &&
	       (bytes[len] < '@' || bytes[len] > '~'))
		len++;
	return len < n ? len + 1 : 0;
}

size_t top_key_take(const unsigned char *bytes, size_t n, int *key,
		    bool is_all)
{
	size_t len;

	*key = KEY_NONE;
	if (!n)
		return 0;
	*key = bytes[0] == '\n' ? KEY_ENTER :
	       bytes[0] == '\b' ? KEY_BACKSPACE : bytes[0];
	if (bytes[0] != KEY_ESCAPE)
		return 1;
	if (n == 1)
		return is_all;
	if (bytes[1] != '[' && bytes[1] != 'O')
		return 1;
	len = sequence_length(bytes, n);
	if (len)
		*key = key_of(bytes + 2, len - 2);
	else if (is_all)
		return 1;
	return len;
}
