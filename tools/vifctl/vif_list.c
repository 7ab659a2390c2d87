// SPDX-License-Identifier: GPL-2.0
/*
 * VIFs may be created and removed during a dump, which contains what it met. Afterwards each VIF is
 * in the list once, together with its parent.
 */
#include "vif_list.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netnice.h>
#include <linux/netnice_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "netlink.h"
#include "path.h"

struct reader {
	struct vif_list *list;
	const char *path;
	unsigned int what;
	FILE *copy;
};

/* A device whose name is reserved has no directory. */
static bool is_nameless(const char *device)
{
	return !device || nnfs_is_reserved(device);
}

int vif_list_take(struct vif_list *list, const struct nlmsghdr *message, unsigned int what)
{
	struct vif_info *vif;
	struct attrs attrs;

	if (!attrs_read(&attrs, message, sizeof(struct genlmsghdr)) ||
	    is_nameless(attrs_string(&attrs, NETNICE_A_VIF_DEVICE)))
		return 0;
	vif = array_add(&list->vif, &list->count, sizeof(*vif));
	if (!vif)
		return -1;
	if (!vif_info_take(vif, &attrs, what))
		return 1;
	errno = ENOMEM;
	return -1;
}

static int take(const struct nlmsghdr *message, void *arg)
{
	const struct reader *reader = arg;
	struct vif_info *vif;
	int ret = vif_list_take(reader->list, message, reader->what);

	if (reader->copy)
		fwrite(message, 1, NLMSG_ALIGN(message->nlmsg_len), reader->copy);
	if (ret <= 0)
		return ret ? MNL_CB_ERROR : MNL_CB_OK;
	vif = &reader->list->vif[reader->list->count - 1];
	vif->is_top = reader->path ? !strcmp(vif->path, reader->path) :
				     vif->name == vif->path;
	return MNL_CB_OK;
}

int vif_list_read(struct vif_list *list, const struct genl *genl,
		  const char *path, unsigned int what)
{
	struct reader reader = {
		.list = list, .path = path, .what = what, .copy = genl->copy,
	};
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request;

	request = genl_request_vifs(genl, buf, path, what & VIF_COUNTERS);
	if (request && !netlink_ask(genl->sock, request, NLM_F_DUMP, take, &reader))
		return 0;
	errno = errno == ENODEV ? ENOENT : errno;
	return -1;
}

/* Takes the first part off a path. */
static void first_part(const char **path, char *part)
{
	size_t len = strcspn(*path, "/");
	size_t kept = len < NETNICE_NAME_MAX ? len : NETNICE_NAME_MAX;

	memcpy(part, *path, kept);
	part[kept] = '\0';
	*path += len + ((*path)[len] == '/');
}

static int by_path(const void *a, const void *b)
{
	const char *x = ((const struct vif_info *)a)->path;
	const char *y = ((const struct vif_info *)b)->path;
	char first[NETNICE_NAME_MAX + 1], second[NETNICE_NAME_MAX + 1];
	int ret = 0;

	while (!ret && *x && *y) {
		first_part(&x, first);
		first_part(&y, second);
		ret = strverscmp(first, second);
	}
	return ret ? ret : (*x != '\0') - (*y != '\0');
}

static int by_id(const void *a, const void *b)
{
	const struct vif_info *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* The newer one first, where one was made anew meanwhile */
static int by_place(const void *a, const void *b)
{
	int ret = by_path(a, b);

	return ret ? ret : by_id(b, a);
}

/* Once each, though it was moved meanwhile, or asked for twice */
static void drop_doubles(struct vif_list *list)
{
	struct vif_info *vif = list->vif;
	size_t kept = 0;

	qsort(vif, list->count, sizeof(*vif), by_id);
	for (size_t i = 0; i < list->count; i++) {
		if (kept && vif[kept - 1].id == vif[i].id) {
			vif[kept - 1].is_top |= vif[i].is_top;
			vif_info_free(&vif[i]);
		} else {
			vif[kept++] = vif[i];
		}
	}
	list->count = kept;
}

/* Finds the one above among the first @count. Return: whether there is one, or none is due. */
static bool find_above(struct vif_info *vif, const struct vif_info *all, int count)
{
	const size_t len = vif->name == vif->path ? 0 : vif->name - 1 - vif->path;

	for (vif->above = count - 1; vif->above >= 0; vif->above = all[vif->above].above)
		if (path_is_below(vif->path, all[vif->above].path))
			break;
	if (vif->above >= 0 && strlen(all[vif->above].path) != len)
		vif->above = -1;
	vif->depth = vif->above < 0 ? 0 : all[vif->above].depth + 1;
	return (vif->above >= 0 || vif->is_top) && vif->depth <= NETNICE_DEPTH_MAX;
}

/* Of one name one; and none whose parent is not there, as that has got another name. */
static void drop_strays(struct vif_list *list)
{
	struct vif_info *vif = list->vif;
	size_t kept = 0;

	qsort(vif, list->count, sizeof(*vif), by_place);
	for (size_t i = 0; i < list->count; i++)
		if ((!kept || strcmp(vif[kept - 1].path, vif[i].path)) &&
		    find_above(&vif[i], vif, kept))
			vif[kept++] = vif[i];
		else
			vif_info_free(&vif[i]);
	list->count = kept;
}

/* Not known before all are read: a sibling may vanish meanwhile. */
static void mark_last(struct vif_list *list)
{
	bool followed[NETNICE_DEPTH_MAX + 2] = { false };

	for (size_t i = list->count; i-- > 0;) {
		struct vif_info *vif = &list->vif[i];

		vif->is_last = !followed[vif->depth];
		followed[vif->depth] = true;
		followed[vif->depth + 1] = false;
	}
}

int vif_list_sort(struct vif_list *list)
{
	if (list->count) {
		drop_doubles(list);
		drop_strays(list);
		mark_last(list);
	}
	errno = ENOENT;
	return list->count ? 0 : -1;
}

int vif_list_get(struct vif_list *list, const struct genl *genl,
		 const char *path, unsigned int what)
{
	*list = (struct vif_list) { 0 };
	/* it may have gone, or got another name, just now */
	if (!vif_list_read(list, genl, path, what) &&
	    (!vif_list_sort(list) || !path))
		return 0;
	vif_list_free(list);
	return -1;
}

void vif_list_free(struct vif_list *list)
{
	int err = errno;

	for (size_t i = 0; i < list->count; i++)
		vif_info_free(&list->vif[i]);
	free(list->vif);
	*list = (struct vif_list) { 0 };
	errno = err;
}

struct vif_info *vif_list_find(const struct vif_list *list, const char *path)
{
	const struct vif_info key = { .path = (char *)path };

	return list->count ? bsearch(&key, list->vif, list->count, sizeof(key),
				     by_path) : NULL;
}
