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

#endif
