// SPDX-License-Identifier: GPL-2.0
/*
 * Making VIFs so that nothing remains of them, whatever happens. As soon as
 * a VIF has its "autoremove" set, the kernel removes it when its last user
 * is gone, and our descriptor of that file is a user. Until then only our
 * own rmdir would: that is why signals are blocked, and why these steps are
 * out of reach of a SIGKILL; see make_guarded().
 */
#include "vif.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netnice.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"

#define NAMES_MAX	1000
#define STACK_SIZE	65536
#define TRIES_MAX	100

static int find_parent(const struct nnfs *fs, struct vif *vif, pid_t pid)
{
	vif->parent = nnfs_attachment(fs, pid, vif->dev);
	vif->had_link = vif->parent;
	if (!vif->parent && errno == ENOENT)
		vif->parent = nnfs_group_attachment(fs, pid, vif->dev) ?:
			      strdup(vif->dev);
	if (vif->parent)
		return 0;
	nnfs_warn(fs, "%s: cannot read the attachment of PID %d", vif->dev,
		  pid);
	return -1;
}

/* All memory is had now: later a failure might leave a VIF behind. */
static int init_vif(const struct nnfs *fs, struct vif *vif, const char *dev,
		    pid_t pid)
{
	vif->dev = dev;
	vif->guard = -1;
	vif->path = malloc(PATH_MAX);
	if (!vif->path) {
		complain_errno("%s", dev);
		return -1;
	}
	return find_parent(fs, vif, pid);
}

int vif_set_init(struct vif_set *set, const struct nnfs *fs,
		 const struct netdev_list *devs, pid_t pid)
{
	set->fs = fs;
	set->count = devs->count;
	set->vif = calloc(devs->count, sizeof(*set->vif));
	if (!set->vif) {
		complain_errno("%zu devices", devs->count);
		return -1;
	}
	for (size_t i = 0; i < devs->count; i++)
		if (init_vif(fs, &set->vif[i], devs->name[i], pid))
			return -1;
	return 0;
}

/* Earlier netnices of the same process may hold the name: count on. */
static int make_below(const struct nnfs *fs, struct vif *vif, pid_t pid,
		      const char *users)
{
	char name[NETNICE_NAME_MAX + 1];

	for (int n = 1; n <= NAMES_MAX; n++) {
		if (n == 1)
			snprintf(name, sizeof(name), "netnice.%d", pid);
		else
			snprintf(name, sizeof(name), "netnice.%d.%d", pid, n);
		snprintf(vif->path, PATH_MAX, "%s/%s%s", vif->parent, users,
			 name);
		vif->made = !mkdirat(fs->fd, vif->path, 0755);
		if (vif->made)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return -1;
}

/*
 * Below a VIF that is not ours, in the one that each user may have there. It comes
 * and goes with what is below it, at any moment: try again.
 */
static int make_below_users(const struct nnfs *fs, struct vif *vif, pid_t pid)
{
	char users[sizeof("user-4294967295/")];

	snprintf(users, sizeof(users), "user-%u/", geteuid());
	for (int n = 0; n < TRIES_MAX; n++) {
		snprintf(vif->path, PATH_MAX, "%s/%s", vif->parent, users);
		vif->made_users = !mkdirat(fs->fd, vif->path, 0755);
		if (!vif->made_users && errno != EEXIST)
			return -1;
		if (!make_below(fs, vif, pid, users))
			return 0;
		if (errno != ENOENT)
			return -1;
	}
	return -1;
}

static int make_directory(const struct nnfs *fs, struct vif *vif, pid_t pid)
{
	if (!make_below(fs, vif, pid, ""))
		return 0;
	if (errno == EACCES && !make_below_users(fs, vif, pid))
		return 0;
	nnfs_warn(fs, "%s: %s", vif->dev, vif->path);
	return -1;
}

static int set_guard(const struct nnfs *fs, struct vif *vif)
{
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "%s/autoremove", vif->path);
	vif->guard = openat(fs->fd, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (vif->guard >= 0 && write(vif->guard, "1\n", 2) == 2)
		return 0;
	nnfs_warn(fs, "%s: %s", vif->dev, file);
	return -1;
}

struct making {
	const struct nnfs *fs;
	struct vif *vif;
	pid_t pid;
	bool done;
};

static int make_and_guard(void *arg)
{
	struct making *m = arg;

	setpgid(0, 0);
	m->done = !make_directory(m->fs, m->vif, m->pid) &&
		  !set_guard(m->fs, m->vif);
	return 0;
}

/*
 * Done by a child with our memory and descriptors, in a process group of its
 * own, while we wait: if we or our group are killed meanwhile, it goes on to
 * the end; then the guard's last descriptor is closed.
 */
static int make_guarded(const struct nnfs *fs, struct vif *vif, pid_t pid)
{
	static alignas(16) char stack[STACK_SIZE];
	struct making m = { .fs = fs, .vif = vif, .pid = pid };
	pid_t child;

	child = clone(make_and_guard, stack + sizeof(stack),
		      CLONE_VM | CLONE_FILES | CLONE_VFORK | SIGCHLD, &m);
	if (child < 0) {
		complain_errno("%s", vif->dev);
		return -1;
	}
	waitpid(child, NULL, 0);
	return m.done ? 0 : -1;
}

static int set_bandwidth(const struct nnfs *fs, const struct vif *vif,
			 const char *bandwidth, const char *rate)
{
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "%s/bandwidth", vif->path);
	if (!nnfs_write(fs->fd, file, bandwidth))
		return 0;
	nnfs_warn(fs, "%s: %s", vif->dev, rate);
	return -1;
}

int vif_set_create(struct vif_set *set, pid_t pid, const char *bandwidth,
		   const char *rate)
{
	for (size_t i = 0; i < set->count; i++) {
		struct vif *vif = &set->vif[i];

		if (make_guarded(set->fs, vif, pid) ||
		    set_bandwidth(set->fs, vif, bandwidth, rate))
			return -1;
	}
	return 0;
}

int vif_set_attach(const struct vif_set *set, pid_t pid)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct vif *vif = &set->vif[i];
		int err;

		if (!nnfs_attach(set->fs, pid, vif->path))
			continue;
		err = errno;
		if (err != ESRCH)
			nnfs_warn(set->fs, "%s: PID %d", vif->dev, pid);
		errno = err;
		return -1;
	}
	return 0;
}

static bool is_attached(const struct nnfs *fs, const struct vif *vif,
			pid_t pid)
{
	char *now = nnfs_attachment(fs, pid, vif->dev);
	bool same = now && !strcmp(now, vif->path);

	free(now);
	return same;
}

bool vif_set_has(const struct vif_set *set, pid_t pid)
{
	for (size_t i = 0; i < set->count; i++)
		if (!is_attached(set->fs, &set->vif[i], pid))
			return false;
	return true;
}

void vif_set_detach(const struct vif_set *set, pid_t pid)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct vif *vif = &set->vif[i];

		if (!vif->made || !is_attached(set->fs, vif, pid))
			continue;
		/* what an administrator has attached is still there, below ours */
		if (!vif->had_link ||
		    nnfs_attach(set->fs, pid, vif->parent))
			nnfs_detach(set->fs, pid, vif->dev);
	}
}

/* With a VIF below it, it goes by itself. */
static void remove_users(const struct nnfs *fs, struct vif *vif)
{
	*strrchr(vif->path, '/') = '\0';
	unlinkat(fs->fd, vif->path, AT_REMOVEDIR);
}

/* The kernel may be faster than our rmdir: no message. */
void vif_set_undo(struct vif_set *set)
{
	for (size_t i = set->count; i-- > 0;) {
		struct vif *vif = &set->vif[i];

		if (vif->made)
			unlinkat(set->fs->fd, vif->path, AT_REMOVEDIR);
		if (vif->made_users)
			remove_users(set->fs, vif);
		if (vif->guard >= 0)
			close(vif->guard);
	}
}
