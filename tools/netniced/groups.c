// SPDX-License-Identifier: GPL-2.0
/*
 * Watches (inotify) on control groups report new groups below them. A group is watched before its
 * present groups are listed, so that none is missed; some are found twice.
 */
#include "groups.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "group.h"
#include "log.h"
#include "signals.h"
#include "subuid.h"

/* The assumed number of root's watches if the limit is not known */
#define WATCHES_DEFAULT	8192

/* We use at most this part of root's watches, because other programs of root need some, too. */
#define WATCHES_PART	4

/* A watch, in two trees: by its queue and descriptor, and by its path. */
struct watch {
	int queue, descriptor;
	uid_t owner;
	char *path;
};

/* A user that has watches, and how many. */
struct owner {
	uid_t uid;
	size_t watches;
};

static struct {
	int queue[GROUPS_QUEUES];
	const struct groups_ops *ops;
	void *by_descriptor, *by_path;
	struct owner *owner;
	size_t owners;
	size_t watches, most;
	bool said;		/* that there are no more */
	bool lost;		/* events were lost (reported); everything has to be checked */
} groups = { .queue = { -1, -1 } };

/* --- watches ----------------------------------------------------------------------- */

static int by_descriptor(const void *a, const void *b)
{
	const struct watch *x = a, *y = b;

	if (x->queue != y->queue)
		return x->queue < y->queue ? -1 : 1;
	return (x->descriptor > y->descriptor) - (x->descriptor < y->descriptor);
}

static int by_path(const void *a, const void *b)
{
	const struct watch *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static struct watch *find(void *const *tree, const struct watch *key,
			  int (*compare)(const void *a, const void *b))
{
	struct watch **found = tfind(key, tree, compare);

	return found ? *found : NULL;
}

static struct watch *find_path(const char *path)
{
	const struct watch key = { .path = (char *)path };

	return find(&groups.by_path, &key, by_path);
}

static struct owner *find_owner(uid_t uid)
{
	for (size_t i = 0; i < groups.owners; i++)
		if (groups.owner[i].uid == uid)
			return &groups.owner[i];
	return NULL;
}

static void count_in(uid_t uid)
{
	struct owner *owner = find_owner(uid) ?:
			      array_add(&groups.owner, &groups.owners, sizeof(*owner));

	if (!owner)
		abort();
	owner->uid = uid;
	owner->watches++;
	groups.watches++;
}

static void count_out(uid_t uid)
{
	struct owner *owner = find_owner(uid);

	groups.watches--;
	if (!--owner->watches)
		*owner = groups.owner[--groups.owners];
	if (groups.owners)
		return;
	free(groups.owner);
	groups.owner = NULL;
}

static void forget(struct watch *watch)
{
	tdelete(watch, &groups.by_descriptor, by_descriptor);
	tdelete(watch, &groups.by_path, by_path);
	count_out(watch->owner);
	free(watch->path);
	free(watch);
}

static void keep(int queue, int descriptor, uid_t uid, const char *path)
{
	struct watch *watch = malloc(sizeof(*watch));

	if (!watch)
		abort();
	*watch = (struct watch) { queue, descriptor, uid, strdup(path) };
	if (!watch->path || !tsearch(watch, &groups.by_descriptor, by_descriptor) ||
	    !tsearch(watch, &groups.by_path, by_path))
		abort();
	count_in(uid);
}

/* A user has fewer than are free, so that the next one has some, too. */
static bool has_room(uid_t uid)
{
	const size_t left = groups.most > groups.watches ? groups.most - groups.watches : 0;
	const struct owner *owner = uid ? find_owner(uid) : NULL;

	return left > (owner ? owner->watches : 0);
}

static void say_full(uid_t uid, const char *path)
{
	if (!groups.said)
		log_say(LOG_WARN, "%s, of user %u, cannot be watched, nor others: control groups that are made there are found when the rules are read again (want a greater fs.inotify.max_user_watches)",
			path, uid);
	groups.said = true;
}

/*
 * A path has one watch: one that was there is of a group of the same name before, unless it
 * is the same group's, which has the same descriptor. Return: whether there is a new one.
 */
static bool watch(const char *full, const char *path)
{
	const uint32_t what = IN_CREATE | IN_DELETE | IN_ATTRIB | IN_ONLYDIR | IN_DONT_FOLLOW;
	struct watch *before = find_path(path);
	struct stat st;
	int queue, descriptor;
	uid_t owner;

	if (stat(full, &st))
		return false;
	/* the root of a container may give its groups to any number of subordinate users */
	owner = st.st_uid ? subuid_payer(st.st_uid) : 0;
	if (!before && !has_room(owner)) {
		say_full(st.st_uid, path);
		return false;
	}
	queue = st.st_uid ? GROUPS_OF_USERS : GROUPS_OF_ROOT;
	descriptor = inotify_add_watch(groups.queue[queue], full, what);
	if (descriptor < 0 && errno == ENOSPC)
		say_full(st.st_uid, path);
	if (before && before->queue == queue && before->descriptor == descriptor)
		return false;
	if (before) {
		inotify_rm_watch(groups.queue[before->queue], before->descriptor);
		forget(before);
	}
	if (descriptor >= 0)
		keep(queue, descriptor, owner, path);
	return descriptor >= 0;
}

/* --- groups ------------------------------------------------------------------------ */

static bool join(char path[PATH_MAX], const char *above, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", above[1] ? above : "", name) < PATH_MAX;
}

static void look_below(const char *full, const char *path);

/* The watch is added before the directory is listed, so that no group is missed. */
static void look_at(const char *path)
{
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), GROUP_TOP "%s", path) >= (int)sizeof(full))
		return;
	groups.ops->found(path);
	if (groups.ops->below(path) == GROUPS_WATCH)
		watch(full, path);
	if (groups.ops->below(path) != GROUPS_NONE)
		look_below(full, path);
}

/* Only as deep as rules can match. A name that begins with a dot is matched like other names. */
static void look_below(const char *full, const char *path)
{
	DIR *dir = opendir(full);
	struct dirent *entry;
	char below[PATH_MAX];

	while (dir && !signals_end() && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") &&
		    strcmp(entry->d_name, "..") && join(below, path, entry->d_name))
			look_at(below);
	if (dir)
		closedir(dir);
}

void groups_all(void)
{
	groups.lost = false;
	if (groups.queue[GROUPS_OF_ROOT] >= 0)
		look_at("/");
}

/* --- events ------------------------------------------------------------------------ */

/*
 * Only the watch of the group above reports the end of a control group; the group's own watch stays.
 * If a group of that name is created again, that event follows.
 */
static void lose(const char *path)
{
	struct watch *watch = find_path(path);

	if (!watch)
		return;
	inotify_rm_watch(groups.queue[watch->queue], watch->descriptor);
	forget(watch);
}

/* A group that root hands over to a user, after it has made it, goes to the users' queue. */
static void look_at_owner(const struct watch *changed)
{
	char full[PATH_MAX], *path = strdup(changed->path);

	if (!path)
		abort();
	snprintf(full, sizeof(full), GROUP_TOP "%s", path);
	if (watch(full, path))
		look_below(full, path);
	free(path);
}

/* Return: false if events were lost. */
static bool take(int queue, const struct inotify_event *event)
{
	const struct watch key = { .queue = queue, .descriptor = event->wd };
	struct watch *above;
	char path[PATH_MAX];

	if (event->mask & IN_Q_OVERFLOW)
		return false;
	above = find(&groups.by_descriptor, &key, by_descriptor);
	if (!above)
		return true;
	if (event->mask & IN_IGNORED) {
		forget(above);
		return true;
	}
	if (event->mask & IN_ATTRIB) {
		if (!event->len)
			look_at_owner(above);
		return true;
	}
	if (!(event->mask & IN_ISDIR) || !event->len ||
	    !join(path, above->path, event->name))
		return true;
	if (event->mask & IN_DELETE)
		lose(path);
	else
		look_at(path);
	return true;
}

static bool read_queue(int queue)
{
	char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	const ssize_t bytes = read(groups.queue[queue], buffer, sizeof(buffer));
	const struct inotify_event *event;
	bool lost = false;

	for (char *at = buffer; at < buffer + bytes; at += sizeof(*event) + event->len) {
		event = (const struct inotify_event *)at;
		lost = !take(queue, event) || lost;
	}
	return lost;
}

bool groups_read(void)
{
	bool lost = false;

	for (int queue = 0; queue < GROUPS_QUEUES; queue++)
		lost = read_queue(queue) || lost;
	if (lost && !groups.lost)
		log_say(LOG_WARN, "events of control groups were lost: checking all control groups");
	groups.lost |= lost;
	return lost;
}

/* --- beginning and end --------------------------------------------------------------- */

static size_t read_most(void)
{
	FILE *file = fopen("/proc/sys/fs/inotify/max_user_watches", "re");
	size_t most = WATCHES_DEFAULT;

	if (file && fscanf(file, "%zu", &most) != 1)
		most = WATCHES_DEFAULT;
	if (file)
		fclose(file);
	return most / WATCHES_PART;
}

int groups_open(const struct groups_ops *ops, int fd[GROUPS_QUEUES])
{
	if (!group_is_mounted()) {
		log_say(LOG_ERROR, "rules about control groups: want cgroup2 mounted on " GROUP_TOP);
		return -1;
	}
	for (int queue = 0; queue < GROUPS_QUEUES; queue++) {
		fd[queue] = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		groups.queue[queue] = fd[queue];
		if (fd[queue] >= 0)
			continue;
		log_say(LOG_ERROR, "inotify: %s", strerror(errno));
		groups_close();
		return -1;
	}
	groups.ops = ops;
	groups.most = read_most();
	groups.said = false;
	return 0;
}

void groups_close(void)
{
	for (int queue = 0; queue < GROUPS_QUEUES; queue++) {
		if (groups.queue[queue] >= 0)
			close(groups.queue[queue]);
		groups.queue[queue] = -1;
	}
	while (groups.by_path)
		forget(*(struct watch **)groups.by_path);
}
