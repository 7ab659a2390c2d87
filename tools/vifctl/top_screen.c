// SPDX-License-Identifier: GPL-2.0
/*
 * A title, the heads of the columns, VIFs, sockets of the selected VIF, and the most important
 * keys. If there is not enough room, columns are left out from the right and lines from the bottom.
 */
#include "top_screen.h"

#include <linux/netnice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "figure.h"
#include "top_screen_sockets.h"

#define NAME_MIN	20
#define SPARK_MIN	3
#define SPARK_MAX	30
#define BAR_COLUMNS	6
#define MESSAGE_LINES_MAX	3
#define BAR_MIN_COLUMNS	110	/* of a screen that has room for bars */

static const char *const names[TOP_METRICS] = {
	[TOP_EGRESS] = "EGRESS", [TOP_INGRESS] = "INGRESS",
	[TOP_BACKLOG] = "BACKLOG", [TOP_DROPS] = "DROPS/s",
	[TOP_DELAY] = "DELAY",
};

/* Columns of one line. Pictures of rates stay where there is room for no others. */
struct layout {
	int name;
	int bar;
	int spark[TOP_METRICS];
};

static bool is_rate(int metric)
{
	return metric == TOP_EGRESS || metric == TOP_INGRESS;
}

/* Of a rate that stands before its limit, "1.25M/2M" */
#define RATE_COLUMNS	(FIGURE_COLUMNS + 1 + FIGURE_COLUMNS)

/* Of the others, with room for their names */
#define OTHER_COLUMNS	7

static int figure_columns(const struct layout *layout, int metric)
{
	if (!is_rate(metric))
		return GAP + OTHER_COLUMNS;
	return GAP + RATE_COLUMNS + (layout->bar ? GAP + layout->bar : 0);
}

static int metric_columns(const struct layout *layout, int metric)
{
	return figure_columns(layout, metric) +
	       (layout->spark[metric] ? GAP + layout->spark[metric] : 0);
}

static const struct vif_side *side_of(const struct top_vif *vif, enum top_metric metric)
{
	return &vif->now.side[metric == TOP_INGRESS];
}

/* Bytes per second; 0: none, or it is no rate */
static unsigned long long limit_of(const struct top_vif *vif, enum top_metric metric)
{
	return is_rate(metric) ? side_of(vif, metric)->limit : 0;
}

/* --- small pictures --- */

/* 0 is nothing, and the least that is something is seen. */
static const char *glyph(const struct canvas *canvas, float share)
{
	static const char *const utf8[] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
	};
	static const char *const ascii[] = {
		" ", ".", ":", "-", "=", "+", "*", "%", "#"
	};
	int level = share <= 0 ? 0 : share >= 1 ? 8 : 1 + (int)(share * 8);

	if (level > 8)
		level = 8;
	return (canvas->is_utf8 ? utf8 : ascii)[level];
}

/* How much of a limit is used; whatever is seen is some of it */
static void put_bar(struct canvas *canvas, double share, int columns)
{
	static const char *const utf8[] = { " ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
	const int steps = 8 * columns;
	int filled = share <= 0 ? 0 : share >= 1 ? steps : 1 + (int)(share * (steps - 1));

	for (; columns > 0; columns--, filled -= 8)
		canvas_glyph(canvas, canvas->is_utf8 ?
			     utf8[filled < 0 ? 0 : filled > 8 ? 8 : filled] :
			     filled > 3 ? "#" : ".");
}

/* What a full column is: the limit, if there is one, or the most that is shown */
static float scale_of(const struct top_model *model, const struct top_vif *vif,
		      enum top_metric metric, int columns)
{
	const unsigned long long limit = limit_of(vif, metric);
	float scale = 0, value;

	if (limit)
		return limit * 8.0f;
	for (int age = 0; age < columns; age++) {
		value = top_value(model, vif, metric, age);
		if (value > scale)
			scale = value;
	}
	return scale;
}

static void put_spark(struct canvas *canvas, const struct top_model *model,
		      const struct top_vif *vif, enum top_metric metric,
		      int columns)
{
	float scale = scale_of(model, vif, metric, columns), value;

	for (int age = columns; age-- > 0;) {
		value = top_value(model, vif, metric, age);
		canvas_glyph(canvas, glyph(canvas, scale > 0 ? value / scale : 0));
	}
}

/* --- VIFs --- */

static enum canvas_style style_of(const struct top_vif *vif,
				  enum top_metric metric, float value)
{
	const unsigned long long limit = limit_of(vif, metric);

	if (value <= 0)
		return CANVAS_DIM;
	if (metric == TOP_DROPS)
		return CANVAS_BAD;
	if (!is_rate(metric))
		return CANVAS_PLAIN;
	return limit && value >= 0.95f * 8 * limit ? CANVAS_WARN : CANVAS_GOOD;
}

/* "/2M", "/stop"; empty: none */
static void limit_text(char text[1 + FIGURE_BYTES], const struct vif_side *side)
{
	*text = '\0';
	if (side->is_stopped) {
		strcpy(text, "/stop");
	} else if (side->limit) {
		*text = '/';
		figure_bits(text + 1, side->limit);
	}
}

/* Behind a rate: what it may be, and how much of that it is */
static void put_limit(struct canvas *canvas, const struct layout *layout,
		      const struct top_vif *vif, enum top_metric metric, float value)
{
	const struct vif_side *side = side_of(vif, metric);
	char text[1 + FIGURE_BYTES];

	limit_text(text, side);
	if (side->has_quota && !side->quota_left)
		canvas_style(canvas, CANVAS_BAD);
	canvas_put(canvas, text);
	canvas_style(canvas, style_of(vif, metric, value));
	canvas_space(canvas, FIGURE_COLUMNS + 1 - (int)strlen(text) + (layout->bar ? GAP : 0));
	if (side->limit && !side->is_stopped)
		put_bar(canvas, value / (8.0 * side->limit), layout->bar);
	else
		canvas_space(canvas, layout->bar);
}

static void put_metric(struct canvas *canvas, const struct layout *layout,
		       const struct top_model *model, const struct top_vif *vif,
		       enum top_metric metric)
{
	const float value = top_value(model, vif, metric, 0);
	char text[FIGURE_BYTES];

	top_figure(text, model, vif, metric);
	canvas_style(canvas, style_of(vif, metric, value));
	canvas_put_right(canvas, text, GAP + (is_rate(metric) ? FIGURE_COLUMNS : OTHER_COLUMNS));
	if (is_rate(metric))
		put_limit(canvas, layout, vif, metric, value);
	canvas_space(canvas, layout->spark[metric] ? GAP : 0);
	put_spark(canvas, model, vif, metric, layout->spark[metric]);
	canvas_style(canvas, CANVAS_PLAIN);
}

/* The lines that lead down past a row to later siblings, at each depth */
struct lines {
	bool down[NETNICE_DEPTH_MAX + 2];
};

static unsigned int depth_of(const struct top_row *row)
{
	return row->depth <= NETNICE_DEPTH_MAX ? row->depth : NETNICE_DEPTH_MAX;
}

static void pass_row(struct lines *lines, const struct top_row *row)
{
	lines->down[depth_of(row)] = !row->is_last;
}

static void put_branch(struct canvas *canvas, const struct lines *lines,
		       const struct top_row *row)
{
	for (unsigned int i = 1; i < depth_of(row); i++) {
		canvas_glyph(canvas, !lines->down[i] ? " " :
			     canvas->is_utf8 ? "│" : "|");
		canvas_space(canvas, 1);
	}
	if (!row->depth)
		return;
	if (canvas->is_utf8) {
		canvas_glyph(canvas, row->is_last ? "└" : "├");
		canvas_glyph(canvas, "─");
	} else {
		canvas_put(canvas, row->is_last ? "`-" : "|-");
	}
}

static void put_row(struct canvas *canvas, const struct layout *layout,
		    const struct top_model *model, struct lines *lines,
		    const struct top_row *row, bool is_selected)
{
	const int indent = 2 * depth_of(row);

	if (!canvas_line(canvas, is_selected ? CANVAS_CURSOR : CANVAS_PLAIN))
		return;
	put_branch(canvas, lines, row);
	canvas_put_name(canvas, row->depth ? row->vif->now.name :
			row->vif->now.path, layout->name - indent);
	for (int i = 0; i < TOP_METRICS; i++)
		put_metric(canvas, layout, model, row->vif, i);
	canvas_end_line(canvas);
}

static void put_rows(struct canvas *canvas, const struct layout *layout,
		     const struct top_model *model, const struct top_list *list,
		     const struct top_view *view)
{
	const size_t selected = top_list_find(list, view->selected);
	struct lines lines = { { false } };

	for (size_t i = 0; i < view->first && i < list->count; i++)
		pass_row(&lines, &list->row[i]);
	for (size_t i = view->first; i < view->first + view->page; i++) {
		if (i >= list->count) {
			canvas_text(canvas, CANVAS_PLAIN, "");
			continue;
		}
		put_row(canvas, layout, model, &lines, &list->row[i],
			i == selected);
		pass_row(&lines, &list->row[i]);
	}
}

static int within(int spark)
{
	return spark < SPARK_MIN ? 0 : spark > SPARK_MAX ? SPARK_MAX : spark;
}

/* Deep trees indent further than names may: these end where the columns begin. */
static struct layout lay_out(const struct canvas *canvas)
{
	struct layout layout = {
		.bar = canvas->columns >= BAR_MIN_COLUMNS ? BAR_COLUMNS : 0,
	};
	int fixed = 0, room, all, rates;

	for (int i = 0; i < TOP_METRICS; i++)
		fixed += figure_columns(&layout, i);
	/* longer names, too, on a wide screen */
	room = canvas->columns > 150 ? canvas->columns * 3 / 4 - fixed :
				       canvas->columns - NAME_MIN - fixed;
	all = within(room / TOP_METRICS - GAP);
	rates = all ?: within(room / 2 - GAP);
	for (int i = 0; i < TOP_METRICS; i++)
		layout.spark[i] = is_rate(i) ? rates : all;
	layout.name = canvas->columns;
	for (int i = 0; i < TOP_METRICS; i++)
		layout.name -= metric_columns(&layout, i);
	if (layout.name < NAME_MIN)
		layout.name = NAME_MIN;
	return layout;
}

/* --- title and heads --- */

static void put_filter(struct canvas *canvas, const char *filter)
{
	const int columns = escape_put(NULL, filter);

	canvas_put(canvas, "  /");
	canvas_put_name(canvas, filter, columns < canvas->left ? columns :
			canvas->left - 1);
}

static void put_title(struct canvas *canvas, const struct top_model *model,
		      const struct top_list *list, const struct top_view *view)
{
	const struct top_order *order = &view->order;
	char text[128];

	if (!canvas_line(canvas, CANVAS_PLAIN))
		return;
	snprintf(text, sizeof(text), "vifctl top: %zu of %zu VIFs, every %.3g s",
		 list->count, model->count, view->interval_s);
	canvas_style(canvas, CANVAS_HEAD);
	canvas_put(canvas, text);
	if (order->is_active)
		canvas_put(canvas, ", active");
	if (view->is_paused) {
		canvas_style(canvas, CANVAS_WARN);
		canvas_put(canvas, ", PAUSED");
	}
	canvas_style(canvas, CANVAS_PLAIN);
	if ((view->is_typing && !view->is_asking) || *order->filter)
		put_filter(canvas, order->filter);
	if (view->is_typing && !view->is_asking)
		canvas_put(canvas, "_");
	canvas_end_line(canvas);
}

/* The mark takes the place of the gap before it; the name is over the picture, too. */
static void put_head(struct canvas *canvas, const char *name, const char *mark,
		     int columns)
{
	canvas_put(canvas, mark);
	canvas_put_name(canvas, name, columns - GAP);
}

static void put_heads(struct canvas *canvas, const struct layout *layout,
		      const struct top_view *view)
{
	const struct top_order *order = &view->order;
	const char *mark = order->is_reverse ? "^" : "v";

	if (!canvas_line(canvas, CANVAS_CURSOR))
		return;
	canvas_put(canvas, "VIF");
	canvas_put(canvas, order->sort == TOP_BY_NAME ? mark : " ");
	canvas_space(canvas, layout->name - 4);
	for (int i = 0; i < TOP_METRICS; i++)
		put_head(canvas, names[i], order->sort == i + 1 ? mark : " ",
			 metric_columns(layout, i));
	canvas_end_line(canvas);
}

/* --- all of it --- */

static void put_help(struct canvas *canvas)
{
	for (const char *const *line = top_view_keys; *line; line++) {
		if (!canvas_line(canvas, CANVAS_PLAIN))
			return;
		canvas_put(canvas, "  ");
		canvas_put(canvas, *line);
		canvas_end_line(canvas);
	}
	canvas_text(canvas, CANVAS_PLAIN, "");
	canvas_text(canvas, CANVAS_PLAIN,
		    "  EGRESS, INGRESS: bit/s, and the limit");
	canvas_text(canvas, CANVAS_PLAIN,
		    "  BACKLOG: bytes that wait; DELAY: what 99 of 100 packets do not exceed");
	canvas_text(canvas, CANVAS_PLAIN,
		    "  a limit in red: what a quota leads to that is used up");
}

static void put_question(struct canvas *canvas, const struct top_view *view)
{
	const char *whose = view->asked_name;
	const struct param *param = &params[view->question];
	int columns;

	if (!canvas_line(canvas, CANVAS_HEAD))
		return;
	canvas_put(canvas, param->name);
	canvas_put(canvas, " of ");
	columns = escape_put(NULL, whose);
	canvas_put_name(canvas, whose, columns < canvas->columns / 3 ? columns :
			canvas->columns / 3);
	canvas_put(canvas, view->question == PARAM_BANDWIDTH ?
		   " (1m, 10%, max; Esc: as it is): " : " (1..10000; Esc: as it is): ");
	columns = escape_put(NULL, view->answer);
	canvas_put_name(canvas, view->answer, columns < canvas->left ? columns :
			canvas->left - 1);
	canvas_put(canvas, "_");
	canvas_end_line(canvas);
}

/* A sentence may need several lines. */
static int message_lines(const struct canvas *canvas, const struct top_view *view)
{
	const int columns = view->message && !view->is_asking ? escape_put(NULL, view->message) : 0;
	const int lines = (columns + canvas->columns - 1) / canvas->columns;

	return lines < 1 ? 1 : lines < MESSAGE_LINES_MAX ? lines : MESSAGE_LINES_MAX;
}

static void put_message(struct canvas *canvas, const char *message, int lines)
{
	const char *end;
	char *part;

	for (; lines > 0 && *message && canvas_line(canvas, CANVAS_HEAD); lines--) {
		end = escape_end_within(message, canvas->columns);
		/* a character may need more than there is */
		end += end == message;
		part = strndup(message, end - message);
		if (part)
			canvas_put_name(canvas, part, canvas->left);
		free(part);
		canvas_end_line(canvas);
		message = end;
	}
}

/* At the bottom, whatever is above */
static void put_footer(struct canvas *canvas, const struct top_view *view)
{
	const int lines = message_lines(canvas, view);

	while (canvas->line < canvas->lines - lines)
		canvas_text(canvas, CANVAS_PLAIN, "");
	if (view->is_asking)
		put_question(canvas, view);
	else if (view->message)
		put_message(canvas, view->message, lines);
	else
		canvas_text(canvas, CANVAS_DIM, view->is_typing ?
			    "filter: type a part of a path, Enter to keep it, Esc to end it" :
			    view->is_help ? "any key to go back, q to quit" :
			    "q quit  h help  l limit  w weight  s sort  / filter  Enter sockets  "
			    "v processes");
}

void top_screen_draw(struct canvas *canvas, const struct top_model *model,
		     const struct top_list *list, struct top_view *view,
		     const struct top_sockets *sockets)
{
	const struct layout layout = lay_out(canvas);
	const int below = top_screen_socket_lines(canvas, view, sockets);
	const int page = canvas->lines - 2 - message_lines(canvas, view) - below;
	size_t selected;

	top_view_fit(view, list, page > 0 ? page : 0);
	if (sockets)
		top_view_fit_process(view, sockets);
	selected = top_list_find(list, view->selected);
	canvas_begin(canvas);
	put_title(canvas, model, list, view);
	if (view->is_help) {
		put_help(canvas);
	} else {
		put_heads(canvas, &layout, view);
		put_rows(canvas, &layout, model, list, view);
		if (below && selected < list->count)
			top_screen_put_sockets(canvas, sockets, view,
					       list->row[selected].vif->now.path, below);
	}
	put_footer(canvas, view);
	canvas_end(canvas);
}
