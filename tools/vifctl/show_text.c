// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl show: the tree in the first column, as ls and ps draw theirs, and
 * what belongs to each VIF behind it. Names are whatever bytes somebody
 * chose: what does not print is shown as \ooo (escape.h).
 */
#include "show.h"

#include <langinfo.h>
#include <linux/netnice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

#define ATTACHED_MAX	8
#define LINE_COLUMNS	78
#define GAP		"  "

/* Two columns each. */
struct drawing {
	const char *branch;
	const char *last;
	const char *down;
};

static const struct drawing ascii = { "|-", "`-", "| " };
static const struct drawing boxes = { "├─", "└─", "│ " };

struct columns {
	const struct drawing *drawing;
	int name;
	int egress;
	int ingress;
	int minimum;	/* 0: there is none */
	int weight;
	int priority;
	bool down[NETNICE_DEPTH_MAX + 2];	/* siblings follow at that depth */
};

static void put_padded(const char *text, int columns)
{
	columns -= escape_put(stdout, text);
	printf("%*s" GAP, columns > 0 ? columns : 0, "");
}

static const char *label(const struct vif_info *vif)
{
	return vif->depth ? vif->name : vif->path;
}

static const char *rate(const struct vif_info *vif, int direction)
{
	return vif->is_readable ? vif->side[direction].param[PARAM_BANDWIDTH] : "?";
}

#define SHARE_BYTES	64

/* Of both directions: "3", or "3/4". The root VIF has no siblings to share with. */
static const char *share(const struct vif_info *vif, enum param_id id,
			 char text[SHARE_BYTES])
{
	const char *egress = vif->side[VIF_EGRESS].param[id];
	const char *ingress = vif->side[VIF_INGRESS].param[id];

	if (!strchr(vif->path, '/'))
		return "-";
	if (!vif->is_readable)
		return "?";
	if (!strcmp(egress, ingress))
		return egress;
	snprintf(text, SHARE_BYTES, "%s/%s", egress, ingress);
	return text;
}

static bool is_initial(const struct vif_info *vif, enum param_id id)
{
	return !vif->param[id] || !strcmp(vif->param[id], params[id].initial);
}

static void widen(int *column, int to)
{
	if (*column < to)
		*column = to;
}

/* That of minima is there only where somebody has one. */
static void measure(struct columns *columns, const struct vif_list *list)
{
	int minimum = strlen("MINIMUM");
	char text[SHARE_BYTES];

	columns->name = strlen("VIF");
	columns->egress = strlen("EGRESS");
	columns->ingress = strlen("INGRESS");
	columns->weight = strlen("WEIGHT");
	columns->priority = strlen("PRIO");
	for (size_t i = 0; i < list->count; i++) {
		const struct vif_info *vif = &list->vif[i];

		widen(&columns->name,
		      2 * (int)vif->depth + escape_put(NULL, label(vif)));
		widen(&columns->egress, escape_put(NULL, rate(vif, VIF_EGRESS)));
		widen(&columns->ingress, escape_put(NULL, rate(vif, VIF_INGRESS)));
		widen(&minimum, strlen(share(vif, PARAM_MINIMUM, text)));
		if (!is_initial(vif, PARAM_MINIMUM))
			columns->minimum = minimum;
		widen(&columns->weight, strlen(share(vif, PARAM_WEIGHT, text)));
		widen(&columns->priority, strlen(share(vif, PARAM_PRIORITY, text)));
	}
	if (columns->minimum)
		columns->minimum = minimum;
}

/* The lines that lead down past a VIF to its later siblings and uncles. */
static void put_ancestors(const struct columns *columns, unsigned int depth)
{
	for (unsigned int i = 1; i < depth; i++)
		fputs(columns->down[i] ? columns->drawing->down : "  ", stdout);
}

static void put_tree(struct columns *columns, const struct vif_info *vif)
{
	put_ancestors(columns, vif->depth);
	if (vif->depth)
		fputs(vif->is_last ? columns->drawing->last :
		      columns->drawing->branch, stdout);
	columns->down[vif->depth] = !vif->is_last;
	put_padded(label(vif), columns->name - 2 * (int)vif->depth);
}

/* Processes have no word before them. */
static void put_one(const struct attached *attached)
{
	const bool has_name = attached->name && *attached->name;
	char text[ATTACHED_BYTES];

	if (attached->kind != TARGET_PROCESS)
		printf("%s ", target_kinds[attached->kind].word);
	if (attached->kind <= TARGET_SOCKET ||
	    (attached->kind == TARGET_DEVICE && !attached->name))
		fputs(attached_label(attached, text), stdout);
	if (attached->kind < TARGET_SOCKET && has_name)
		putchar(' ');
	if (has_name)
		escape_put(stdout, attached->name);
}

static void put_attached(const struct attached *attached, size_t count)
{
	for (size_t i = 0; i < count && i < ATTACHED_MAX; i++) {
		fputs(i ? ", " : GAP, stdout);
		put_one(&attached[i]);
	}
	if (count > ATTACHED_MAX)
		printf(", and %zu more", count - ATTACHED_MAX);
}

/* Begins a line of statistics. Return: its columns. */
static int put_margin(const struct columns *columns,
		      const struct vif_info *vif, bool has_children)
{
	put_ancestors(columns, vif->depth + 1);
	fputs(has_children ? columns->drawing->down : "  ", stdout);
	fputs("  ", stdout);
	return 2 * (int)vif->depth + 4;
}

static void put_stat(const struct columns *columns, const struct vif_info *vif,
		     bool has_children, int direction)
{
	char value[24];
	int at = 0, width;

	for (size_t i = 0; i < COUNTERS; i++) {
		width = snprintf(value, sizeof(value), "%llu",
				 vif->side[direction].counter[i]) +
			(int)strlen(counter_name(i));
		if (at && at + width + 3 > LINE_COLUMNS) {
			putchar('\n');
			at = 0;
		}
		if (!at) {
			at = put_margin(columns, vif, has_children);
			at += printf("%-7s", vif_dir_name[direction]);
		}
		printf(" %s %s", counter_name(i), value);
		at += width + 2;
	}
	putchar('\n');
}

static void put_vif(struct columns *columns, const struct vif_info *vif,
		    const struct attachments *attachments, bool has_children,
		    bool with_stat)
{
	const struct attached *attached;
	char text[SHARE_BYTES];
	size_t count;

	put_tree(columns, vif);
	put_padded(rate(vif, VIF_EGRESS), columns->egress);
	put_padded(rate(vif, VIF_INGRESS), columns->ingress);
	if (columns->minimum)
		put_padded(share(vif, PARAM_MINIMUM, text), columns->minimum);
	printf("%*s" GAP, columns->weight, share(vif, PARAM_WEIGHT, text));
	printf("%*s", columns->priority, share(vif, PARAM_PRIORITY, text));
	attached = attachments_of(attachments, vif->id, &count);
	put_attached(attached, count);
	putchar('\n');
	if (!is_initial(vif, PARAM_LINK_LAYER)) {
		put_margin(columns, vif, has_children);
		printf("link_layer %s\n", vif->param[PARAM_LINK_LAYER]);
	}
	for (int i = 0; with_stat && vif->is_readable && i < VIF_DIRS; i++)
		put_stat(columns, vif, has_children, i);
}

void show_text(const struct vif_list *list,
	       const struct attachments *attachments, bool with_stat)
{
	struct columns columns = { 0 };

	columns.drawing = strcmp(nl_langinfo(CODESET), "UTF-8") ? &ascii :
								  &boxes;
	measure(&columns, list);
	put_padded("VIF", columns.name);
	put_padded("EGRESS", columns.egress);
	put_padded("INGRESS", columns.ingress);
	if (columns.minimum)
		put_padded("MINIMUM", columns.minimum);
	printf("%*s" GAP "%*s" GAP "ATTACHED\n", columns.weight, "WEIGHT",
	       columns.priority, "PRIO");
	for (size_t i = 0; i < list->count; i++)
		put_vif(&columns, &list->vif[i], attachments,
			i + 1 < list->count &&
			list->vif[i + 1].depth > list->vif[i].depth, with_stat);
}
