/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the sockets that are watched: of a process, of a control group, of a VIF, or a single one.
 */
#ifndef VIFCTL_WATCH_SUBJECT_H
#define VIFCTL_WATCH_SUBJECT_H

#include "owners.h"
#include "words.h"

/**
 * struct watch_subject - a process, socket, control group or VIF
 * @kind: TARGET_PROCESS, TARGET_SOCKET, TARGET_CGROUP; TARGET_KINDS: a VIF
 * @pid: the process, or that has the socket
 * @pidfd: of it; or -1
 * @link: the socket's in /proc, or NULL
 * @group: the control group's directory, or NULL
 * @scope: the VIF
 * @options: by which the VIF is found
 * @owners: of its sockets
 * @dev: its device's name
 * @device: that, as of the last look
 * @number: inodes of sockets, or numbers of control groups; in their order
 * @count: how many
 */
struct watch_subject {
	unsigned int kind;
	pid_t pid;
	int pidfd;
	char *link, *group;
	struct scope scope;
	struct options *options;
	struct owners owners;
	char dev[IF_NAMESIZE];
	struct owners_device device;
	uint64_t *number;
	size_t count;
};

/* As the words say. Return: the exit status; to be closed in any case. */
int watch_subject_open(struct watch_subject *subject, struct options *options, char **words);
void watch_subject_close(struct watch_subject *subject);

/* Finds out which sockets it has now. Return: 0, or -1 and errno. */
int watch_subject_look(struct watch_subject *subject);

/*
 * Return whether the last poll failed because the process is about to end: its descriptors are gone
 * then, and soon the process. Keeps errno.
 */
bool watch_subject_is_ending(const struct watch_subject *subject);

/* As of the last look. */
bool watch_subject_has(const struct watch_subject *subject, const struct socket_info *socket);
/* Who has the socket open, 0: unknown. */
pid_t watch_subject_process(const struct watch_subject *subject,
			    const struct socket_info *socket);

/* Whether it is there no more. */
bool watch_subject_is_gone(const struct watch_subject *subject);

#endif
