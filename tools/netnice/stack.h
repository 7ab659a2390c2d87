/* SPDX-License-Identifier: GPL-2.0 */
/* --kernel and --stack: a command with a TCP/IP of its own, at the host's addresses. */
#ifndef NETNICE_TOOL_STACK_H
#define NETNICE_TOOL_STACK_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include "nnfs.h"

/**
 * struct stack - what the command is to have
 * @option: "--kernel": the kernel's own stack; "--stack": a tap; NULL: none of it
 * @port: of the host, as the VIF's file takes them: "tcp 80"
 * @n_ports: how many
 * @n_auto: so many that the kernel chooses
 */
struct stack {
	const char *option;
	char (*port)[16];
	size_t n_ports;
	unsigned int n_auto;
};

#define STACK_AUTO_USUAL	64

/* "tcp:80", "udp:53", "auto:16". Return: 0, -1 it is none, or without memory (errno). */
int stack_add_port(struct stack *stack, const char *word);
void stack_free(struct stack *stack);

/**
 * stack_make - go where the command is to run, with what it is to have
 * @stack: what
 * @fs: the file system
 * @vif: path of the VIF whose stack it is, to which we are attached
 * @dev: its device
 *
 * With --kernel we are in other namespaces then; with --stack the descriptor of the tap is
 * open, and the environment tells of it. The kernel ends all of it with the last process that
 * is there, or has the descriptor. Return: 0, or -1 after a message.
 */
int stack_make(const struct stack *stack, const struct nnfs *fs, const char *vif,
	       const char *dev);

#endif
