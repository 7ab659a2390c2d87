// SPDX-License-Identifier: GPL-2.0
/* vifctl top without a terminal: a block of lines, or a JSON object, for each interval. */
#include "top_print.h"

#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "figure.h"
#include "json.h"
#include "top_sockets.h"

/* Those of a tree, at what is there with nothing above it: a device, or a VIF asked for */
static int choose_sockets(struct top_sockets *sockets, const struct top_row *row)
{
	return sockets && !row->depth ? top_sockets_choose(sockets, row->vif->now.path) : 0;
}

/* --- text --- */

static int name_columns(const struct top_list *list)
{
	int columns = strlen("VIF"), name;

	for (size_t i = 0; i < list->count; i++) {
		name = escape_put(NULL, list->row[i].vif->now.path);
		columns = name > columns ? name : columns;
	}
	return columns;
}

static void put_values(const struct top_model *model, const struct top_vif *vif)
{
	char text[FIGURE_BYTES];

	for (int i = 0; i < TOP_METRICS; i++) {
		top_figure(text, model, vif, i);
		printf("  %8s", text);
	}
	putchar('\n');
}

static void put_socket(const struct top_socket *socket)
{
	const struct socket_info *info = socket->info;
	char srtt[FIGURE_BYTES], rate[FIGURE_BYTES];
	char sent[FIGURE_BYTES], received[FIGURE_BYTES];

	printf("  %s %s %s %s", info->protocol, info->state, info->local.text,
	       info->remote.text);
	if (socket->pid)
		printf(" pid %d ", socket->pid);
	escape_put(stdout, socket->comm);
	if (info->is_tcp) {
		figure_time(srtt, info->tcp.tcpi_rtt * 1e3);
		figure_count(rate, info->tcp.tcpi_delivery_rate * 8.0);
		figure_bits(sent, socket->rate.sent);
		figure_bits(received, socket->rate.received);
		printf(" cwnd %u srtt %s retransmissions %u rate %s sent %s received %s",
		       info->tcp.tcpi_snd_cwnd, srtt, info->tcp.tcpi_total_retrans, rate,
		       sent, received);
	}
	putchar('\n');
}

static void put_sockets(const struct top_sockets *sockets, const char *path)
{
	for (size_t i = 0; sockets && i < sockets->count; i++)
		if (!strcmp(sockets->socket[i].vif, path))
			put_socket(&sockets->socket[i]);
}

int top_print_text(const struct top_model *model, const struct top_list *list,
		   struct top_sockets *sockets)
{
	const int columns = name_columns(list);
	int ret = 0;

	printf("%-*s  %8s  %8s  %8s  %8s  %8s\n", columns, "VIF", "EGRESS",
	       "INGRESS", "BACKLOG", "DROPS/s", "DELAY");
	for (size_t i = 0; !ret && i < list->count; i++) {
		const struct top_vif *vif = list->row[i].vif;

		printf("%*s", columns - escape_put(stdout, vif->now.path), "");
		put_values(model, vif);
		ret = choose_sockets(sockets, &list->row[i]);
		put_sockets(sockets, vif->now.path);
	}
	putchar('\n');
	return ret;
}

/* --- JSON --- */

static void json_flow(struct json *json, const struct top_vif *vif, int i)
{
	const struct vif_side *side = &vif->now.side[i];
	const struct top_flow *flow = &vif->flow[i];

	if (!vif->is_known) {
		json_null(json, vif_dir_name[i]);
		return;
	}
	json_open(json, vif_dir_name[i], '{');
	if (side->is_stopped)
		json_number(json, "limit_bytes_per_s", 0);
	else if (side->limit)
		json_number(json, "limit_bytes_per_s", side->limit);
	else
		json_null(json, "limit_bytes_per_s");
	if (side->has_quota) {
		json_number(json, "quota_bytes", side->quota);
		json_number(json, "quota_left_bytes", side->quota_left);
	}
	json_number(json, "bytes_per_s", flow->bytes_per_s);
	json_number(json, "packets_per_s", flow->packets_per_s);
	json_number(json, "drops", flow->drops);
	json_number(json, "marks", flow->marks);
	json_number(json, "backlog_bytes", side->counter[COUNTER_BACKLOG_BYTES]);
	json_number(json, "backlog_packets", side->counter[COUNTER_BACKLOG_PACKETS]);
	if (flow->delayed) {
		json_number(json, "delay_mean_ns", flow->delay_mean_ns);
		json_number(json, "delay_p99_ns", flow->delay_p99_ns);
	} else {
		json_null(json, "delay_mean_ns");
		json_null(json, "delay_p99_ns");
	}
	json_close(json, '}');
}

static void json_rate(struct json *json, const char *key, double bytes_per_s)
{
	if (bytes_per_s >= 0)
		json_number(json, key, bytes_per_s);
	else
		json_null(json, key);
}

static void json_socket(struct json *json, const struct top_socket *socket)
{
	const struct socket_info *info = socket->info;

	json_open(json, NULL, '{');
	json_string(json, "protocol", info->protocol);
	json_string(json, "state", info->state);
	json_string(json, "local", info->local.text);
	json_string(json, "remote", info->remote.text);
	json_id(json, "inode", info->inode);
	if (socket->pid) {
		json_number(json, "pid", socket->pid);
		json_string(json, "comm", socket->comm);
	}
	if (info->is_tcp) {
		json_number(json, "cwnd", info->tcp.tcpi_snd_cwnd);
		json_number(json, "srtt_us", info->tcp.tcpi_rtt);
		json_number(json, "retransmissions", info->tcp.tcpi_total_retrans);
		json_number(json, "delivery_bytes_per_s",
			    info->tcp.tcpi_delivery_rate);
		json_number(json, "bytes", top_socket_bytes(info));
		json_rate(json, "sent_bytes_per_s", socket->rate.sent);
		json_rate(json, "received_bytes_per_s", socket->rate.received);
	}
	json_close(json, '}');
}

static void json_sockets(struct json *json, const struct top_sockets *sockets,
			 const char *path)
{
	json_open(json, "sockets", '[');
	for (size_t i = 0; i < sockets->count; i++)
		if (!strcmp(sockets->socket[i].vif, path))
			json_socket(json, &sockets->socket[i]);
	json_close(json, ']');
}

int top_print_json(const struct top_model *model, const struct top_list *list,
		   struct top_sockets *sockets, bool is_pretty)
{
	struct json json = { .pretty = is_pretty };
	int ret = 0;

	json_open(&json, NULL, '{');
	json_version(&json);
	json_number(&json, "interval_ms", (model->interval_ns + 500000) / 1000000);
	json_open(&json, "vifs", '[');
	for (size_t i = 0; !ret && i < list->count; i++) {
		const struct top_vif *vif = list->row[i].vif;

		json_open(&json, NULL, '{');
		json_path(&json, vif->now.path);
		for (int j = 0; j < VIF_DIRS; j++)
			json_flow(&json, vif, j);
		ret = choose_sockets(sockets, &list->row[i]);
		if (sockets)
			json_sockets(&json, sockets, vif->now.path);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
	return ret;
}
