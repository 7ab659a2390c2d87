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

#include "setting.h"

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

/* A file that may not be read is no failure: the rest can be shown. */
static int read_file(int dirfd, const char *name, char **text)
{
	*text = nnfs_read(dirfd, name);
	return *text || errno == EACCES || errno == EPERM ? 0 : -1;
}

static int read_bandwidth(struct vif_info *vif, int dirfd)
{
	char *text;

	if (read_file(dirfd, "bandwidth", &text))
		return -1;
	if (text) {
		vif->egress = rate_of(text, "egress");
		vif->ingress = rate_of(text, "ingress");
		free(text);
	}
	return 0;
}

static bool is_wanted(enum param_id id, unsigned int what)
{
	return what & TREE_PARAMS ||
	       (what & TREE_SHARES && (id == PARAM_WEIGHT || id == PARAM_PRIORITY));
}

static int read_params(struct vif_info *vif, int dirfd, unsigned int what)
{
	for (size_t i = 0; i < PARAM_COUNT; i++) {
		if (!is_wanted(i, what))
			continue;
		vif->param[i] = setting_read(&params[i], dirfd);
		if (!vif->param[i] && errno != EACCES && errno != EPERM)
			return -1;
	}
	return 0;
}

static int read_files(struct vif_info *vif, int dirfd, unsigned int what)
{
	int ret = read_bandwidth(vif, dirfd);

	if (!ret && (what & TREE_STAT))
		ret = read_file(dirfd, "stat", &vif->stat);
	if (!ret)
		ret = read_params(vif, dirfd, what);
	return ret;
}

static void free_vif(struct vif_info *vif)
{
	free(vif->path);
	free(vif->egress);
	free(vif->ingress);
	free(vif->stat);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		free(vif->param[i]);
	for (size_t i = 0; i < vif->n_links; i++)
		free(vif->link[i].name);
	free(vif->link);
}

static int add_vif(struct tree *tree, int dirfd, const char *path,
		   unsigned int depth)
{
	struct vif_info vif = { .depth = depth };
	struct vif_info *more;
	struct stat st;
	char *slash;
	int err;

	vif.path = strdup(path);
	if (!vif.path || fstat(dirfd, &st) || read_files(&vif, dirfd, tree->what))
		goto fail;
	vif.id = st.st_ino;
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
static void mark_last(struct tree *tree, size_t from)
{
	bool followed[NETNICE_DEPTH_MAX + 2] = { false };

	for (size_t i = tree->count; i-- > from;) {
		struct vif_info *vif = &tree->vif[i];

		vif->last = !followed[vif->depth];
		followed[vif->depth] = true;
		followed[vif->depth + 1] = false;
	}
}

void tree_init(struct tree *tree, unsigned int what)
{
	*tree = (struct tree) { .what = what };
}

void tree_free(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		free_vif(&tree->vif[i]);
	free(tree->vif);
	free(tree->by_path);
	tree_init(tree, 0);
}

int tree_read(struct tree *tree, const struct nnfs *fs, const char *path)
{
	size_t from = tree->count;
	int ret;

	free(tree->by_path);
	tree->by_path = NULL;
	if (path)
		ret = walk(tree, fs, path, 0);
	else
		ret = walk_children(tree, fs, fs->fd, NULL, 0);
	mark_last(tree, from);
	return ret;
}

static int by_path(const void *a, const void *b)
{
	const struct vif_info *const *x = a, *const *y = b;

	return strcmp((*x)->path, (*y)->path);
}

static int make_index(struct tree *tree)
{
	tree->by_path = calloc(tree->count + 1, sizeof(*tree->by_path));
	if (!tree->by_path)
		return -1;
	for (size_t i = 0; i < tree->count; i++)
		tree->by_path[i] = &tree->vif[i];
	qsort(tree->by_path, tree->count, sizeof(*tree->by_path), by_path);
	return 0;
}

struct vif_info *tree_find(struct tree *tree, const char *path)
{
	const struct vif_info key = { .path = (char *)path };
	const struct vif_info *wanted = &key;
	struct vif_info **found;

	if (!tree->by_path && make_index(tree))
		return NULL;
	found = bsearch(&wanted, tree->by_path, tree->count,
			sizeof(*tree->by_path), by_path);
	return found ? *found : NULL;
}

static int add_link(struct tree *tree, const char *path,
		    const struct target_kind *kind, const char *name)
{
	struct vif_info *vif = tree_find(tree, path);
	struct target *more;
	char *copy;

	if (!vif)
		return tree->by_path ? 0 : -1;
	copy = strdup(name);
	more = realloc(vif->link, (vif->n_links + 1) * sizeof(*more));
	if (more)
		vif->link = more;
	if (!copy || !more) {
		free(copy);
		return -1;
	}
	vif->link[vif->n_links++] = (struct target) { kind, copy };
	return 0;
}

static int read_link(struct tree *tree, const struct nnfs *fs,
		     const char *link, const struct target_kind *kind,
		     const char *name)
{
	char *vif = nnfs_link(fs, link);
	int ret;

	if (!vif)
		return is_gone(errno) ? 0 : -1;
	ret = add_link(tree, vif, kind, name);
	free(vif);
	return ret;
}

static int is_link_or_directory(const struct dirent *entry)
{
	return entry->d_type == DT_LNK || is_directory(entry);
}

static int walk_links(struct tree *tree, const struct nnfs *fs,
		      const char *path, const struct target_kind *kind,
		      const char *name);

static int walk_link(struct tree *tree, const struct nnfs *fs,
		     const char *path, const struct target_kind *kind,
		     const char *name, const struct dirent *entry)
{
	char *below = NULL, *deeper = NULL;
	int ret = -1;

	if (asprintf(&below, "%s/%s", path, entry->d_name) < 0)
		return -1;
	if (entry->d_type == DT_LNK)
		ret = read_link(tree, fs, below, kind, name);
	else if (asprintf(&deeper, "%s%s%s", strcmp(name, "/") ? name : "",
			  strcmp(name, "/") ? "/" : "", entry->d_name) >= 0)
		ret = walk_links(tree, fs, below, kind, deeper);
	free(below);
	free(deeper);
	return ret;
}

/* @path is the directory of @name, "/" at the top: links, and what is below. */
static int walk_links(struct tree *tree, const struct nnfs *fs,
		      const char *path, const struct target_kind *kind,
		      const char *name)
{
	struct dirent **entry;
	int n, ret = 0;

	n = scandirat(fs->fd, path, &entry, is_link_or_directory, alphasort);
	if (n < 0)
		return is_gone(errno) || errno == EACCES ? 0 : -1;
	for (int i = 0; i < n; i++) {
		if (!ret)
			ret = walk_link(tree, fs, path, kind, name, entry[i]);
		free(entry[i]);
	}
	free(entry);
	return ret;
}

static int link_order(const void *a, const void *b)
{
	return target_compare(a, b);
}

int tree_read_links(struct tree *tree, const struct nnfs *fs)
{
	if (walk_links(tree, fs, "cgroups", &target_kinds[TARGET_CGROUP], "/") ||
	    walk_links(tree, fs, "devices", &target_kinds[TARGET_DEVICE], "/"))
		return -1;
	for (size_t i = 0; i < tree->count; i++)
		if (tree->vif[i].n_links)
			qsort(tree->vif[i].link, tree->vif[i].n_links,
			      sizeof(*tree->vif[i].link), link_order);
	return 0;
}
