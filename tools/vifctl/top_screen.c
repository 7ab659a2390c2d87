// SPDX-License-Identifier: GPL-2.0
/*
 * A title, the heads of the columns, VIFs, sockets of one of them, and the most
 * important keys. What does not fit is left out from the right, and from the bottom.
 */
#include "top_screen.h"

#include <linux/netnice.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "figure.h"

#define NAME_MIN	20
#define SPARK_MIN	4
#define SPARK_MAX	30
#define GAP		1

/* Sockets get a third of the screen at most, with a line of their own columns' heads. */
#define SOCKETS_SHARE	3

static const char *const names[TOP_METRICS] = {
	[TOP_EGRESS] = "EGRESS", [TOP_INGRESS] = "INGRESS",
	[TOP_BACKLOG] = "BACKLOG", [TOP_DROPS] = "DROPS/s",
	[TOP_DELAY] = "DELAY",
};

/* Columns of one line */
struct layout {
	int name;
	int spark;
};

static int metric_columns(const struct layout *layout)
{
	return GAP + FIGURE_COLUMNS + (layout->spark ? GAP + layout->spark : 0);
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

/* What a full column is: the limit, if there is one, or the most that is shown */
static float scale_of(const struct top_model *model, const struct top_vif *vif,
		      enum top_metric metric, int columns)
{
	unsigned long long limit = 0;
	float scale = 0, value;

	if (metric == TOP_EGRESS)
		limit = vif->now.side[VIF_EGRESS].bandwidth;
	if (metric == TOP_INGRESS)
		limit = vif->now.side[VIF_INGRESS].bandwidth;
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
	unsigned long long limit = 0;

	if (value <= 0)
		return CANVAS_DIM;
	if (metric == TOP_DROPS)
		return CANVAS_BAD;
	if (metric == TOP_BACKLOG || metric == TOP_DELAY)
		return CANVAS_PLAIN;
	limit = vif->now.side[metric == TOP_INGRESS].bandwidth;
	return limit && value >= 0.95f * 8 * limit ? CANVAS_WARN : CANVAS_GOOD;
}

static void put_metric(struct canvas *canvas, const struct layout *layout,
		       const struct top_model *model, const struct top_vif *vif,
		       enum top_metric metric)
{
	const float value = top_value(model, vif, metric, 0);
	char text[FIGURE_BYTES];

	top_figure(text, model, vif, metric);
	canvas_style(canvas, style_of(vif, metric, value));
	canvas_put_right(canvas, text, GAP + FIGURE_COLUMNS);
	canvas_space(canvas, layout->spark ? GAP : 0);
	put_spark(canvas, model, vif, metric, layout->spark);
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

/* Deep trees indent further than names may: these end where the columns begin. */
static struct layout lay_out(const struct canvas *canvas)
{
	const int fixed = TOP_METRICS * (GAP + FIGURE_COLUMNS);
	int spark = (canvas->columns - NAME_MIN - fixed) / TOP_METRICS - GAP;
	struct layout layout;

	if (canvas->columns > 120)	/* longer names, too */
		spark = (canvas->columns * 3 / 4 - fixed) / TOP_METRICS - GAP;
	layout.spark = spark < SPARK_MIN ? 0 :
		       spark > SPARK_MAX ? SPARK_MAX : spark;
	layout.name = canvas->columns - TOP_METRICS * metric_columns(&layout);
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
	if (view->is_typing || *order->filter)
		put_filter(canvas, order->filter);
	if (view->is_typing)
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
			 metric_columns(layout));
	canvas_end_line(canvas);
}

/* --- sockets --- */

#define PROCESS_COLUMNS	18
#define PROTOCOL_COLUMNS	4
#define SRTT_COLUMNS	8

static int address_columns(const struct canvas *canvas)
{
	return (canvas->columns - PROCESS_COLUMNS - PROTOCOL_COLUMNS -
		3 * (GAP + FIGURE_COLUMNS) - GAP - SRTT_COLUMNS) / 2;
}

static void put_socket_heads(struct canvas *canvas,
			     const struct top_sockets *sockets, const char *path)
{
	const int right = 3 * (GAP + FIGURE_COLUMNS) + GAP + SRTT_COLUMNS;
	char text[64];

	if (!canvas_line(canvas, CANVAS_CURSOR))
		return;
	snprintf(text, sizeof(text), "%zu SOCKET%s: ",
		 sockets ? sockets->count : 0,
		 sockets && sockets->count == 1 ? "" : "S");
	canvas_put(canvas, text);
	canvas_put_name(canvas, path, canvas->left - right);
	canvas_put_right(canvas, "CWND", GAP + FIGURE_COLUMNS);
	canvas_put_right(canvas, "SRTT", GAP + SRTT_COLUMNS);
	canvas_put_right(canvas, "RETRAN", GAP + FIGURE_COLUMNS);
	canvas_put_right(canvas, "RATE", GAP + FIGURE_COLUMNS);
	canvas_end_line(canvas);
}

static void put_tcp(struct canvas *canvas, const struct tcp_info *tcp)
{
	char text[FIGURE_BYTES];

	figure_count(text, tcp->tcpi_snd_cwnd);
	canvas_put_right(canvas, text, GAP + FIGURE_COLUMNS);
	figure_time(text, tcp->tcpi_rtt * 1e3);
	canvas_put_right(canvas, text, GAP + SRTT_COLUMNS);
	figure_count(text, tcp->tcpi_total_retrans);
	canvas_style(canvas, tcp->tcpi_total_retrans ? CANVAS_BAD : CANVAS_PLAIN);
	canvas_put_right(canvas, text, GAP + FIGURE_COLUMNS);
	canvas_style(canvas, CANVAS_PLAIN);
	figure_count(text, tcp->tcpi_delivery_rate * 8.0);
	canvas_put_right(canvas, text, GAP + FIGURE_COLUMNS);
}

/* The end of an address tells more than its begin. */
static void put_address(struct canvas *canvas, const char *text, int columns)
{
	const int len = strlen(text);

	canvas_space(canvas, GAP);
	columns -= GAP;
	if (len <= columns) {
		canvas_put(canvas, text);
		canvas_space(canvas, columns - len);
	} else if (columns > 0) {
		canvas_put(canvas, "~");
		canvas_put(canvas, text + len - columns + 1);
	}
}

static void put_socket(struct canvas *canvas, const struct top_socket *socket)
{
	const struct socket_info *info = socket->info;
	char pid[16] = "-";

	if (!canvas_line(canvas, CANVAS_PLAIN))
		return;
	canvas_put(canvas, info->protocol);
	canvas_space(canvas, PROTOCOL_COLUMNS - (int)strlen(info->protocol));
	if (socket->pid)
		snprintf(pid, sizeof(pid), "%d ", socket->pid);
	canvas_put(canvas, pid);
	canvas_put_name(canvas, socket->comm, PROCESS_COLUMNS - (int)strlen(pid));
	put_address(canvas, info->local.text, address_columns(canvas));
	put_address(canvas, info->remote.text, address_columns(canvas));
	if (info->is_tcp)
		put_tcp(canvas, &info->tcp);
	canvas_end_line(canvas);
}

static void put_sockets(struct canvas *canvas,
			const struct top_sockets *sockets, const char *path,
			int lines)
{
	put_socket_heads(canvas, sockets, path);
	for (int i = 0; i < lines - 1; i++)
		if (sockets && (size_t)i < sockets->count)
			put_socket(canvas, &sockets->socket[i]);
		else
			canvas_text(canvas, CANVAS_PLAIN, i ? "" :
				    sockets ? "(none)" : "(not available)");
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
		    "  EGRESS, INGRESS: bit/s; BACKLOG: bytes; DELAY: of 99 in 100 packets at most");
}

/* At the bottom, whatever is above */
static void put_footer(struct canvas *canvas, const struct top_view *view)
{
	while (canvas->line < canvas->lines - 1)
		canvas_text(canvas, CANVAS_PLAIN, "");
	canvas_text(canvas, CANVAS_DIM, view->is_typing ?
		    "filter: type a part of a path, Enter to keep it, Esc to end it" :
		    view->is_help ? "any key to go back, q to quit" :
		    "q quit  h help  p pause  s sort  r reverse  / filter  t tree  "
		    "Enter sockets");
}

/* Lines for sockets, with their head, if there is any use in them */
static int socket_lines(const struct canvas *canvas,
			const struct top_view *view,
			const struct top_sockets *sockets)
{
	const int most = canvas->lines / SOCKETS_SHARE;
	int wanted = 2 + (sockets && sockets->count ? (int)sockets->count - 1 : 0);

	if (!view->with_sockets || most < 2)
		return 0;
	return wanted < most ? wanted : most;
}

void top_screen_draw(struct canvas *canvas, const struct top_model *model,
		     const struct top_list *list, struct top_view *view,
		     const struct top_sockets *sockets)
{
	const struct layout layout = lay_out(canvas);
	const int below = socket_lines(canvas, view, sockets);
	const int page = canvas->lines - 3 - below;
	size_t selected;

	top_view_fit(view, list, page > 0 ? page : 0);
	selected = top_list_find(list, view->selected);
	canvas_begin(canvas);
	put_title(canvas, model, list, view);
	if (view->is_help) {
		put_help(canvas);
	} else {
		put_heads(canvas, &layout, view);
		put_rows(canvas, &layout, model, list, view);
		if (below && selected < list->count)
			put_sockets(canvas, sockets,
				    list->row[selected].vif->now.path, below);
	}
	put_footer(canvas, view);
	canvas_end(canvas);
}
