// SPDX-License-Identifier: GPL-2.0
/*
 * The screen of "vifctl top", as a fuzzer's input: any VIFs with any names, come, gone
 * and moved between looks, any keys, any size of the terminal. No line is longer than
 * the screen is wide, nothing is drawn below it, and no byte of a name steers it.
 */
#include <linux/netnice.h>
#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../../tools/vifctl/terminal.h"
#include "../../tools/vifctl/top_screen.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define VIFS_MAX	40
#define SOCKETS_MAX	8

static void check(bool is_right, const char *what)
{
	if (is_right)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* --- the input --- */

struct input {
	const uint8_t *data;
	size_t left;
};

static uint8_t byte(struct input *input)
{
	if (!input->left)
		return 0;
	input->left--;
	return *input->data++;
}

/* Of all sizes */
static unsigned long long number(struct input *input)
{
	const unsigned int digits = byte(input);

	return (unsigned long long)byte(input) << digits % 57;
}

static void put_text(struct input *input, char *text, size_t size)
{
	size_t len = byte(input) % size;

	for (size_t i = 0; i < len; i++) {
		text[i] = byte(input);
		if (!text[i] || text[i] == '/')
			text[i] = 'x';
	}
	text[len] = '\0';
}

static void take_counters(struct input *input, struct vif_side *side)
{
	side->bandwidth = number(input);
	for (int i = 0; i < COUNTERS_AND_SUMS; i++)
		side->counter[i] = number(input);
	side->n_waits = byte(input);
	side->waits = calloc(side->n_waits + 1, sizeof(*side->waits));
	for (size_t i = 0; i < side->n_waits; i += 1 + byte(input))
		side->waits[i] = number(input);
}

/* Few numbers, so that VIFs stay, each with any of those before above it */
static void take_vif(struct input *input, struct vif_list *list, uint64_t id)
{
	struct vif_info *vif = &list->vif[list->count];
	char name[64], *path;

	put_text(input, name, sizeof(name));
	check(asprintf(&path, "eth0/%u/%s", byte(input), name) > 0, "no memory");
	*vif = (struct vif_info) {
		.id = id, .path = path, .name = strrchr(path, '/') + 1,
		.above = (int)(byte(input) % (list->count + 1)) - 1,
		.is_readable = byte(input) & 1,
	};
	if (vif->above >= 0)
		vif->depth = list->vif[vif->above].depth + 1;
	if (vif->depth > NETNICE_DEPTH_MAX) {
		vif->above = -1;
		vif->depth = 0;
	}
	take_counters(input, &vif->side[VIF_EGRESS]);
	take_counters(input, &vif->side[VIF_INGRESS]);
	list->count++;
}

static void look(struct input *input, struct top_model *model)
{
	struct vif_info vif[VIFS_MAX];
	struct vif_list list = { .vif = vif };
	uint64_t id = byte(input);

	while (list.count < VIFS_MAX && input->left) {
		/* in any order, but each once */
		id = (id + 1 + byte(input) % 3) % (4 * VIFS_MAX);
		take_vif(input, &list, id);
		if (!(byte(input) % 8))
			break;
	}
	check(!top_model_update(model, &list, model->time_ns + number(input)),
	      "no memory");
}

static size_t take_sockets(struct input *input, struct socket_info *info,
			   struct top_socket *socket)
{
	const size_t count = byte(input) % (SOCKETS_MAX + 1);

	for (size_t i = 0; i < count; i++) {
		info[i] = (struct socket_info) {
			.protocol = "tcp", .state = "established",
			.is_tcp = byte(input) & 1,
			.tcp = {
				.tcpi_snd_cwnd = number(input),
				.tcpi_rtt = number(input),
				.tcpi_total_retrans = number(input),
				.tcpi_delivery_rate = number(input),
			},
		};
		snprintf(info[i].local.text, sizeof(info[i].local.text),
			 "[%llx::%llx]:%u", number(input), number(input),
			 byte(input));
		info[i].remote = info[i].local;
		socket[i] = (struct top_socket) {
			.info = &info[i], .vif = "eth0", .pid = byte(input),
			.rate = { number(input) - 1.0, number(input) - 1.0 },
		};
		put_text(input, socket[i].comm, sizeof(socket[i].comm));
	}
	return count;
}

/* --- the picture --- */

/* ESC [ digits and semicolons, and a letter of those that are meant */
static const char *take_sequence(const char *at, int *line)
{
	const char *end = at + 2 + strspn(at + 2, "0123456789;");

	check(at[1] == '[' && strchr("HKm", *end), "another sequence");
	if (*end == 'H')
		*line = atoi(at + 2);
	return end + 1;
}

static void check_picture(const char *text, const struct canvas *canvas)
{
	int line = 0, last = 0, columns = 0;
	mbstate_t state = { 0 };
	size_t len;
	wchar_t c;

	while (*text) {
		if (*text == '\033') {
			text = take_sequence(text, &line);
			columns = line == last ? columns : 0;
			last = line;
			continue;
		}
		len = mbrtowc(&c, text, strlen(text), &state);
		check(len && len <= strlen(text), "no character");
		check(wcwidth(c) > 0, "a character that steers");
		check(canvas->is_utf8 || c < 0x80 || MB_CUR_MAX > 1, "not ASCII");
		columns += wcwidth(c);
		check(columns <= canvas->columns, "a line is too long");
		check(line >= 1 && line <= canvas->lines, "not on the screen");
		text += len;
	}
	check(line == canvas->lines, "not the whole screen");
}

static void draw(struct input *input, const struct top_model *model,
		 struct top_list *list, struct top_view *view)
{
	struct canvas canvas = {
		.columns = 1 + number(input) % 300, .lines = 1 + byte(input),
		.is_coloured = byte(input) & 1, .is_utf8 = byte(input) & 1,
	};
	struct socket_info info[SOCKETS_MAX];
	struct top_socket socket[SOCKETS_MAX];
	struct top_process process[SOCKETS_MAX];
	struct top_sockets sockets = { .socket = socket, .process = process };
	char *text = NULL;
	size_t size = 0;

	sockets.count = take_sockets(input, info, socket);
	sockets.n_processes = sockets.count;
	for (size_t i = 0; i < sockets.count; i++)
		process[i] = (struct top_process) { socket[i], number(input) };
	check(!top_list_make(list, model, &view->order), "no memory");
	check(list->count <= model->count, "more than there are");
	canvas.out = open_memstream(&text, &size);
	top_screen_draw(&canvas, model, list, view,
			byte(input) & 1 ? &sockets : NULL);
	fclose(canvas.out);
	check_picture(text, &canvas);
	free(text);
}

static void press(struct input *input, const struct top_list *list,
		  struct top_view *view)
{
	struct top_process process = { .first.pid = 1 + byte(input), .first.comm = "a process" };
	unsigned char bytes[32];
	size_t n = byte(input) % sizeof(bytes), at = 0, used;
	int key;

	for (size_t i = 0; i < n; i++)
		bytes[i] = byte(input);
	while (at < n) {
		used = terminal_key_take(bytes + at, n - at, &key, true);
		check(used && used <= n - at, "keys that do not end");
		at += used;
		top_view_key(view, list, process.first.pid % 2 ? &process : NULL, key);
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	check(setlocale(LC_CTYPE, "C.UTF-8"), "no locale");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	struct top_view view = { .interval_s = 1, .with_sockets = true };
	struct top_model model = { 0 };
	struct top_list list = { 0 };

	while (input.left) {
		if (byte(&input) & 1) {
			look(&input, &model);
			top_list_free(&list);	/* it points to what was */
		}
		press(&input, &list, &view);
		draw(&input, &model, &list, &view);
	}
	top_list_free(&list);
	top_model_free(&model);
	return 0;
}
