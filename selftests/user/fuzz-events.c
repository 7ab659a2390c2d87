// SPDX-License-Identifier: GPL-2.0
/*
 * What netniced(8) is told by the kernel, as a fuzzer's input. The first byte says which: messages of the
 * process connector, which are read to their end; or events of inotify, well formed as the kernel has
 * them, about control groups that users make, hand over and remove under names of their choice. Then
 * each watch has its path, each user its count, and at the end nothing is left.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/netniced/events.c"

/* what they include comes first, as groups.c is given functions in place of the kernel's */
#include <dirent.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include "../../tools/common/group.h"

static const uint8_t *input;
static size_t left;
static int last_descriptor;

static uint8_t next_byte(void)
{
	if (!left)
		return 0;
	left--;
	return *input++;
}

/* A group's owner, as its name says */
static int stat_group(const char *path, struct stat *st)
{
	const char *name = strrchr(path, '/');

	*st = (struct stat) { .st_uid = name ? name[1] % 4 : 0 };
	return name && name[1] == '?' ? -1 : 0;
}

/* The same group has the same watch. */
static int add_watch(int fd, const char *path, uint32_t mask)
{
	(void)fd;
	(void)path;
	(void)mask;
	errno = ENOSPC;
	return next_byte() % 16 ? ++last_descriptor : -1;
}

static ssize_t read_events_of_input(char *buffer, size_t size)
{
	static const uint32_t masks[] = {
		IN_CREATE | IN_ISDIR, IN_DELETE | IN_ISDIR, IN_ATTRIB, IN_ATTRIB | IN_ISDIR,
		IN_IGNORED, IN_Q_OVERFLOW, IN_CREATE, IN_CREATE | IN_ISDIR,
	};
	size_t used = 0;

	while (left && size - used > sizeof(struct inotify_event) + NAME_MAX + 1) {
		struct inotify_event *event = (struct inotify_event *)(buffer + used);
		const uint8_t kind = next_byte();
		size_t bytes = next_byte() % 40;

		memset(event, 0, sizeof(*event));
		event->mask = masks[kind % 8];
		event->wd = last_descriptor - kind / 8 % 8;
		bytes = bytes < left ? bytes : left;
		/* with zeros up to a multiple of the head's size */
		if (bytes) {
			event->len = (bytes + sizeof(*event)) / sizeof(*event) * sizeof(*event);
			memset(event->name, 0, event->len);
			memcpy(event->name, input, bytes);
			input += bytes;
			left -= bytes;
			for (size_t i = 0; i < bytes; i++)
				if (event->name[i] == '/' || event->name[i] == '\n')
					event->name[i] = '.';
		}
		used += sizeof(*event) + event->len;
	}
	return used;
}

#define stat(path, st)				stat_group(path, st)
#define inotify_add_watch(fd, path, mask)	add_watch(fd, path, mask)
#define inotify_rm_watch(fd, descriptor)	((void)(fd), (void)(descriptor))
#define opendir(path)				((void)(path), NULL)
#define read(fd, buffer, size)			((void)(fd), read_events_of_input(buffer, size))
#include "../../tools/netniced/groups.c"
#undef stat
#undef read
#undef opendir

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of log.c: nothing is said. */
void log_say(enum log_level level, const char *fmt, ...)
{
	(void)level;
	(void)fmt;
}

/* In place of netlink.c: no kernel is asked. */
struct mnl_socket *netlink_open(int bus, unsigned int multicast, int flags)
{
	(void)bus;
	(void)multicast;
	(void)flags;
	return NULL;
}

ssize_t netlink_receive(int fd, void *buf, size_t size)
{
	(void)fd;
	(void)buf;
	(void)size;
	errno = EAGAIN;
	return -1;
}

/* In place of signals.c and group.c */
bool signals_end(void)
{
	return false;
}

bool group_is_mounted(void)
{
	return true;
}

/* --- the process connector ---------------------------------------------------------- */

static void take_event(const struct event *event)
{
	assert(event->kind <= EVENT_LOST);
}

/* In memory of its own, so that a read beyond the end is seen. */
static void try_connector(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size ?: 1);

	memcpy(bytes, data, size);
	read_messages(bytes, size, take_event);
	free(bytes);
}

/* --- control groups ------------------------------------------------------------------ */

static void found_group(const char *path)
{
	assert(*path == '/' && strlen(path) < PATH_MAX);
}

/* One whose name ends with "-" is not looked into. */
static enum groups_below below_group(const char *path)
{
	const char last = path[strlen(path) - 1];

	return last == '-' ? GROUPS_NONE : last == '+' ? GROUPS_LOOK : GROUPS_WATCH;
}

static size_t watches_seen;

static void count_watch(const void *node, VISIT which, int depth)
{
	const struct watch *watch = *(const struct watch *const *)node;

	(void)depth;
	if (which != postorder && which != leaf)
		return;
	watches_seen++;
	assert(find_path(watch->path) == watch);
	assert(find(&groups.by_descriptor, watch, by_descriptor) == watch);
}

static void check_watches(void)
{
	size_t of_owners = 0;

	watches_seen = 0;
	twalk(groups.by_path, count_watch);
	for (size_t i = 0; i < groups.owners; i++)
		of_owners += groups.owner[i].watches;
	assert(watches_seen == groups.watches && of_owners == groups.watches);
}

static void try_groups(const uint8_t *data, size_t size)
{
	static const struct groups_ops ops = { found_group, below_group };
	int fd[GROUPS_QUEUES];

	if (groups_open(&ops, fd))
		abort();
	groups.most = 16;
	last_descriptor = 0;
	input = data;
	left = size;
	groups_all();
	while (left) {
		groups_read();
		check_watches();
	}
	groups_close();
	assert(!groups.watches && !groups.owners && !groups.by_descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size)
		(data[0] & 1 ? try_connector : try_groups)(data + 1, size - 1);
	return 0;
}
