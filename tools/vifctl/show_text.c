// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl show: the tree in the first column, as ls and ps draw theirs, and
 * attachments of each VIF after it. Names may contain any bytes: characters that
 * do not print are shown as \ooo (escape.h).
 */
#include "show.h"

#include <langinfo.h>
#include <linux/netnice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "stat.h"

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
	bool is_brief;	/* no tree, but whole paths, and nothing above or below */
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

static const char *label(const struct columns *columns, const struct vif_info *vif)
{
	return vif->depth && !columns->is_brief ? vif->name : vif->path;
}

static int indent(const struct columns *columns, const struct vif_info *vif)
{
	return columns->is_brief ? 0 : 2 * (int)vif->depth;
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

/* The column of minima exists only if a VIF has one. */
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
		      indent(columns, vif) + escape_put(NULL, label(columns, vif)));
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
	if (!columns->is_brief)
		put_ancestors(columns, vif->depth);
	if (vif->depth && !columns->is_brief)
		fputs(vif->is_last ? columns->drawing->last :
		      columns->drawing->branch, stdout);
	columns->down[vif->depth] = !vif->is_last;
	colour_begin(COLOUR_NAME);
	put_padded(label(columns, vif), columns->name - indent(columns, vif));
	colour_end();
}

/* Processes have no word before them. */
static void put_one(const struct attached *attached)
{
	const bool has_name = attached->name && *attached->name;
	char text[ATTACHED_BYTES];

	if (attached->kind != TARGET_PROCESS)
		printf("%s ", attached->port ? "port" : target_kinds[attached->kind].word);
	if (attached->kind <= TARGET_SOCKET ||
	    (attached->kind == TARGET_DEVICE && !attached->name))
		fputs(attached_label(attached, text), stdout);
	if (attached->kind < TARGET_SOCKET && has_name)
		putchar(' ');
	if (has_name)
		escape_put(stdout, attached->name);
}

/* The ports of a stack stand behind it. */
static void put_attached(const char *stack, const struct attached *attached, size_t count)
{
	if (stack) {
		fputs(GAP "stack ", stdout);
		escape_put(stdout, stack);
	}
	for (size_t i = 0; i < count && i < ATTACHED_MAX; i++) {
		fputs(i || stack ? ", " : GAP, stdout);
		put_one(&attached[i]);
	}
	if (count > ATTACHED_MAX)
		printf(", and %zu more", count - ATTACHED_MAX);
}

/* Lines below that of a VIF, of words that are never divided. */
struct below {
	const struct columns *columns;
	const struct vif_info *vif;
	bool has_children;
	const char *head;	/* of each line; or NULL */
	int at;			/* columns that are used; 0: no line has begun */
};

static void begin_below(struct below *below)
{
	put_ancestors(below->columns, below->vif->depth + 1);
	fputs(below->has_children ? below->columns->drawing->down : "  ", stdout);
	fputs("  ", stdout);
	below->at = 2 * (int)below->vif->depth + 4;
	if (below->head)
		below->at += printf("%-7s ", below->head);
}

static void end_below(struct below *below)
{
	if (below->at)
		putchar('\n');
	below->at = 0;
}

static void put_below(struct below *below, const char *key, const char *value)
{
	const int width = strlen(key) + strlen(value) + 1;

	if (below->at && below->at + width + 2 > LINE_COLUMNS)
		end_below(below);
	if (below->at)
		below->at += printf(" ");
	else
		begin_below(below);
	below->at += printf("%s %s", key, value);
}

static void put_stat(struct below *below, int direction, bool is_human)
{
	const unsigned long long *counter = below->vif->side[direction].counter;
	char value[FIGURE_BYTES];

	below->head = vif_dir_name[direction];
	for (size_t i = 0; i < COUNTERS; i++) {
		if (is_human && !counter[i])
			continue;
		stat_figure(value, i, counter[i], is_human);
		if (i == COUNTER_DROPS && counter[i])
			colour_begin(COLOUR_BAD);
		put_below(below, counter_name(i), value);
		if (i == COUNTER_DROPS && counter[i])
			colour_end();
	}
	end_below(below);
}

/* "program egress 68 instructions of uid 1000" */
static void put_programs(struct below *below)
{
	char text[96];

	for (int dir = 0; dir < VIF_DIRS; dir++) {
		const struct vif_side *side = &below->vif->side[dir];
		int len;

		if (!side->program)
			continue;
		len = snprintf(text, sizeof(text), "%s %llu instructions", vif_dir_name[dir],
			       side->program);
		if (side->program_uid >= 0)
			snprintf(text + len, sizeof(text) - len, " of uid %lld",
				 side->program_uid);
		put_below(below, "program", text);
	}
}

/* All that has no column; without @with_all only what few VIFs have, from the link layer on. */
static void put_params(struct below *below, bool with_all)
{
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (below->vif->param[i] && i != PARAM_BANDWIDTH && i != PARAM_WEIGHT && i != PARAM_PRIORITY &&
		    (with_all || (i >= PARAM_LINK_LAYER && i < PARAM_DIRECTED &&
				  !is_initial(below->vif, i))))
			put_below(below, params[i].name, below->vif->param[i]);
	put_programs(below);
	end_below(below);
}

static void put_rate(const struct vif_info *vif, int direction, int columns)
{
	const bool is_limited = vif->side[direction].bandwidth;

	if (is_limited)
		colour_begin(COLOUR_LIMIT);
	put_padded(rate(vif, direction), columns);
	if (is_limited)
		colour_end();
}

static void put_line(struct columns *columns, const struct vif_info *vif,
		     const struct attachments *attachments)
{
	const struct attached *attached;
	char text[SHARE_BYTES];
	size_t count;

	put_tree(columns, vif);
	put_rate(vif, VIF_EGRESS, columns->egress);
	put_rate(vif, VIF_INGRESS, columns->ingress);
	if (columns->minimum)
		put_padded(share(vif, PARAM_MINIMUM, text), columns->minimum);
	printf("%*s" GAP, columns->weight, share(vif, PARAM_WEIGHT, text));
	printf("%*s", columns->priority, share(vif, PARAM_PRIORITY, text));
	attached = attachments_of(attachments, vif->id, &count);
	put_attached(vif->stack, attached, count);
	putchar('\n');
}

static void put_heads(const struct columns *columns)
{
	put_padded("VIF", columns->name);
	put_padded("EGRESS", columns->egress);
	put_padded("INGRESS", columns->ingress);
	if (columns->minimum)
		put_padded("MINIMUM", columns->minimum);
	printf("%*s" GAP "%*s" GAP "ATTACHED\n", columns->weight, "WEIGHT",
	       columns->priority, "PRIO");
}

void show_text(const struct vif_list *list,
	       const struct attachments *attachments, const struct options *options)
{
	struct columns columns = { .is_brief = options->brief };

	columns.drawing = strcmp(nl_langinfo(CODESET), "UTF-8") ? &ascii :
								  &boxes;
	measure(&columns, list);
	if (!columns.is_brief)
		put_heads(&columns);
	for (size_t i = 0; i < list->count; i++) {
		const struct vif_info *vif = &list->vif[i];
		struct below below = {
			.columns = &columns, .vif = vif,
			.has_children = i + 1 < list->count && vif[1].depth > vif->depth,
		};

		put_line(&columns, vif, attachments);
		if (columns.is_brief)
			continue;
		put_params(&below, options->details);
		for (int dir = 0; options->statistics && vif->is_readable && dir < VIF_DIRS; dir++)
			put_stat(&below, dir, options->human);
	}
}
