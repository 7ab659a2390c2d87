/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal, while a program has all of it. There is one. */
#ifndef VIFCTL_TERMINAL_H
#define VIFCTL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether there is one, that can be drawn on and has keys. */
bool terminal_is_there(void);

/*
 * Takes it, and sees to it that exit(3) gives it back. Return: the descriptor that keys
 * come from, or -1 and errno.
 */
int terminal_enter(void);

/*
 * Not by stdio: nothing may be left over in a buffer. Return: 0, when all is written, or
 * -1 and errno.
 */
int terminal_write(const char *text, size_t size);

/* Gives it back as it was. */
void terminal_leave(void);

void terminal_size(int *columns, int *lines);

/* Others are the byte that they send. */
enum terminal_key {
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
 * terminal_key_take - take a key from what has come
 * @bytes: what has come
 * @n: how many
 * @key: set to it; KEY_NONE for a sequence that means nothing here
 * @is_all: nothing more comes for now: an ESC that nothing follows is the key
 *
 * Return: the bytes it takes; 0 if more are needed.
 */
size_t terminal_key_take(const unsigned char *bytes, size_t n, int *key,
			 bool is_all);

#endif
