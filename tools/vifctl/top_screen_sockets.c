// SPDX-License-Identifier: GPL-2.0
#include "top_screen_sockets.h"

#include <stdio.h>
#include <string.h>

#include "figure.h"

/* They get a third of the screen at most, with a line of their own columns' heads. */
#define SOCKETS_SHARE	3

#define PROCESS_COLUMNS	16
#define PROTOCOL_COLUMNS	4
#define SRTT_COLUMNS	7
#define PORT_COLUMNS	6	/* of an address that is cut: "~54321" */

#define NARROW_COLUMNS	100	/* a screen on which addresses need all room that there is */
#define NARROW_GAP	1
#define NARROW_PROCESS_COLUMNS	13

/* Columns of a line, and between them */
struct widths {
	int gap;
	int process;
	int local;
	int remote;
};

/* Those at the right of each line */
static int right_columns(int gap, bool by_process)
{
	return by_process ? 3 * (gap + FIGURE_COLUMNS) :
			    4 * (gap + FIGURE_COLUMNS) + gap + SRTT_COLUMNS;
}

static int longest_remote(const struct top_sockets *sockets)
{
	int longest = 0, len;

	for (size_t i = 0; sockets && i < sockets->count; i++) {
		len = strlen(sockets->socket[i].info->remote.text);
		if (len > longest)
			longest = len;
	}
	return longest;
}

/* The other end is what is looked for: it gets what it needs, the local port stays. */
static struct widths widths_of(const struct canvas *canvas, const struct top_sockets *sockets)
{
	const bool is_narrow = canvas->columns < NARROW_COLUMNS;
	struct widths widths = {
		.gap = is_narrow ? NARROW_GAP : GAP,
		.process = is_narrow ? NARROW_PROCESS_COLUMNS : PROCESS_COLUMNS,
	};
	const int room = canvas->columns - PROTOCOL_COLUMNS - widths.process -
			 right_columns(widths.gap, false);
	const int remote = widths.gap + longest_remote(sockets);
	const int most = room - widths.gap - PORT_COLUMNS;

	widths.remote = room / 2;
	if (remote > widths.remote && most > widths.remote)
		widths.remote = remote < most ? remote : most;
	widths.local = room - widths.remote;
	return widths;
}

static size_t count_of(const struct top_sockets *sockets, const struct top_view *view)
{
	return !sockets ? 0 : view->by_process ? sockets->n_processes : sockets->count;
}

static void put_heads(struct canvas *canvas, const struct top_sockets *sockets,
		      const struct top_view *view, const char *path, int gap)
{
	const size_t count = count_of(sockets, view);
	char text[64];

	if (!canvas_line(canvas, CANVAS_CURSOR))
		return;
	snprintf(text, sizeof(text), "%zu %s%s: ", count,
		 view->by_process ? "PROCESS" : "SOCKET",
		 count == 1 ? "" : view->by_process ? "ES" : "S");
	canvas_put(canvas, text);
	canvas_put_name(canvas, path, canvas->left - right_columns(gap, view->by_process));
	if (view->by_process) {
		canvas_put_right(canvas, "SOCKS", gap + FIGURE_COLUMNS);
	} else {
		canvas_put_right(canvas, "CWND", gap + FIGURE_COLUMNS);
		canvas_put_right(canvas, "SRTT", gap + SRTT_COLUMNS);
		canvas_put_right(canvas, "RETRAN", gap + FIGURE_COLUMNS);
	}
	canvas_put_right(canvas, "SENT", gap + FIGURE_COLUMNS);
	canvas_put_right(canvas, "RECVD", gap + FIGURE_COLUMNS);
	canvas_end_line(canvas);
}

static void put_rate(struct canvas *canvas, double bytes_per_s, int gap)
{
	char text[FIGURE_BYTES];

	figure_bits(text, bytes_per_s);
	canvas_style(canvas, bytes_per_s > 0 ? CANVAS_GOOD : CANVAS_DIM);
	canvas_put_right(canvas, text, gap + FIGURE_COLUMNS);
	canvas_style(canvas, CANVAS_PLAIN);
}

static void put_rates(struct canvas *canvas, const struct top_rate *rate, int gap)
{
	put_rate(canvas, rate->sent, gap);
	put_rate(canvas, rate->received, gap);
}

static void put_tcp(struct canvas *canvas, const struct tcp_info *tcp, int gap)
{
	char text[FIGURE_BYTES];

	figure_count(text, tcp->tcpi_snd_cwnd);
	canvas_put_right(canvas, text, gap + FIGURE_COLUMNS);
	figure_time(text, tcp->tcpi_rtt * 1e3);
	canvas_put_right(canvas, text, gap + SRTT_COLUMNS);
	figure_count(text, tcp->tcpi_total_retrans);
	canvas_style(canvas, tcp->tcpi_total_retrans ? CANVAS_BAD : CANVAS_PLAIN);
	canvas_put_right(canvas, text, gap + FIGURE_COLUMNS);
	canvas_style(canvas, CANVAS_PLAIN);
}

/* The end of an address tells more than its begin. */
static void put_address(struct canvas *canvas, const char *text, int columns, int gap)
{
	const int len = strlen(text);

	canvas_space(canvas, gap);
	columns -= gap;
	if (len <= columns) {
		canvas_put(canvas, text);
		canvas_space(canvas, columns - len);
	} else if (columns > 0) {
		canvas_put(canvas, "~");
		canvas_put(canvas, text + len - columns + 1);
	}
}

static void put_process_name(struct canvas *canvas, const struct top_socket *socket, int columns)
{
	char pid[16] = "-";

	if (socket->pid)
		snprintf(pid, sizeof(pid), "%d ", socket->pid);
	canvas_put(canvas, pid);
	canvas_put_name(canvas, socket->comm, columns - (int)strlen(pid));
}

static void put_socket(struct canvas *canvas, const struct top_socket *socket,
		       const struct widths *widths)
{
	const struct socket_info *info = socket->info;

	if (!canvas_line(canvas, CANVAS_PLAIN))
		return;
	canvas_put(canvas, info->protocol);
	canvas_space(canvas, PROTOCOL_COLUMNS - (int)strlen(info->protocol));
	put_process_name(canvas, socket, widths->process);
	put_address(canvas, info->local.text, widths->local, widths->gap);
	put_address(canvas, info->remote.text, widths->remote, widths->gap);
	if (info->is_tcp) {
		put_tcp(canvas, &info->tcp, widths->gap);
		put_rates(canvas, &socket->rate, widths->gap);
	}
	canvas_end_line(canvas);
}

/* With the VIF of the busiest of its sockets */
static void put_process(struct canvas *canvas, const struct top_process *process,
			bool is_selected)
{
	char text[FIGURE_BYTES];

	if (!canvas_line(canvas, is_selected ? CANVAS_CURSOR : CANVAS_PLAIN))
		return;
	put_process_name(canvas, &process->first, PROCESS_COLUMNS);
	canvas_space(canvas, GAP);
	canvas_put_name(canvas, process->first.vif, canvas->left - right_columns(GAP, true));
	figure_count(text, process->sockets);
	canvas_put_right(canvas, text, GAP + FIGURE_COLUMNS);
	put_rates(canvas, &process->first.rate, GAP);
	canvas_end_line(canvas);
}

void top_screen_put_sockets(struct canvas *canvas, const struct top_sockets *sockets,
			    const struct top_view *view, const char *path, int lines)
{
	const size_t count = count_of(sockets, view);
	const struct widths widths = widths_of(canvas, sockets);
	size_t first = 0;

	put_heads(canvas, sockets, view, path, view->by_process ? GAP : widths.gap);
	/* the selected one is seen */
	if (view->by_process && view->process >= (size_t)lines - 1)
		first = view->process - (lines - 2);
	for (size_t i = first; i < first + lines - 1; i++)
		if (i >= count)
			canvas_text(canvas, CANVAS_PLAIN, i ? "" :
				    sockets ? "(none)" : "(not available)");
		else if (view->by_process)
			put_process(canvas, &sockets->process[i], i == view->process);
		else
			put_socket(canvas, &sockets->socket[i], &widths);
}

int top_screen_socket_lines(const struct canvas *canvas, const struct top_view *view,
			    const struct top_sockets *sockets)
{
	const int most = canvas->lines / SOCKETS_SHARE;
	const size_t count = count_of(sockets, view);
	int wanted = 2 + (count ? (int)count - 1 : 0);

	if (!view->with_sockets || most < 2)
		return 0;
	return wanted < most ? wanted : most;
}
