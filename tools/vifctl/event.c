// SPDX-License-Identifier: GPL-2.0
#include "event.h"

#include <linux/genetlink.h>
#include <linux/netnice_netlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "attrs.h"
#include "listing.h"
#include "target.h"
#include "words.h"

/* --- settings: the words for a number --- */

static char *words_of(const struct attrs *side, int type, const char *unit)
{
	unsigned long long value;
	char *text;

	return !attrs_number(side, type, &value) ||
	       asprintf(&text, "%llu%s", value, unit) < 0 ? NULL : text;
}

static char *either(char *text, const char *otherwise)
{
	return text ? text : strdup(otherwise);
}

static char *burst_words(const struct attrs *side)
{
	char *text = words_of(side, NETNICE_A_SIDE_BURST_BYTES, "b");

	return either(text ? text :
		      words_of(side, NETNICE_A_SIDE_BURST_NS, "ns"), "auto");
}

static char *limit_words(const struct attrs *side)
{
	char *text = words_of(side, NETNICE_A_SIDE_LIMIT_BYTES, "b");

	if (side->of[NETNICE_A_SIDE_LIMIT_MAX])
		return either(text, "max");
	return either(text ? text :
		      words_of(side, NETNICE_A_SIDE_LIMIT_PACKETS, "p"), "auto");
}

static char *aqm_words(const struct attrs *side)
{
	char *target = words_of(side, NETNICE_A_SIDE_AQM_TARGET_US, "us");
	char *interval = words_of(side, NETNICE_A_SIDE_AQM_INTERVAL_US, "us");
	unsigned long long aqm = NETNICE_AQM_CODEL;
	char *text = NULL;

	attrs_number(side, NETNICE_A_SIDE_AQM, &aqm);
	if (aqm == NETNICE_AQM_NONE)
		text = strdup("none");
	else if (asprintf(&text, "codel%s%s%s%s", target ? " target " : "",
			  target ? target : "", interval ? " interval " : "",
			  interval ? interval : "") < 0)
		text = NULL;
	free(target);
	free(interval);
	return text;
}

static char *side_words(const struct attrs *side, enum param_id id)
{
	switch (id) {
	case PARAM_BANDWIDTH:
		return either(words_of(side, NETNICE_A_SIDE_BANDWIDTH, "bps"),
			      "max");
	case PARAM_MINIMUM:
		return either(words_of(side, NETNICE_A_SIDE_MINIMUM, "bps"),
			      "none");
	case PARAM_BURST:
		return burst_words(side);
	case PARAM_WEIGHT:
		return words_of(side, NETNICE_A_SIDE_WEIGHT, "");
	case PARAM_PRIORITY:
		return words_of(side, NETNICE_A_SIDE_PRIORITY, "");
	case PARAM_LOCAL_WEIGHT:
		return words_of(side, NETNICE_A_SIDE_LOCAL_WEIGHT, "");
	case PARAM_LOCAL_PRIORITY:
		return words_of(side, NETNICE_A_SIDE_LOCAL_PRIORITY, "");
	case PARAM_LIMIT:
		return limit_words(side);
	case PARAM_AQM:
		return aqm_words(side);
	case PARAM_LINK_LAYER:
		return listing_link_layer(side);
	default:
		return NULL;
	}
}

static char *both_words(const struct attrs side[2], enum param_id id)
{
	char *egress = side_words(&side[0], id);
	char *ingress = side_words(&side[1], id);
	char *text = NULL, *normal = NULL;

	if (egress && ingress &&
	    asprintf(&text, "egress %s ingress %s", egress, ingress) >= 0) {
		normal = param_normal(&params[id], text);
		free(text);
	}
	free(egress);
	free(ingress);
	return normal;
}

static void read_params(struct event *event, const struct attrs *vif)
{
	struct attrs side[2];
	unsigned long long uid, gid, mode;

	if (!vif->of[NETNICE_A_VIF_EGRESS])
		return;		/* removed, or not for us */
	attrs_read_nest(&side[0], vif->of[NETNICE_A_VIF_EGRESS]);
	attrs_read_nest(&side[1], vif->of[NETNICE_A_VIF_INGRESS]);
	for (size_t i = 0; i < PARAM_OWNER; i++)
		event->param[i] = both_words(side, i);
	event->param[PARAM_AUTOREMOVE] = words_of(vif, NETNICE_A_VIF_AUTOREMOVE,
						  "");
	if (attrs_number(vif, NETNICE_A_VIF_UID, &uid) &&
	    attrs_number(vif, NETNICE_A_VIF_GID, &gid) &&
	    asprintf(&event->param[PARAM_OWNER], "%llu:%llu", uid, gid) < 0)
		event->param[PARAM_OWNER] = NULL;
	if (attrs_number(vif, NETNICE_A_VIF_MODE, &mode) &&
	    asprintf(&event->param[PARAM_MODE], "%llo", mode & 07777) < 0)
		event->param[PARAM_MODE] = NULL;
}

/* --- what happened --- */

static void read_vif(struct event *event, const struct attrs *vif)
{
	const char *dev = attrs_string(vif, NETNICE_A_VIF_DEVICE);

	event->path = path_join(dev, attrs_string(vif, NETNICE_A_VIF_PATH));
	event->old_path = path_join(dev, attrs_string(vif, NETNICE_A_VIF_OLD_PATH));
	read_params(event, vif);
}

static void put_number(struct event *event, const struct attrs *attachment,
		       int type, const char *prefix, bool is_hex)
{
	unsigned long long value;

	if (!attrs_number(attachment, type, &value))
		return;
	snprintf(event->target, sizeof(event->target),
		 is_hex ? "%s%llx" : "%s%llu", prefix, value);
}

/* Sockets and groups have numbers only, which are no names: what they are goes before. */
static void read_target(struct event *event, const struct attrs *attachment,
			unsigned int kind)
{
	unsigned long long index;

	switch (kind) {
	case NETNICE_KIND_PROCESS:
		event->kind = target_kinds[TARGET_PROCESS].word;
		put_number(event, attachment, NETNICE_A_ATTACHMENT_PID, "", false);
		break;
	case NETNICE_KIND_THREAD:
		event->kind = target_kinds[TARGET_THREAD].word;
		put_number(event, attachment, NETNICE_A_ATTACHMENT_TID, "", false);
		break;
	case NETNICE_KIND_SOCKET:
		event->kind = target_kinds[TARGET_SOCKET].word;
		put_number(event, attachment, NETNICE_A_ATTACHMENT_COOKIE, "sk:",
			   true);
		break;
	case NETNICE_KIND_CGROUP:
		event->kind = target_kinds[TARGET_CGROUP].word;
		put_number(event, attachment, NETNICE_A_ATTACHMENT_CGROUP_ID,
			   "id:", false);
		break;
	case NETNICE_KIND_DEVICE:
		event->kind = target_kinds[TARGET_DEVICE].word;
		put_number(event, attachment, NETNICE_A_ATTACHMENT_FROM_IFINDEX,
			   "index:", false);
		if (attrs_number(attachment, NETNICE_A_ATTACHMENT_FROM_IFINDEX, &index))
			if_indextoname(index, event->target);
		break;
	}
}

static void read_attachment(struct event *event, const struct attrs *attachment)
{
	unsigned long long kind;

	event->path = path_join(attrs_string(attachment, NETNICE_A_ATTACHMENT_DEVICE),
			      attrs_string(attachment, NETNICE_A_ATTACHMENT_PATH));
	if (attrs_number(attachment, NETNICE_A_ATTACHMENT_KIND, &kind))
		read_target(event, attachment, kind);
}

bool event_read(struct event *event, const struct nlmsghdr *message)
{
	static const struct {
		const char *name;
		void (*read)(struct event *event, const struct attrs *attrs);
	} commands[] = {
		[NETNICE_CMD_VIF_NEW] = { "vif-new", read_vif },
		[NETNICE_CMD_VIF_DEL] = { "vif-del", read_vif },
		[NETNICE_CMD_VIF_SET] = { "vif-set", read_vif },
		[NETNICE_CMD_VIF_MOVE] = { "vif-move", read_vif },
		[NETNICE_CMD_ATTACH] = { "attach", read_attachment },
		[NETNICE_CMD_DETACH] = { "detach", read_attachment },
	};
	const struct genlmsghdr *genlmsg = mnl_nlmsg_get_payload(message);
	struct attrs attrs;

	*event = (struct event) { 0 };
	if (!attrs_read(&attrs, message, sizeof(*genlmsg)) ||
	    genlmsg->cmd >= sizeof(commands) / sizeof(*commands) ||
	    !commands[genlmsg->cmd].name)
		return false;
	event->name = commands[genlmsg->cmd].name;
	commands[genlmsg->cmd].read(event, &attrs);
	if (event->path)
		return true;
	event_free(event);
	return false;
}

void event_free(struct event *event)
{
	free(event->path);
	free(event->old_path);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		free(event->param[i]);
}
