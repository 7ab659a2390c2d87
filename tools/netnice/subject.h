/* SPDX-License-Identifier: GPL-2.0 */
/* The object that is attached: a process, a control group, or a socket of a process. */
#ifndef NETNICE_TOOL_SUBJECT_H
#define NETNICE_TOOL_SUBJECT_H

#include <stdbool.h>
#include <sys/types.h>

#include "target.h"

/* Do not copy it: the target's name may point into it. */
struct subject {
	struct target target;
	pid_t pid;		/* the process, the socket's process, or 0 */
	char number[16];
};

void subject_init_process(struct subject *subject, pid_t pid);

/* @kind: TARGET_*. Return false if @word is not a name of this kind: then @subject is undefined. */
bool subject_init(struct subject *subject, int kind, const char *word);

void subject_free(struct subject *subject);

bool subject_is_process(const struct subject *subject);

/* Check that it exists, and that the caller may attach it. Return: 0, or -1 after a message. */
int subject_check(const struct nnfs *fs, const struct subject *subject);

/* Describe it for a message. Return: a text, which the caller frees, or NULL. */
char *subject_words(const struct subject *subject);

/* Write the default name of its VIF to @name, truncated to @size. A VIF may have this name already. */
void subject_vif_name(const struct subject *subject, char *name, size_t size);

/* Attach it to a VIF. Return: 0, or -1 and errno; ESRCH: it does not exist any more. */
int subject_attach(const struct nnfs *fs, const struct subject *subject,
		   const char *vif);

#endif
