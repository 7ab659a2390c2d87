// SPDX-License-Identifier: GPL-2.0
/*
 * Create VIFs so that nothing is left behind after any failure. Once a VIF has autoremove set, the
 * kernel removes it when its last user is gone, and our descriptor of that file is a user. Until
 * then only our own rmdir would remove it. So signals are blocked, and a SIGKILL must not hit these
 * steps: see make_guarded().
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

#include "belonging.h"
#include "complain.h"
#include "failure.h"
#include "rate.h"
#include "userns.h"

#define NAMES_MAX	1000
#define NUMBER_BYTES	12	/* "." and any number */
#define STACK_SIZE	65536
#define TRIES_MAX	100

static char *copy(const char *path)
{
	return path ? strdup(path) : NULL;
}

static bool is_number(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

bool vif_is_named_for(const char *path, const struct subject *subject, const char *name)
{
	const char *last = strrchr(path, '/');
	char base[NETNICE_NAME_MAX + 1 - NUMBER_BYTES];
	size_t len;

	if (!last)
		return false;
	if (name)
		return !strcmp(last + 1, name);
	subject_vif_name(subject, base, sizeof(base));
	len = strlen(base);
	return !strncmp(last + 1, base, len) &&
	       (!last[1 + len] || (last[1 + len] == '.' && is_number(last + 1 + len + 1)));
}

static bool may_set(const struct nnfs *fs, const char *vif)
{
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "%s/%s", vif, params[PARAM_BANDWIDTH].name);
	return !faccessat(fs->fd, file, W_OK, AT_EACCESS);
}

/* A VIF of an administrator's is not the user's to set: then one is made below it. */
static void find_again(const struct nnfs *fs, struct vif *vif, const struct subject *subject,
		       const char *own, const char *name)
{
	vif->is_again = own && vif_is_named_for(own, subject, name) && may_set(fs, own);
	if (vif->is_again)
		snprintf(vif->path, PATH_MAX, "%s", own);
}

static int find_parent(const struct nnfs *fs, struct vif *vif,
		       const struct subject *subject, const struct vif_settings *settings)
{
	struct belonging belonging;
	char *words;
	int err;

	if (!belonging_find(&belonging, fs, &subject->target, vif->dev)) {
		const char *own = belonging_own(&belonging);

		vif->parent = copy(belonging_above(&belonging));
		vif->before = copy(own);
		if (settings->again)
			find_again(fs, vif, subject, own, settings->name);
		belonging_free(&belonging);
		if (vif->parent && (vif->before || !own))
			return 0;
		/* there is one, below a VIF that the caller may not search */
		errno = EACCES;
	}
	err = errno;
	words = subject_words(subject);
	errno = err;
	if (err == EINVAL)
		complain("%s: %s: a kernel thread cannot be attached: name a process",
			 vif->dev, words ?: "it");
	else
		nnfs_warn(fs, "%s: cannot read the attachment of %s", vif->dev,
			  words ?: "it");
	free(words);
	return -1;
}

/* All memory is had now: later a failure might leave a VIF behind. */
static int init_vif(const struct nnfs *fs, struct vif *vif, const char *dev,
		    const struct subject *subject, const struct vif_settings *settings)
{
	vif->dev = dev;
	vif->guard = -1;
	vif->path = malloc(PATH_MAX);
	if (!vif->path) {
		complain_errno("%s", dev);
		return -1;
	}
	return find_parent(fs, vif, subject, settings);
}

int vif_set_init(struct vif_set *set, struct netnice *nn,
		 const struct netdev_list *devs, const struct subject *subject,
		 const struct vif_settings *settings)
{
	*set = (struct vif_set) { .nn = nn, .fs = &nn->fs };
	set->vif = calloc(devs->count, sizeof(*set->vif));
	if (!set->vif) {
		complain_errno("%zu devices", devs->count);
		return -1;
	}
	set->count = devs->count;
	for (size_t i = 0; i < devs->count; i++)
		if (init_vif(set->fs, &set->vif[i], devs->name[i], subject, settings))
			return -1;
	return 0;
}

void vif_set_free(struct vif_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->vif[i].parent);
		free(set->vif[i].before);
		free(set->vif[i].path);
	}
	free(set->vif);
}

/*
 * The caller may not write to the VIF above: the kernel reports this only if no VIF there has the
 * name. Then the VIF is created in the user's own VIF.
 */
static int make_named(struct netnice *nn, struct vif *vif, const char *users,
		      const char *name)
{
	snprintf(vif->path, PATH_MAX, "%s%s/%s", vif->parent, users, name);
	vif->made = !netnice_create(nn, vif->path, 0755);
	if (vif->made)
		return 0;
	if (errno == EEXIST && !*users &&
	    faccessat(nn->fs.fd, vif->parent, W_OK | X_OK, AT_EACCESS))
		errno = EACCES;
	return -1;
}

/* Earlier netnices of the same process may hold the name: count on. */
static int make_counted(struct netnice *nn, struct vif *vif,
			const char *users, const char *base)
{
	char name[NETNICE_NAME_MAX + 1];

	for (int n = 1; n <= NAMES_MAX; n++) {
		if (n == 1)
			snprintf(name, sizeof(name), "%s", base);
		else
			snprintf(name, sizeof(name), "%s.%d", base, n);
		if (!make_named(nn, vif, users, name))
			return 0;
		if (errno != EEXIST)
			break;
	}
	return -1;
}

struct making {
	struct netnice *nn;
	struct vif *vif;
	const char *name;	/* the requested name; NULL: @base and a number */
	char base[NETNICE_NAME_MAX + 1 - NUMBER_BYTES];	/* the beginning of its name */
	bool done;
};

static int make_below(const struct making *m, const char *users)
{
	return m->name ? make_named(m->nn, m->vif, users, m->name) :
			 make_counted(m->nn, m->vif, users, m->base);
}

/*
 * Below a VIF that is not ours, in the one that each user may have there. It comes
 * and goes with what is below it, at any moment: try again.
 */
static int make_below_users(const struct making *m)
{
	char users[sizeof("/user-4294967295")];
	struct vif *vif = m->vif;

	snprintf(users, sizeof(users), "/user-%u", userns_number());
	for (int n = 0; n < TRIES_MAX; n++) {
		snprintf(vif->path, PATH_MAX, "%s%s", vif->parent, users);
		if (netnice_create(m->nn, vif->path, 0755) && errno != EEXIST)
			return -1;
		if (!make_below(m, users))
			return 0;
		if (errno != ENOENT)
			return -1;
	}
	return -1;
}

static int make_directory(const struct making *m)
{
	if (!make_below(m, ""))
		return 0;
	if (errno == EACCES && !make_below_users(m))
		return 0;
	if (errno == EEXIST && nnfs_is_file(&m->nn->fs, m->vif->path))
		complain("%s: the name '%s' is reserved: each VIF has a file of that name",
			 m->vif->dev, m->name);
	else if (errno == EEXIST)
		complain("%s: VIF %s already exists: give another name, or none",
			 m->vif->dev, m->vif->path);
	else
		nnfs_warn(&m->nn->fs, "%s: %s", m->vif->dev, m->vif->path);
	return -1;
}

static int set_guard(struct netnice *nn, struct vif *vif)
{
	vif->guard = netnice_hold(nn, vif->path);
	if (vif->guard >= 0)
		return 0;
	nnfs_warn(&nn->fs, "%s: %s/autoremove", vif->dev, vif->path);
	return -1;
}

static int make_and_guard(void *arg)
{
	struct making *m = arg;

	setpgid(0, 0);
	handle_take(m->nn);
	m->done = !make_directory(m) && !set_guard(m->nn, m->vif);
	return 0;
}

/*
 * A child does this with our memory and descriptors, in a process group of its own, while we wait.
 * If we or our group are killed meanwhile, the child continues to the end. Then the last descriptor
 * of the guard is closed.
 */
static int make_guarded(struct making *m)
{
	static alignas(16) char stack[STACK_SIZE];
	pid_t child;

	child = clone(make_and_guard, stack + sizeof(stack),
		      CLONE_VM | CLONE_FILES | CLONE_VFORK | SIGCHLD, m);
	if (child < 0) {
		complain_errno("%s", m->vif->dev);
		return -1;
	}
	waitpid(child, NULL, 0);
	handle_take(m->nn);
	return m->done ? 0 : -1;
}

static int set_param(struct netnice *nn, const struct vif *vif,
		     const struct param *param, const char *value)
{
	char *text = rate_absolute(&nn->fs, vif->path, value);
	int ret = text ? netnice_set(nn, vif->path, param->name, text) : -1;

	if (text && ret)
		nnfs_warn(&nn->fs, "%s: %s", vif->dev, value);
	free(text);
	return ret;
}

static int set_params(struct netnice *nn, const struct vif *vif,
		      const struct vif_settings *settings)
{
	for (size_t i = 0; i < PARAM_DIRECTED; i++)
		if (settings->value[i] &&
		    set_param(nn, vif, &params[i], settings->value[i]))
			return -1;
	return 0;
}

int vif_set_create(struct vif_set *set, const struct subject *subject,
		   const struct vif_settings *settings)
{
	struct making m = { .nn = set->nn, .name = settings->name };

	subject_vif_name(subject, m.base, sizeof(m.base));
	netnice_begin(set->nn);
	for (size_t i = 0; i < set->count; i++) {
		m.vif = &set->vif[i];
		m.done = false;
		if ((!m.vif->is_again && make_guarded(&m)) ||
		    set_params(set->nn, m.vif, settings))
			return -1;
	}
	return 0;
}

/* Since vif_set_init(); by netniced, say. */
static bool has_moved(const struct nnfs *fs, const struct vif *vif,
		      const struct subject *subject)
{
	struct belonging belonging;
	const char *above;
	bool moved;

	if (belonging_find(&belonging, fs, &subject->target, vif->dev))
		return false;
	above = belonging_above(&belonging);
	moved = above && strcmp(above, vif->parent);
	belonging_free(&belonging);
	return moved;
}

int vif_set_attach(const struct vif_set *set, const struct subject *subject)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct vif *vif = &set->vif[i];
		char *words;
		int err;

		nnfs_refresh(set->fs);
		if (vif->is_again || !subject_attach(set->fs, subject, vif->path))
			continue;
		err = errno;
		words = subject_words(subject);
		if (err == EPERM && has_moved(set->fs, vif, subject))
			err = EAGAIN;
		if (err != ESRCH && err != EAGAIN)
			nnfs_warn(set->fs, "%s: %s", vif->dev, words ?: "");
		free(words);
		errno = err;
		return -1;
	}
	return 0;
}

void vif_set_detach(const struct vif_set *set, const struct subject *subject)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct vif *vif = &set->vif[i];

		if (!vif->made || !belonging_is_at(set->fs, &subject->target, vif->path))
			continue;
		/* an administrator's attachment still exists, below ours */
		if (!vif->before || subject_attach(set->fs, subject, vif->before))
			target_detach(set->fs, &subject->target, vif->dev);
	}
}

/* The kernel may be faster than our rmdir: no message. */
void vif_set_undo(struct vif_set *set)
{
	netnice_rollback(set->nn, NULL, NULL);
	for (size_t i = 0; i < set->count; i++)
		if (set->vif[i].guard >= 0)
			close(set->vif[i].guard);
}
