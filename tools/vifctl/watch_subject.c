// SPDX-License-Identifier: GPL-2.0
#include "watch_subject.h"

#include <errno.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "array.h"
#include "complain.h"
#include "group.h"

/* From when a process loses its memory to its end */
#define END_MS	1000

#define PROTOCOL_BYTES	64

static bool is_vif(const struct watch_subject *subject)
{
	return subject->kind == TARGET_KINDS;
}

/* --- what the words say --- */

static int no_such(const char *kind, const char *name)
{
	complain_errno("watch: %s %s", kind, name);
	return EXIT_KERNEL;
}

/* Sockets are read in this network namespace: those of others would only be missed. */
static int refuse_elsewhere(pid_t pid)
{
	struct stat here, there;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	if (stat("/proc/self/ns/net", &here) || stat(path, &there) || here.st_ino == there.st_ino)
		return EXIT_OK;
	complain("watch: process %d is in another network namespace (vifctl -n %s watch ...)",
		 pid, path);
	return EXIT_KERNEL;
}

static int open_process(struct watch_subject *subject, const struct target *target)
{
	subject->pid = process_leader(process_parse_pid(target->name));
	subject->pidfd = syscall(SYS_pidfd_open, subject->pid, 0);
	if (subject->pidfd < 0)
		return no_such(target->kind->word, target->name);
	return refuse_elsewhere(subject->pid);
}

static int add_number(uint64_t number, void *arg)
{
	struct watch_subject *subject = arg;
	uint64_t *added = array_add(&subject->number, &subject->count, sizeof(*added));

	if (!added)
		return -1;
	*added = number;
	return 0;
}

/* What the descriptor is now, 0 if it is no socket. */
static uint64_t read_link(const char *link)
{
	unsigned long long inode = 0;
	char text[64];
	ssize_t len = readlink(link, text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = '\0';
	errno = len < 0 ? errno : ENOTSOCK;
	sscanf(text, "socket:[%llu]", &inode);
	return inode;
}

/* By the name that lsof(8) shows; where there is none, it may be. MPTCP has it inside. */
static bool is_tcp(const char *link, char protocol[PROTOCOL_BYTES])
{
	const ssize_t len = getxattr(link, "system.sockprotoname", protocol, PROTOCOL_BYTES - 1);

	protocol[len > 0 ? len : 0] = '\0';
	return len <= 0 || strstr(protocol, "TCP");
}

static int open_socket(struct watch_subject *subject, const struct target *target)
{
	char protocol[PROTOCOL_BYTES];
	uint64_t inode;

	subject->pid = strtol(target->name, NULL, 10);
	if (asprintf(&subject->link, "/proc/%d/fd%s", subject->pid,
		     strchr(target->name, ':')) < 0) {
		subject->link = NULL;
		return no_such(target->kind->word, target->name);
	}
	*strchr(subject->link, ':') = '/';
	inode = read_link(subject->link);
	if (!inode || add_number(inode, subject))
		return no_such(target->kind->word, target->name);
	if (!is_tcp(subject->link, protocol)) {
		complain("watch: socket %s: this is no socket of TCP, but of %s", target->name,
			 protocol);
		return EXIT_KERNEL;
	}
	return refuse_elsewhere(subject->pid);
}

static int open_group(struct watch_subject *subject, const struct target *target)
{
	struct statfs fs;
	struct stat file;

	if (asprintf(&subject->group, GROUP_TOP "/%s", target->name) < 0)
		subject->group = NULL;
	if (!subject->group || stat(subject->group, &file) || statfs(subject->group, &fs))
		return no_such(target->kind->word, target->name);
	if (S_ISDIR(file.st_mode) && fs.f_type == CGROUP2_SUPER_MAGIC)
		return EXIT_OK;
	complain("watch: cgroup %s: this is no control group (v2)", target->name);
	return EXIT_KERNEL;
}

static int open_target(struct watch_subject *subject, char **words)
{
	struct target target;
	int status = words_take_target("watch", &target, words);

	if (status)
		return status;
	status = words_end("watch", words[2]);
	subject->kind = target.kind - target_kinds;
	if (status)
		;
	else if (subject->kind == TARGET_DEVICE)
		status = usage_error("watch", "a device has no sockets: its VIFs are \"dev %s\"",
				     target.name);
	else if (subject->kind == TARGET_SOCKET)
		status = open_socket(subject, &target);
	else if (subject->kind == TARGET_CGROUP)
		status = open_group(subject, &target);
	else
		status = open_process(subject, &target);
	free(target.name);
	return status;
}

static int open_vif(struct watch_subject *subject, char **words)
{
	int status = scope_take("watch", &subject->scope, words);

	if (!status && !subject->scope.path)
		status = usage_error("watch", "no subject given: name a process, socket, control group, device or VIF");
	status = status ?: options_open(subject->options) ?:
		 options_open_genl(subject->options);
	if (!status && faccessat(subject->options->nn.fs.fd, subject->scope.path, F_OK, 0))
		status = scope_failed("watch", &subject->scope, &subject->options->nn.fs);
	return status;
}

int watch_subject_open(struct watch_subject *subject, struct options *options, char **words)
{
	*subject = (struct watch_subject) {
		.kind = TARGET_KINDS, .pidfd = -1, .options = options,
	};
	return *words && words_is_target(*words) ? open_target(subject, words) :
					       open_vif(subject, words);
}

void watch_subject_close(struct watch_subject *subject)
{
	if (subject->pidfd >= 0)
		close(subject->pidfd);
	owners_free(&subject->owners);
	free(subject->link);
	free(subject->group);
	free(subject->number);
}

/* --- its sockets --- */

static enum group_next add_group(const char *path, const struct stat *directory, void *arg)
{
	(void)path;
	return add_number(directory->st_ino, arg) ? GROUP_END : GROUP_BELOW;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void forget_numbers(struct watch_subject *subject)
{
	free(subject->number);
	subject->number = NULL;
	subject->count = 0;
}

static int look_at_numbers(struct watch_subject *subject)
{
	int ret;

	forget_numbers(subject);
	if (subject->group)
		ret = group_walk(subject->group + strlen(GROUP_TOP "/"), add_group, subject) ? 0 : -1;
	else
		ret = process_sockets(subject->pid, NULL, add_number, subject);
	if (subject->count)
		qsort(subject->number, subject->count, sizeof(*subject->number), by_number);
	return ret;
}

int watch_subject_look(struct watch_subject *subject)
{
	if (subject->kind == TARGET_SOCKET)
		return 0;
	if (!is_vif(subject))
		return look_at_numbers(subject);
	owners_free(&subject->owners);
	if (owners_read(&subject->owners, &subject->options->genl))
		return -1;
	path_device(subject->scope.path, subject->dev);
	owners_find_device(&subject->owners, subject->dev, &subject->device);
	return 0;
}

static bool vif_has(const struct watch_subject *subject, const struct socket_info *socket)
{
	const char *vif = owners_vif(&subject->owners, socket, &subject->device);

	return vif && path_is_below(vif, subject->scope.path);
}

bool watch_subject_has(const struct watch_subject *subject, const struct socket_info *socket)
{
	const uint64_t key = subject->kind == TARGET_CGROUP ? socket->cgroup : socket->inode;

	if (is_vif(subject))
		return vif_has(subject, socket);
	return key && subject->count &&
	       bsearch(&key, subject->number, subject->count, sizeof(key), by_number);
}

pid_t watch_subject_process(const struct watch_subject *subject,
			    const struct socket_info *socket)
{
	return is_vif(subject) ? owners_process(&subject->owners, socket) : subject->pid;
}

static bool has_ended_in(const struct watch_subject *subject, int ms)
{
	return poll(&(struct pollfd) { .fd = subject->pidfd, .events = POLLIN }, 1, ms) > 0;
}

bool watch_subject_is_ending(const struct watch_subject *subject)
{
	const int err = errno;
	const bool is = subject->pidfd >= 0 && (err == EACCES || err == ENOENT) &&
			has_ended_in(subject, END_MS);

	errno = err;
	return is;
}

bool watch_subject_is_gone(const struct watch_subject *subject)
{
	if (subject->pidfd >= 0)
		return has_ended_in(subject, 0);
	if (subject->link)
		return read_link(subject->link) != *subject->number;
	if (subject->group)
		return access(subject->group, F_OK);
	return faccessat(subject->options->nn.fs.fd, subject->scope.path, F_OK, 0);
}
