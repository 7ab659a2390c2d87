// SPDX-License-Identifier: GPL-2.0
/* Operations on /proc/network: printed, and done unless this is a dry run. */
#include "act.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netnice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "effect.h"
#include "failure.h"
#include "log.h"
#include "minimum.h"
#include "nnfs.h"
#include "subuid.h"

static struct netnice nn = { .fs.fd = -1 };
static bool is_dry;

int act_open(bool dry)
{
	is_dry = dry;
	return handle_open(&nn) ?: genl_open(&nn.genl);
}

bool act_is_dry(void)
{
	return is_dry;
}

/* Says what is done. Return: whether it is to be done. */
#define begin(fmt, ...)							\
	(is_dry ? (log_plan(fmt, ##__VA_ARGS__), false) :		\
		  (log_say(LOG_DETAIL, fmt, ##__VA_ARGS__), true))

/* Says why it failed; errno stays. */
static int fail(const char *what, const char *path)
{
	char why[NNFS_SENTENCE_MAX];
	int err = errno;

	nnfs_explain(&nn.fs, why);
	log_say(LOG_ERROR, "%s %s: %s", what, path, why);
	errno = err;
	return -1;
}

/* A process or group may go at any time: nothing to be said about that, now or later. */
static int fail_unless_gone(const char *what, const char *path)
{
	if (errno != ESRCH)
		return fail(what, path);
	nnfs_refresh(&nn.fs);
	errno = ESRCH;
	return -1;
}

/* --- looking ------------------------------------------------------------------- */

static struct target process_of(pid_t pid, char number[16])
{
	snprintf(number, 16, "%d", pid);
	return (struct target) { &target_kinds[TARGET_PROCESS], number };
}

int act_belonging(pid_t pid, const char *vif, struct belonging *belonging)
{
	char number[16];
	const struct target process = process_of(pid, number);

	return belonging_read(belonging, &nn.genl, &nn.fs, &process, vif);
}

char *act_given(pid_t pid, const char *vif)
{
	struct belonging belonging;
	char *given;

	if (act_belonging(pid, vif, &belonging))
		return NULL;
	given = belonging.given;
	belonging.given = NULL;
	belonging_free(&belonging);
	return given;
}

static struct target group_of(const char *path)
{
	return (struct target) { &target_kinds[TARGET_CGROUP], (char *)(path[1] ? path + 1 : path) };
}

char *act_group_attached(const char *group, const char *vif)
{
	const struct target target = group_of(group);

	return target_vif(&nn.fs, &target, vif);
}

bool act_has_device(const char *vif)
{
	char device[IF_NAMESIZE];

	path_device(vif, device);
	return nnfs_is_vif(&nn.fs, device);
}

bool act_is_vif(const char *vif)
{
	return nnfs_is_vif(&nn.fs, vif);
}

bool act_is_ours(const char *vif)
{
	struct stat st;

	return !fstatat(nn.fs.fd, vif, &st, AT_SYMLINK_NOFOLLOW) &&
	       st.st_uid == geteuid() && !(st.st_mode & 022);
}

bool act_has_effect(const char *vif, const struct settings *settings)
{
	return is_dry || !param_has_share(settings->value) || !strchr(vif, '/') || effect_shares(&nn.fs, vif, EFFECT_BOTH);
}

void act_say_effect(const char *vif, const struct clauses *clauses)
{
	for (size_t i = 0; i < clauses->count && !is_dry; i++)
		effect_clause(vif, &clauses->clause[i], EFFECT_BOTH);
}

bool act_can_pass(pid_t pid, const char *vif)
{
	char number[16];
	const struct target process = process_of(pid, number);

	return is_dry || effect_target(&process, vif);
}

int act_identify(const char *vif, uint64_t *id, int64_t *made_ns)
{
	struct stat st;

	if (fstatat(nn.fs.fd, vif, &st, AT_SYMLINK_NOFOLLOW))
		return -1;
	*id = st.st_ino;
	*made_ns = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec;
	return 0;
}

static uid_t owner_of(const char *vif)
{
	struct stat st;

	return fstatat(nn.fs.fd, vif, &st, AT_SYMLINK_NOFOLLOW) ? 0 : st.st_uid;
}

/* Root's directory, but a subordinate user's own VIF: an account has as many of these as it likes. */
static uid_t namer_in_roots(const char *vif, const char *name)
{
	const uid_t owner = strncmp(name, "user-", strlen("user-")) ? 0 : owner_of(vif);
	uid_t first;

	return subuid_find(owner, &first) ? first : 0;
}

uid_t act_namer(const char *vif)
{
	char above[PATH_MAX];
	const char *slash = strrchr(vif, '/');
	uid_t owner;

	if (!slash)
		return 0;
	snprintf(above, sizeof(above), "%.*s", (int)(slash - vif), vif);
	owner = owner_of(above);
	return owner ? subuid_payer(owner) : namer_in_roots(vif, slash + 1);
}

char *act_read(const char *vif, const char *file)
{
	return nnfs_read_vif(&nn.fs, vif, file);
}

static DIR *open_dir(const char *vif)
{
	int fd = openat(nn.fs.fd, vif, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
			O_NOFOLLOW);

	return fd < 0 ? NULL : fdopendir(fd);
}

/* Pointers and, behind them, the names that they point to: one block. */
char **act_list(const char *vif)
{
	DIR *dir = open_dir(vif);
	struct dirent *entry;
	char *names = NULL, **list = NULL, *at;
	size_t bytes = 0, count = 0;
	FILE *f = dir ? open_memstream(&names, &bytes) : NULL;

	while (f && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
			fwrite(entry->d_name, strlen(entry->d_name) + 1, 1, f);
			count++;
		}
	if (f)
		fclose(f);
	if (dir)
		closedir(dir);
	if (count)
		list = malloc((count + 1) * sizeof(*list) + bytes);
	if (list) {
		at = memcpy(list + count + 1, names, bytes);
		for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
			list[i] = at;
		list[count] = NULL;
	}
	free(names);
	return list;
}

/* --- doing --------------------------------------------------------------------- */

int act_mkdir(const char *vif, bool *made)
{
	if (act_is_vif(vif))
		return 0;
	if (!begin("mkdir " NETNICE_MOUNT_POINT "/%s", vif))
		return 0;
	if (!netnice_create(&nn, vif, 0755))
		*made = true;
	else if (errno != EEXIST)
		return fail("mkdir", vif);
	return 0;
}

int act_rmdir(const char *vif)
{
	if (!begin("rmdir " NETNICE_MOUNT_POINT "/%s", vif))
		return 0;
	if (!netnice_remove(&nn, vif) || errno == ENOENT)
		return 0;
	return fail("rmdir", vif);
}

int act_rename(const char *from, const char *to)
{
	if (!begin("mv " NETNICE_MOUNT_POINT "/%s " NETNICE_MOUNT_POINT "/%s",
		   from, to))
		return 0;
	if (!netnice_move(&nn, from, to))
		return 0;
	return errno == EEXIST ? -1 : fail("mv", from);
}

int act_set(const char *vif, const char *file, const char *value)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", vif, file);
	if (!begin("echo %s > " NETNICE_MOUNT_POINT "/%s", value, path))
		return 0;
	return netnice_set(&nn, vif, file, value) ? fail("echo to", path) : 0;
}

int act_attach(pid_t pid, const char *vif)
{
	if (!begin("echo %d > " NETNICE_MOUNT_POINT "/%s/tasks", pid, vif))
		return 0;
	if (!nnfs_attach(&nn.fs, pid, vif))
		return 0;
	return fail_unless_gone("attach to", vif);
}

int act_detach(pid_t pid, const char *vif)
{
	char device[IF_NAMESIZE];

	path_device(vif, device);
	if (!begin("rm " NETNICE_MOUNT_POINT "/tasks/%d/%s", pid, device))
		return 0;
	if (!nnfs_detach(&nn.fs, pid, device) || errno == ENOENT)
		return 0;
	return fail_unless_gone("detach from", device);
}

int act_attach_group(const char *group, const char *vif)
{
	const struct target target = group_of(group);

	if (!begin("ln -s " NETNICE_MOUNT_POINT "/%s " NETNICE_MOUNT_POINT "/cgroups%s/", vif, group))
		return 0;
	if (!netnice_attach(&nn, vif, target.kind->word, target.name))
		return 0;
	/* either of the two may have gone */
	if (errno == ENOENT && act_is_vif(vif))
		errno = ESRCH;
	return fail_unless_gone("attach the control group", group);
}

int act_detach_group(const char *group, const char *vif)
{
	const struct target target = group_of(group);

	if (!begin("rm " NETNICE_MOUNT_POINT "/cgroups%s/%.*s", group, (int)strcspn(vif, "/"), vif))
		return 0;
	if (!target_detach(&nn.fs, &target, vif) || errno == ENOENT)
		return 0;
	return fail_unless_gone("detach the control group", group);
}

int act_make_own(const char *vif)
{
	char path[PATH_MAX];
	int guard;

	if (!begin("mkdir " NETNICE_MOUNT_POINT "/%s", vif))
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (netnice_create(&nn, vif, 0755))
		return errno == EEXIST ? -1 : fail("mkdir", vif);
	guard = netnice_hold(&nn, vif);
	if (guard < 0) {
		snprintf(path, sizeof(path), "%s/autoremove", vif);
		fail("echo 1 to", path);
		netnice_remove(&nn, vif);
	}
	return guard;
}

int act_guard(const char *vif)
{
	return netnice_hold(&nn, vif);
}

static char *minimum_of(const struct settings *settings)
{
	const struct param *minimum = &params[PARAM_MINIMUM];

	return param_normal(minimum, settings->value[PARAM_MINIMUM] ?:
				     minimum->initial);
}

void act_lower(const char *vif, const struct settings *now,
	       const struct settings *before)
{
	char *had = minimum_of(before), *wanted = minimum_of(now);
	char *lower = had && wanted ? minimum_lower(had, wanted) : NULL;

	if (!lower)
		abort();
	if (strcmp(had, lower) && act_is_vif(vif))
		act_set(vif, params[PARAM_MINIMUM].name, lower);
	free(lower);
	free(wanted);
	free(had);
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

void act_apply(const char *vif, const struct settings *now,
	       const struct settings *before)
{
	for (int i = 0; i < PARAM_DIRECTED; i++)
		if (!is_same(now->value[i], before->value[i]))
			act_set(vif, params[i].name,
				now->value[i] ?: params[i].initial);
}
