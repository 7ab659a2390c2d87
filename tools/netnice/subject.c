// SPDX-License-Identifier: GPL-2.0
/* The object that netnice(1) attaches (target.h): parse it, and print it. */
#include "subject.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "process.h"
#include "target_word.h"

static bool is_of(const struct subject *subject, int kind)
{
	return subject->target.kind == &target_kinds[kind];
}

bool subject_is_process(const struct subject *subject)
{
	return is_of(subject, TARGET_PROCESS);
}

void subject_init_process(struct subject *subject, pid_t pid)
{
	snprintf(subject->number, sizeof(subject->number), "%d", pid);
	subject->pid = pid;
	subject->target = (struct target) {
		.kind = &target_kinds[TARGET_PROCESS],
		.name = subject->number,
	};
}

/* In "PID:FD", parse the number up to the first character that is not a digit. */
bool subject_init(struct subject *subject, int kind, const char *word)
{
	const pid_t pid = kind == TARGET_PROCESS ? process_parse_pid(word) : 0;
	char *name, *directory;

	if (kind == TARGET_PROCESS) {
		subject_init_process(subject, pid);
		return pid;
	}
	name = target_normal(&target_kinds[kind], word);
	directory = name ? target_kinds[kind].directory(name) : NULL;
	if (!directory) {
		free(name);
		return false;
	}
	free(directory);
	subject->pid = kind == TARGET_CGROUP ? 0 : atoi(word);
	subject->target = (struct target) {
		.kind = &target_kinds[kind],
		.name = name,
	};
	return true;
}

/* A process's name is in the subject itself. */
void subject_free(struct subject *subject)
{
	if (subject->target.name != subject->number)
		free(subject->target.name);
}

/*
 * tasks/PID exists for each process that we have power over, attached or not. The ID of a thread
 * would name another object than --pid promises.
 */
static int check_process(const struct nnfs *fs, pid_t pid)
{
	pid_t leader = process_leader(pid);
	char path[32];

	if (kill(pid, 0) && errno == ESRCH) {
		complain("no process with PID %d", pid);
		return -1;
	}
	if (leader != pid) {
		complain("%d is a thread of the process with PID %d: give that one",
			 pid, leader);
		return -1;
	}
	snprintf(path, sizeof(path), "tasks/%d", pid);
	if (faccessat(fs->fd, path, F_OK, 0)) {
		complain("PID %d: not permitted: it is another user's or may not be traced",
			 pid);
		return -1;
	}
	return 0;
}

/* An object that can be attached has a directory. */
static int check_directory(const struct nnfs *fs, const struct target *target)
{
	char *directory = target->kind->directory(target->name);
	int ret = directory ? faccessat(fs->fd, directory, F_OK, 0) : -1;

	free(directory);
	if (!ret)
		return 0;
	if (errno != ENOENT)
		complain_errno("%s %s", target->kind->word, target->name);
	else if (target->kind == &target_kinds[TARGET_CGROUP])
		complain("no control group '%s' (a path below /sys/fs/cgroup; version 2)",
			 target->name);
	else
		complain("%s: no such descriptor, or no IPv4, IPv6 or packet socket of this network namespace",
			 target->name);
	return -1;
}

int subject_check(const struct nnfs *fs, const struct subject *subject)
{
	if (subject->pid && check_process(fs, subject->pid))
		return -1;
	return subject_is_process(subject) ? 0 :
	       check_directory(fs, &subject->target);
}

char *subject_words(const struct subject *subject)
{
	char *words;

	if (subject_is_process(subject))
		return asprintf(&words, "PID %d", subject->pid) < 0 ? NULL : words;
	return asprintf(&words, "%s %s", subject->target.kind->word,
			subject->target.name) < 0 ? NULL : words;
}

void subject_vif_name(const struct subject *subject, char *name, size_t size)
{
	const char *last = subject->target.name, *slash = strrchr(last, '/');

	if (slash)
		last = slash[1] ? slash + 1 : "all";
	snprintf(name, size, "netnice.%s", last);
}

/* By its file the kernel tells a process that is gone from a VIF that is. */
int subject_attach(const struct nnfs *fs, const struct subject *subject,
		   const char *vif)
{
	if (subject_is_process(subject))
		return nnfs_attach(fs, subject->pid, vif);
	return target_attach(fs, &subject->target, vif);
}
