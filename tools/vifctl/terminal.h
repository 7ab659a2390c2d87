/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal of a full-screen program. There is only one. */
#ifndef VIFCTL_TERMINAL_H
#define VIFCTL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Is there a terminal, with cursor control and a keyboard? */
bool terminal_is_there(void);

/*
 * Switch to the program's screen. exit(3) restores the terminal. Return: the descriptor from which keys are
 * read, or -1 and errno.
 */
int terminal_enter(void);

/* Write all of @text, without a buffer of stdio. Return: 0, or -1 and errno. */
int terminal_write(const char *text, size_t size);

/* Restore the terminal. */
void terminal_leave(void);

void terminal_size(int *columns, int *lines);

/* The code of any other key is its byte. */
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
 * terminal_key_take - parse a key
 * @bytes: received bytes
 * @n: number of bytes
 * @key: set to the key; KEY_NONE for an unknown sequence
 * @is_all: no more bytes are expected now, so an ESC at the end is the key
 *
 * Return: the length of the key in bytes; 0: it is incomplete.
 */
size_t terminal_key_take(const unsigned char *bytes, size_t n, int *key,
			 bool is_all);

#endif
