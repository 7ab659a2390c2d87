/* SPDX-License-Identifier: GPL-2.0 */
/* --kernel and --stack: a command with a TCP/IP stack of its own, which shares the host's addresses. */
#ifndef NETNICE_TOOL_STACK_H
#define NETNICE_TOOL_STACK_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include "nnfs.h"

/**
 * struct stack - the stack of the command
 * @option: "--kernel": the kernel's stack; "--stack": a tap for another one; NULL: no stack
 * @port: ports of the host, in the syntax of the VIF's file "ports": "tcp 80"
 * @n_ports: number of these
 * @n_auto: number of ports that the kernel chooses
 */
struct stack {
	const char *option;
	char (*port)[16];
	size_t n_ports;
	unsigned int n_auto;
};

#define STACK_AUTO_USUAL	64

/* Add "tcp:80", "udp:53" or "auto:16". Return: 0, or -1: @word is invalid, or no memory (errno). */
int stack_add_port(struct stack *stack, const char *word);
void stack_free(struct stack *stack);

/**
 * stack_make - create the stack, and prepare the calling process to execute the command
 * @stack: the stack
 * @fs: the file system
 * @vif: path of the stack's VIF, to which the caller is attached
 * @dev: the device of @vif
 *
 * With --kernel, the caller moves to new namespaces. With --stack, it has the descriptor of the tap, and
 * environment variables that describe it. The kernel removes the stack with the last process in the
 * namespaces, or with the descriptor. Return: 0, or -1 after a message.
 */
int stack_make(const struct stack *stack, const struct nnfs *fs, const char *vif,
	       const char *dev);

#endif
