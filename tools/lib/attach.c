// SPDX-License-Identifier: GPL-2.0
/* Make, end and list attachments. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attached.h"
#include "belonging.h"
#include "handle.h"
#include "undo.h"

static bool is_same(const char *vif, const char *other)
{
	return vif && !strcmp(vif, other);
}

/*
 * Note what the caller's attachment replaces. A link may show what a user has chosen, to which an
 * administrator's undo must not attach the target. If the target is gone, the change itself reports
 * that.
 */
static int note_before(struct netnice *nn, struct undo *undo)
{
	struct genl *genl = handle_genl(nn);
	struct belonging belonging;
	const char *own;
	int ret = 0;

	if (!genl)
		return -1;
	undo->identity = undo_identity(&nn->fs, &undo->target);
	undo->is_there = true;
	if (belonging_read(&belonging, genl, &nn->fs, &undo->target, undo->vif))
		return errno == ESRCH || errno == ENOENT ? 0 : -1;
	undo->is_there = is_same(belonging.given, undo->vif) || is_same(belonging.chosen, undo->vif);
	own = belonging_own(&belonging);
	undo->from = own ? strdup(own) : NULL;
	undo->ino = own ? undo_ino(nn, own) : 0;
	if (belonging.as_admin) {
		undo->chosen = belonging.chosen;
		belonging.chosen = NULL;
	}
	if (own && !undo->from)
		ret = -1;
	belonging_free(&belonging);
	return ret;
}

static struct undo *begin(struct netnice *nn, enum undo_kind undo_kind, const char *vif, const char *kind,
			  const char *name)
{
	struct undo *undo = undo_begin(nn, undo_kind, vif);

	if (!undo)
		return NULL;
	undo->target.kind = target_find(kind);
	if (!undo->target.kind) {
		handle_fail(nn, EINVAL, "'%s' is not a kind of target", kind);
		return NULL;
	}
	undo->target.name = strdup(name);
	return undo->target.name ? undo : NULL;
}

int netnice_attach(struct netnice *nn, const char *vif, const char *kind, const char *name)
{
	struct undo *undo = begin(nn, UNDO_ATTACH, vif, kind, name);

	if (undo && nn->in_transaction && note_before(nn, undo))
		undo = NULL;
	return undo_end(nn, undo ? target_attach(&nn->fs, &undo->target, vif) : -1);
}

/*
 * To remove a user's link would end an administrator's attachment, too: that is made again instead. A
 * user may have moved the target from the VIF by now: then nothing is to be detached.
 */
static int detach(const struct nnfs *fs, const struct undo *undo)
{
	if (!undo->is_there) {
		errno = ESRCH;
		return -1;
	}
	if (undo->from && is_same(undo->chosen, undo->vif))
		return target_attach(fs, &undo->target, undo->from);
	return target_detach(fs, &undo->target, undo->vif);
}

int netnice_detach(struct netnice *nn, const char *vif, const char *kind, const char *name)
{
	struct undo *undo = begin(nn, UNDO_DETACH, vif, kind, name);

	return undo_end(nn, undo && !note_before(nn, undo) ? detach(&nn->fs, undo) : -1);
}

int netnice_attachments(struct netnice *nn, const char *vif, netnice_attachment_fn *fn, void *arg)
{
	struct netnice_attachment attachment;
	struct attachments attachments;
	struct genl *genl;
	int ret = 0;

	if (handle_check(nn) || (vif && !handle_path(nn, vif)))
		return -1;
	genl = handle_genl(nn);
	if (!genl)
		return -1;
	nnfs_refresh(&nn->fs);
	if (attachments_read(&attachments, genl, vif))
		return handle_fail_errno(nn);
	for (size_t i = 0; !ret && i < attachments.count; i++) {
		attached_publish(&attachments.all[i], &attachment);
		ret = fn(&attachment, arg);
	}
	attachments_free(&attachments);
	return ret;
}
