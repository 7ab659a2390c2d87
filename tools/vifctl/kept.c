// SPDX-License-Identifier: GPL-2.0
/*
 * For save.c and restore.c: a tree as vif_list.c reads it, with links as the file system has them.
 */
#include "kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "attached.h"
#include "path.h"
#include "target_word.h"
#include "wanted.h"

int kept_read(struct vif_list *list, const struct genl *genl, const char *path)
{
	return vif_list_read(list, genl, path, VIF_SETTINGS);
}

/* Netlink omits VIFs that the caller may not see. A file without them would be wrong. */
static bool may_see(const struct nnfs *fs, const char *path)
{
	return !faccessat(fs->fd, path, R_OK | X_OK, AT_EACCESS) || errno != EACCES;
}

static int add_link(struct vif_info *vif, const struct nnfs *fs,
		    const struct attached *attached)
{
	struct target target = { .kind = &target_kinds[attached->kind] };
	struct target *link;

	if (!wanted_keeps(target.kind) || !attached->name)
		return 0;
	target.name = target_normal(target.kind, attached->name);
	if (!target.name)
		return -1;
	/* it may have been given to one VIF and have chosen another, which counts */
	if (!target_is_at(fs, &target, vif->path)) {
		free(target.name);
		return 0;
	}
	link = array_add(&vif->link, &vif->n_links, sizeof(*link));
	if (!link) {
		free(target.name);
		return -1;
	}
	*link = target;
	return 0;
}

/* Netlink says only whether there is one. */
static int add_program(struct vif_info *vif, const struct nnfs *fs)
{
	const struct param *program = &params[PARAM_PROGRAM];
	char *text;

	if (!vif->is_readable)
		return 0;
	text = vif->side[VIF_EGRESS].program || vif->side[VIF_INGRESS].program ?
	       nnfs_read_vif(fs, vif->path, program->name) : strdup(program->initial);
	/* it has gone just now */
	if (!text && errno == ENOENT)
		text = strdup(program->initial);
	vif->param[PARAM_PROGRAM] = text ? param_normal(program, text) : NULL;
	free(text);
	return vif->param[PARAM_PROGRAM] ? 0 : -1;
}

static int link_order(const void *a, const void *b)
{
	return target_compare(a, b);
}

static int add_links(struct vif_info *vif, const struct nnfs *fs,
		     const struct attachments *attachments)
{
	const struct attached *attached;
	size_t count;

	attached = attachments_of(attachments, vif->id, &count);
	for (size_t i = 0; i < count; i++)
		if (add_link(vif, fs, &attached[i]))
			return -1;
	if (vif->n_links)
		qsort(vif->link, vif->n_links, sizeof(*vif->link), link_order);
	return 0;
}

int kept_finish(struct vif_list *list, const struct genl *genl, const struct nnfs *fs)
{
	struct attachments attachments;
	int ret = 0;

	vif_list_sort(list);
	for (size_t i = 0; i < list->count; i++)
		if (!may_see(fs, list->vif[i].path))
			return -1;
	if (attachments_read(&attachments, genl, NULL))
		return -1;
	for (size_t i = 0; !ret && i < list->count; i++)
		ret = add_links(&list->vif[i], fs, &attachments) ?:
		      add_program(&list->vif[i], fs);
	attachments_free(&attachments);
	return ret;
}

static bool is_autoremoved(const struct vif_info *vif)
{
	const char *autoremove = vif->param[PARAM_AUTOREMOVE];

	return autoremove && !strcmp(autoremove, "1");
}

/* Attachments to it, or to VIFs below it */
static bool has_links(const struct vif_list *list, size_t i)
{
	const unsigned int depth = list->vif[i].depth;

	do {
		if (list->vif[i].n_links)
			return true;
		i++;
	} while (i < list->count && list->vif[i].depth > depth);
	return false;
}

bool kept_is_transient(const struct vif_list *list, const struct vif_info *vif)
{
	/* itself, and those above it */
	for (int i = vif - list->vif; i >= 0; i = list->vif[i].above)
		if (is_autoremoved(&list->vif[i]) &&
		    (path_is_of_unit(list->vif[i].path) || !has_links(list, i)))
			return true;
	return false;
}
