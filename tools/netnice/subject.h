/* SPDX-License-Identifier: GPL-2.0 */
/* Who is attached: a process, a control group, or a socket of a process. */
#ifndef NETNICE_TOOL_SUBJECT_H
#define NETNICE_TOOL_SUBJECT_H

#include <stdbool.h>
#include <sys/types.h>

#include "target.h"

/* Not to be copied: the target's name may be in here. */
struct subject {
	struct target target;
	pid_t pid;		/* the process, the socket's process, or 0 */
	char number[16];
};

void subject_init_process(struct subject *subject, pid_t pid);

/* Return: whether @word is a name of that kind, TARGET_*; else @subject is of no use. */
bool subject_init(struct subject *subject, int kind, const char *word);

void subject_free(struct subject *subject);

bool subject_is_process(const struct subject *subject);

/* Whether it is there, and we have power over it. Return: 0, or -1 after a message. */
int subject_check(const struct nnfs *fs, const struct subject *subject);

/* As people call it. Return: to be freed, or NULL. */
char *subject_words(const struct subject *subject);

/* Default name of a new VIF, if it is free; cut off at @size. */
void subject_vif_name(const struct subject *subject, char *name, size_t size);

/* Return: 0, or -1 and errno: ESRCH where it is gone. */
int subject_attach(const struct nnfs *fs, const struct subject *subject,
		   const char *vif);

#endif
