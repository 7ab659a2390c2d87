// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl show: the tree in the first column, as ls and ps draw theirs, and
 * what belongs to each VIF behind it. Names are whatever bytes somebody
 * chose: what does not print is shown as \ooo (escape.h).
 */
#include "show.h"

#include <inttypes.h>
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

static const char *label(const struct listed *vif)
{
	return vif->depth ? vif->name : vif->path;
}

static const char *rate(const struct listed *vif, int direction)
{
	return vif->is_readable ? vif->side[direction].rate : "?";
}

#define SHARE_BYTES	24
#define MINIMUM_BYTES	64

/* Of both directions: "3", or "3/4". The root VIF has no siblings to share with. */
static const char *share(const struct listed *vif, unsigned int egress,
			 unsigned int ingress, char text[SHARE_BYTES])
{
	if (!strchr(vif->path, '/'))
		return "-";
	if (!vif->is_readable)
		return "?";
	if (egress == ingress)
		snprintf(text, SHARE_BYTES, "%u", egress);
	else
		snprintf(text, SHARE_BYTES, "%u/%u", egress, ingress);
	return text;
}

/* Of both directions, as share(). */
static const char *minimum(const struct listed *vif, char text[MINIMUM_BYTES])
{
	const char *egress = vif->side[EGRESS].minimum;
	const char *ingress = vif->side[INGRESS].minimum;

	if (!strchr(vif->path, '/'))
		return "-";
	if (!vif->is_readable)
		return "?";
	if (!strcmp(egress, ingress))
		return egress;
	snprintf(text, MINIMUM_BYTES, "%s/%s", egress, ingress);
	return text;
}

static bool has_minimum(const struct listed *vif)
{
	return vif->is_readable && (strcmp(vif->side[EGRESS].minimum, "none") ||
				    strcmp(vif->side[INGRESS].minimum, "none"));
}

static const char *weight(const struct listed *vif, char text[SHARE_BYTES])
{
	return share(vif, vif->side[EGRESS].weight, vif->side[INGRESS].weight, text);
}

static const char *priority(const struct listed *vif, char text[SHARE_BYTES])
{
	return share(vif, vif->side[EGRESS].priority, vif->side[INGRESS].priority, text);
}

static void widen(int *column, int to)
{
	if (*column < to)
		*column = to;
}

/* The column is there only where somebody has one. */
static int measure_minima(const struct listing *listing)
{
	int columns = strlen("MINIMUM");
	char text[MINIMUM_BYTES];
	bool found = false;

	for (size_t i = 0; i < listing->count; i++) {
		found |= has_minimum(&listing->vif[i]);
		widen(&columns, strlen(minimum(&listing->vif[i], text)));
	}
	return found ? columns : 0;
}

static void measure(struct columns *columns, const struct listing *listing)
{
	char text[SHARE_BYTES];

	columns->name = strlen("VIF");
	columns->egress = strlen("EGRESS");
	columns->ingress = strlen("INGRESS");
	columns->minimum = measure_minima(listing);
	columns->weight = strlen("WEIGHT");
	columns->priority = strlen("PRIO");
	for (size_t i = 0; i < listing->count; i++) {
		const struct listed *vif = &listing->vif[i];

		widen(&columns->name,
		      2 * (int)vif->depth + escape_put(NULL, label(vif)));
		widen(&columns->egress, escape_put(NULL, rate(vif, EGRESS)));
		widen(&columns->ingress, escape_put(NULL, rate(vif, INGRESS)));
		widen(&columns->weight, strlen(weight(vif, text)));
		widen(&columns->priority, strlen(priority(vif, text)));
	}
}

/* The lines that lead down past a VIF to its later siblings and uncles. */
static void put_ancestors(const struct columns *columns, unsigned int depth)
{
	for (unsigned int i = 1; i < depth; i++)
		fputs(columns->down[i] ? columns->drawing->down : "  ", stdout);
}

static void put_tree(struct columns *columns, const struct listed *vif)
{
	put_ancestors(columns, vif->depth);
	if (vif->depth)
		fputs(vif->last ? columns->drawing->last :
		      columns->drawing->branch, stdout);
	columns->down[vif->depth] = !vif->last;
	put_padded(label(vif), columns->name - 2 * (int)vif->depth);
}

/* Processes have no word before them. */
static void put_one(const struct attached *attached)
{
	const char *gap = "";

	if (attached->kind != TARGET_PROCESS)
		printf("%s ", target_kinds[attached->kind].word);
	if (attached->kind == TARGET_SOCKET) {
		printf("sk:%" PRIx64, attached->number);
	} else if (attached->kind == TARGET_DEVICE && !attached->name) {
		printf("index:%" PRIu64, attached->number);
	} else if (attached->kind < TARGET_SOCKET) {
		printf("%" PRIu64, attached->number);
		gap = " ";
	}
	if (attached->name && *attached->name) {
		fputs(gap, stdout);
		escape_put(stdout, attached->name);
	}
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
		      const struct listed *vif, bool has_children)
{
	put_ancestors(columns, vif->depth + 1);
	fputs(has_children ? columns->drawing->down : "  ", stdout);
	fputs("  ", stdout);
	return 2 * (int)vif->depth + 4;
}

static void put_stat(const struct columns *columns, const struct listed *vif,
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
			at += printf("%-7s", direction_names[direction]);
		}
		printf(" %s %s", counter_name(i), value);
		at += width + 2;
	}
	putchar('\n');
}

/* A line, where the device has one. */
static void put_link_layer(const struct columns *columns, const struct listed *vif,
			   bool has_children)
{
	static const char none[] = "none";
	const char *egress = vif->side[EGRESS].link_layer;
	const char *ingress = vif->side[INGRESS].link_layer;

	if (!vif->is_readable || (!strcmp(egress, none) && !strcmp(ingress, none)))
		return;
	put_margin(columns, vif, has_children);
	if (strcmp(egress, ingress))
		printf("link_layer egress %s ingress %s\n", egress, ingress);
	else
		printf("link_layer %s\n", egress);
}

static void put_vif(struct columns *columns, const struct listed *vif,
		    const struct attachments *attachments, bool has_children,
		    bool with_stat)
{
	const struct attached *attached;
	char text[SHARE_BYTES], minima[MINIMUM_BYTES];
	size_t count;

	put_tree(columns, vif);
	put_padded(rate(vif, EGRESS), columns->egress);
	put_padded(rate(vif, INGRESS), columns->ingress);
	if (columns->minimum)
		put_padded(minimum(vif, minima), columns->minimum);
	printf("%*s" GAP, columns->weight, weight(vif, text));
	printf("%*s", columns->priority, priority(vif, text));
	attached = attachments_of(attachments, vif->id, &count);
	put_attached(attached, count);
	putchar('\n');
	put_link_layer(columns, vif, has_children);
	if (!with_stat || !vif->is_readable)
		return;
	put_stat(columns, vif, has_children, EGRESS);
	put_stat(columns, vif, has_children, INGRESS);
}

void show_text(const struct listing *listing,
	       const struct attachments *attachments)
{
	struct columns columns = { 0 };

	columns.drawing = strcmp(nl_langinfo(CODESET), "UTF-8") ? &ascii :
								  &boxes;
	measure(&columns, listing);
	put_padded("VIF", columns.name);
	put_padded("EGRESS", columns.egress);
	put_padded("INGRESS", columns.ingress);
	if (columns.minimum)
		put_padded("MINIMUM", columns.minimum);
	printf("%*s" GAP "%*s" GAP "ATTACHED\n", columns.weight, "WEIGHT",
	       columns.priority, "PRIO");
	for (size_t i = 0; i < listing->count; i++)
		put_vif(&columns, &listing->vif[i], attachments,
			i + 1 < listing->count &&
			listing->vif[i + 1].depth > listing->vif[i].depth,
			listing->has_counters);
}
