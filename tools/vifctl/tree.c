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
#include <unistd.h>

#include "setting.h"

static int walk(struct tree *tree, const struct nnfs *fs, const char *path,
		unsigned int depth);

static bool is_gone(int err)
{
	return err == ENOENT || err == ENODEV || err == ESTALE;
}

static int read_params(struct vif_info *vif, int dirfd)
{
	for (size_t i = 0; i < PARAM_COUNT; i++) {
		vif->param[i] = setting_read(&params[i], dirfd);
		if (!vif->param[i] && errno != EACCES && errno != EPERM)
			return -1;
	}
	return 0;
}

static void free_vif(struct vif_info *vif)
{
	free(vif->path);
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
	int err;

	vif.path = strdup(path);
	if (!vif.path || read_params(&vif, dirfd))
		goto fail;
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

void tree_init(struct tree *tree)
{
	*tree = (struct tree) { 0 };
}

void tree_free(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		free_vif(&tree->vif[i]);
	free(tree->vif);
	free(tree->by_path);
	tree_init(tree);
}

int tree_read(struct tree *tree, const struct nnfs *fs, const char *path)
{
	free(tree->by_path);
	tree->by_path = NULL;
	if (path)
		return walk(tree, fs, path, 0);
	return walk_children(tree, fs, fs->fd, NULL, 0);
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
