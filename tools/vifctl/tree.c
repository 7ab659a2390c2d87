// SPDX-License-Identifier: GPL-2.0
/* Walking the directories of the VIFs. */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netnice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int walk(struct tree *tree, const struct nnfs *fs, const char *path,
		unsigned int depth);

static bool is_gone(int err)
{
	return err == ENOENT || err == ENODEV || err == ESTALE;
}

/* The word behind "egress " or "ingress " in the file's text. */
static char *rate_of(const char *text, const char *direction)
{
	size_t len = strlen(direction);
	const char *line = text;

	while (line && *line) {
		if (!strncmp(line, direction, len) && line[len] == ' ') {
			line += len + 1;
			return strndup(line, strcspn(line, "\n"));
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}

static int add_tasks(struct vif_info *vif, char *text)
{
	struct task *more;
	char *save, *word;
	pid_t pid;

	for (word = strtok_r(text, "\n ", &save); word;
	     word = strtok_r(NULL, "\n ", &save)) {
		pid = process_parse_pid(word);
		if (!pid)
			continue;
		more = realloc(vif->task, (vif->n_tasks + 1) * sizeof(*more));
		if (!more)
			return -1;
		vif->task = more;
		vif->task[vif->n_tasks].pid = pid;
		process_comm(pid, vif->task[vif->n_tasks++].comm);
	}
	return 0;
}

/* A file that may not be read is no failure: the rest can be shown. */
static int read_file(int dirfd, const char *name, char **text)
{
	*text = nnfs_read(dirfd, name);
	return *text || errno == EACCES || errno == EPERM ? 0 : -1;
}

static int read_files(struct vif_info *vif, int dirfd, bool with_stat)
{
	char *bandwidth, *tasks;
	int ret = 0;

	if (read_file(dirfd, "bandwidth", &bandwidth))
		return -1;
	if (bandwidth) {
		vif->egress = rate_of(bandwidth, "egress");
		vif->ingress = rate_of(bandwidth, "ingress");
		free(bandwidth);
	}
	if (read_file(dirfd, "tasks", &tasks))
		return -1;
	if (tasks)
		ret = add_tasks(vif, tasks);
	free(tasks);
	if (!ret && with_stat)
		ret = read_file(dirfd, "stat", &vif->stat);
	return ret;
}

static void free_vif(struct vif_info *vif)
{
	free(vif->path);
	free(vif->egress);
	free(vif->ingress);
	free(vif->task);
	free(vif->stat);
}

static int add_vif(struct tree *tree, int dirfd, const char *path,
		   unsigned int depth)
{
	struct vif_info vif = { .depth = depth };
	struct vif_info *more;
	char *slash;
	int err;

	vif.path = strdup(path);
	if (!vif.path || read_files(&vif, dirfd, tree->with_stat))
		goto fail;
	slash = strrchr(vif.path, '/');
	vif.name = slash ? slash + 1 : vif.path;

	more = realloc(tree->vif, (tree->count + 1) * sizeof(*more));
	if (!more)
		goto fail;
	tree->vif = more;
	tree->vif[tree->count++] = vif;
	return 0;
fail:
	err = errno;
	free_vif(&vif);
	errno = err;
	return -1;
}

/* Our own mount has no other file systems in it: each directory is a VIF. */
static int is_directory(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && strcmp(entry->d_name, ".") &&
	       strcmp(entry->d_name, "..");
}

static int is_device(const struct dirent *entry)
{
	return is_directory(entry) && !nnfs_is_reserved(entry->d_name);
}

static int walk_children(struct tree *tree, const struct nnfs *fs, int dirfd,
			 const char *path, unsigned int depth)
{
	struct dirent **entry;
	int n, ret = 0;

	n = scandirat(dirfd, ".", &entry, path ? is_directory : is_device,
		      versionsort);
	if (n < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		char *child = NULL;

		if (!ret && asprintf(&child, "%s%s%s", path ? path : "",
				     path ? "/" : "", entry[i]->d_name) < 0)
			ret = -1;
		if (!ret && walk(tree, fs, child, depth) &&
		    !is_gone(errno))
			ret = -1;
		free(child);
		free(entry[i]);
	}
	free(entry);
	return ret;
}

static int walk(struct tree *tree, const struct nnfs *fs, const char *path,
		unsigned int depth)
{
	int fd, err, ret;

	fd = openat(fs->fd, path,
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	ret = add_vif(tree, fd, path, depth);
	if (!ret && depth < NETNICE_DEPTH_MAX)
		ret = walk_children(tree, fs, fd, path, depth + 1);
	err = errno;
	close(fd);
	errno = err;
	return ret;
}

/* Not known before all are read: a sibling may vanish meanwhile. */
static void mark_last(struct tree *tree)
{
	bool followed[NETNICE_DEPTH_MAX + 2] = { false };

	for (size_t i = tree->count; i-- > 0;) {
		struct vif_info *vif = &tree->vif[i];

		vif->last = !followed[vif->depth];
		followed[vif->depth] = true;
		followed[vif->depth + 1] = false;
	}
}

int tree_read(struct tree *tree, const struct nnfs *fs, const char *path)
{
	int ret;

	tree->vif = NULL;
	tree->count = 0;
	if (path)
		ret = walk(tree, fs, path, 0);
	else
		ret = walk_children(tree, fs, fs->fd, NULL, 0);
	mark_last(tree);
	return ret;
}
