// SPDX-License-Identifier: GPL-2.0
/*
 * Files of a VIF that have a value: the parameters, which have one for each
 * direction, autoremove, and the counters. Values are copied under the tree
 * mutex and printed without it.
 */
#include "values.h"

#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/param.h"
#include "../vif/tree/vif.h"
#include "files.h"
#include "inode.h"
#include "parse.h"

union value {
	u64 bytes_per_s;
	struct vif_burst burst;
	unsigned int number;
	struct nnfs_limit limit;
	struct nnfs_aqm aqm;
	struct nnfs_link_layer link_layer;
};

/**
 * struct nnfs_param - a parameter with a value for each direction
 * @what: what a value is
 * @accepted: what may be written
 * @words: of a value, at most; 0: one
 * @share: for weights and priorities: whose
 * @parse: returns 0, -EINVAL or -ERANGE
 * @print: to NNFS_PRINT_MAX bytes
 * @get: the tree mutex is held
 * @set: sets last_error where it fails
 */
struct nnfs_param {
	const char *what;
	const char *accepted;
	unsigned int words;
	enum vif_share share;
	int (*parse)(const struct nnfs_word *word, union value *value);
	void (*print)(char *buf, const union value *value);
	void (*get)(const struct nnfs_param *param, const struct vif *vif,
		    enum vif_dir dir, union value *value);
	int (*set)(const struct nnfs_param *param, struct vif *vif,
		   enum vif_dir dir, const union value *value);
};

static int parse_bandwidth(const struct nnfs_word *word, union value *value)
{
	return nnfs_parse_rate(word, &value->bytes_per_s);
}

static void print_bandwidth(char *buf, const union value *value)
{
	nnfs_print_rate(buf, value->bytes_per_s);
}

static void get_bandwidth(const struct nnfs_param *param, const struct vif *vif,
			  enum vif_dir dir, union value *value)
{
	value->bytes_per_s = vif->side[dir].bandwidth;
}

static int set_bandwidth(const struct nnfs_param *param, struct vif *vif,
			 enum vif_dir dir, const union value *value)
{
	return vif_set_bandwidth(vif, dir, value->bytes_per_s);
}

static const char accepted_rates[] =
	"bits per second with tc's suffixes, as 256k or 1.5mbit, from 8kbit to 100gbit, or max";

const struct nnfs_param nnfs_bandwidth = {
	.what		= "rate",
	.accepted	= accepted_rates,
	.parse		= parse_bandwidth,
	.print		= print_bandwidth,
	.get		= get_bandwidth,
	.set		= set_bandwidth,
};

static int parse_minimum(const struct nnfs_word *word, union value *value)
{
	return nnfs_parse_minimum(word, &value->bytes_per_s);
}

static void print_minimum(char *buf, const union value *value)
{
	nnfs_print_minimum(buf, value->bytes_per_s);
}

static void get_minimum(const struct nnfs_param *param, const struct vif *vif,
			enum vif_dir dir, union value *value)
{
	value->bytes_per_s = vif->side[dir].minimum;
}

static int set_minimum(const struct nnfs_param *param, struct vif *vif,
		       enum vif_dir dir, const union value *value)
{
	return vif_set_minimum(vif, dir, value->bytes_per_s);
}

static const char accepted_minima[] =
	"bits per second with tc's suffixes, as 256k or 1.5mbit, from 8kbit to 100gbit, or none";

const struct nnfs_param nnfs_minimum = {
	.what		= "rate",
	.accepted	= accepted_minima,
	.parse		= parse_minimum,
	.print		= print_minimum,
	.get		= get_minimum,
	.set		= set_minimum,
};

static int parse_burst(const struct nnfs_word *word, union value *value)
{
	bool is_time;
	int err = nnfs_parse_burst(word, &value->burst.value, &is_time);

	value->burst.unit = is_time ? VIF_BURST_NS : VIF_BURST_BYTES;
	return err;
}

static void print_burst(char *buf, const union value *value)
{
	nnfs_print_burst(buf, value->burst.value,
			 value->burst.unit == VIF_BURST_NS);
}

static void get_burst(const struct nnfs_param *param, const struct vif *vif,
		      enum vif_dir dir, union value *value)
{
	value->burst = vif->side[dir].burst;
}

static int set_burst(const struct nnfs_param *param, struct vif *vif,
		     enum vif_dir dir, const union value *value)
{
	return vif_set_burst(vif, dir, value->burst);
}

static const char accepted_bursts[] =
	"a time, as 500us or 1.5ms, up to 10s, or bytes, as 1500 or 16k, up to 4g, or auto";

const struct nnfs_param nnfs_burst = {
	.what		= "time or size",
	.accepted	= accepted_bursts,
	.parse		= parse_burst,
	.print		= print_burst,
	.get		= get_burst,
	.set		= set_burst,
};

static int parse_number(const struct nnfs_word *word, unsigned int min,
			unsigned int max, union value *value)
{
	int number, err;

	err = nnfs_parse_number(word, &number);
	if (err)
		return err;
	if (number < min || number > max)
		return -ERANGE;
	value->number = number;
	return 0;
}

static void print_number(char *buf, const union value *value)
{
	snprintf(buf, NNFS_PRINT_MAX, "%u", value->number);
}

static int parse_weight(const struct nnfs_word *word, union value *value)
{
	return parse_number(word, 1, VSCHED_WEIGHT_MAX, value);
}

static void get_weight(const struct nnfs_param *param, const struct vif *vif,
		       enum vif_dir dir, union value *value)
{
	value->number = vif_share(&vif->side[dir], param->share)->weight;
}

static int set_weight(const struct nnfs_param *param, struct vif *vif,
		      enum vif_dir dir, const union value *value)
{
	return vif_set_weight(vif, dir, param->share, value->number);
}

static const char accepted_weights[] =
	"a whole number from 1 to 10000, as 100, which is the default";

const struct nnfs_param nnfs_weight = {
	.what		= "weight",
	.accepted	= accepted_weights,
	.share		= VIF_SHARE_VIF,
	.parse		= parse_weight,
	.print		= print_number,
	.get		= get_weight,
	.set		= set_weight,
};

const struct nnfs_param nnfs_local_weight = {
	.what		= "weight",
	.accepted	= accepted_weights,
	.share		= VIF_SHARE_LOCAL,
	.parse		= parse_weight,
	.print		= print_number,
	.get		= get_weight,
	.set		= set_weight,
};

static int parse_priority(const struct nnfs_word *word, union value *value)
{
	return parse_number(word, 0, VSCHED_PRIORITIES - 1, value);
}

static void get_priority(const struct nnfs_param *param, const struct vif *vif,
			 enum vif_dir dir, union value *value)
{
	value->number = vif_share(&vif->side[dir], param->share)->priority;
}

static int set_priority(const struct nnfs_param *param, struct vif *vif,
			enum vif_dir dir, const union value *value)
{
	return vif_set_priority(vif, dir, param->share, value->number);
}

static const char accepted_priorities[] =
	"a whole number from 0, which is served first, to 7; 4 is the default";

const struct nnfs_param nnfs_priority = {
	.what		= "priority",
	.accepted	= accepted_priorities,
	.share		= VIF_SHARE_VIF,
	.parse		= parse_priority,
	.print		= print_number,
	.get		= get_priority,
	.set		= set_priority,
};

const struct nnfs_param nnfs_local_priority = {
	.what		= "priority",
	.accepted	= accepted_priorities,
	.share		= VIF_SHARE_LOCAL,
	.parse		= parse_priority,
	.print		= print_number,
	.get		= get_priority,
	.set		= set_priority,
};

static int parse_limit(const struct nnfs_word *word, union value *value)
{
	return nnfs_parse_limit(word, &value->limit);
}

static void print_limit(char *buf, const union value *value)
{
	nnfs_print_limit(buf, &value->limit);
}

static void get_limit(const struct nnfs_param *param, const struct vif *vif,
		      enum vif_dir dir, union value *value)
{
	const struct p_queue_limit *limit = &vif->side[dir].config.limit;

	value->limit = (struct nnfs_limit) {
		.value = limit->value,
		.packets = limit->unit == P_QUEUE_PACKETS,
		.max = limit->unit == P_QUEUE_MAX,
	};
}

static enum p_queue_unit limit_unit(const struct nnfs_limit *limit)
{
	if (limit->max)
		return P_QUEUE_MAX;
	if (!limit->value)
		return P_QUEUE_AUTO;
	return limit->packets ? P_QUEUE_PACKETS : P_QUEUE_BYTES;
}

static int set_limit(const struct nnfs_param *param, struct vif *vif,
		     enum vif_dir dir, const union value *value)
{
	struct p_queue_limit limit = {
		.value = value->limit.value,
		.unit = limit_unit(&value->limit),
	};

	return vif_set_limit(vif, dir, limit);
}

static const char accepted_limits[] =
	"bytes, as 64k, less than 4g, packets, as 100p, up to 1000000p, max or auto";

const struct nnfs_param nnfs_limit = {
	.what		= "size or number of packets",
	.accepted	= accepted_limits,
	.parse		= parse_limit,
	.print		= print_limit,
	.get		= get_limit,
	.set		= set_limit,
};

static int parse_aqm(const struct nnfs_word *word, union value *value)
{
	return nnfs_parse_aqm(word, &value->aqm);
}

static void print_aqm(char *buf, const union value *value)
{
	nnfs_print_aqm(buf, &value->aqm);
}

static void get_aqm(const struct nnfs_param *param, const struct vif *vif,
		    enum vif_dir dir, union value *value)
{
	const struct p_queue_aqm *aqm = &vif->side[dir].config.aqm;

	value->aqm = (struct nnfs_aqm) {
		.target_us = aqm->target_us,
		.interval_us = aqm->interval_us,
		.none = aqm->off,
	};
}

static int set_aqm(const struct nnfs_param *param, struct vif *vif,
		   enum vif_dir dir, const union value *value)
{
	struct p_queue_aqm aqm = {
		.target_us = value->aqm.target_us,
		.interval_us = value->aqm.interval_us,
		.off = value->aqm.none,
	};

	return vif_set_aqm(vif, dir, aqm);
}

static const char accepted_aqms[] =
	"codel [target TIME] [interval TIME], times from 1us to 10s, the target below the interval, or none, or auto";

const struct nnfs_param nnfs_aqm = {
	.what		= "setting of CoDel",
	.accepted	= accepted_aqms,
	.words		= NNFS_AQM_WORDS,
	.parse		= parse_aqm,
	.print		= print_aqm,
	.get		= get_aqm,
	.set		= set_aqm,
};

static int parse_link_layer(const struct nnfs_word *word, union value *value)
{
	return nnfs_parse_link_layer(word, &value->link_layer);
}

static void print_link_layer(char *buf, const union value *value)
{
	nnfs_print_link_layer(buf, &value->link_layer);
}

static void get_link_layer(const struct nnfs_param *param, const struct vif *vif,
			   enum vif_dir dir, union value *value)
{
	const struct vif_link_layer layer = __vif_link_layer(vif, dir);

	value->link_layer = (struct nnfs_link_layer) {
		.has_overhead = layer.has_overhead,
		.overhead = layer.overhead,
		.mpu = layer.mpu,
		.atm = layer.framing == VIF_FRAMING_ATM,
		.ptm = layer.framing == VIF_FRAMING_PTM,
	};
}

static int set_link_layer(const struct nnfs_param *param, struct vif *vif,
			  enum vif_dir dir, const union value *value)
{
	const struct nnfs_link_layer *set = &value->link_layer;
	const struct vif_link_layer layer = {
		.has_overhead = set->has_overhead,
		.overhead = set->overhead,
		.mpu = set->mpu,
		.framing = set->atm ? VIF_FRAMING_ATM :
			   set->ptm ? VIF_FRAMING_PTM : VIF_FRAMING_NONE,
	};

	return vif_set_link_layer(vif, dir, &layer);
}

static const char accepted_link_layers[] =
	"[overhead BYTES] [mpu BYTES] [atm | ptm | noatm], an overhead from -64 to 256, an mpu from 0 to 256, or none";

const struct nnfs_param nnfs_link_layer = {
	.what		= "link layer",
	.accepted	= accepted_link_layers,
	.words		= NNFS_LINK_LAYER_WORDS,
	.parse		= parse_link_layer,
	.print		= print_link_layer,
	.get		= get_link_layer,
	.set		= set_link_layer,
};

static void get_both(const struct nnfs_param *param, struct vif *vif,
		     union value *value)
{
	struct vif_net *net = vif_net_of_vif(vif);
	enum vif_dir dir;

	mutex_lock(&net->lock);
	for (dir = 0; dir < VIF_DIRS; dir++)
		param->get(param, vif, dir, &value[dir]);
	mutex_unlock(&net->lock);
}

int nnfs_param_show(struct seq_file *seq, struct vif *vif)
{
	const struct nnfs_param *param = nnfs_seq_file(seq)->param;
	union value value[VIF_DIRS];
	char text[NNFS_PRINT_MAX];
	enum vif_dir dir;

	get_both(param, vif, value);
	for (dir = 0; dir < VIF_DIRS; dir++) {
		param->print(text, &value[dir]);
		seq_puts(seq, vif_dir_name[dir]);
		seq_putc(seq, ' ');
		seq_puts(seq, text);
		seq_putc(seq, '\n');
	}
	return 0;
}

/* Say what is wrong with a word, and what would be right. */
static int refuse(struct vif *vif, const struct nnfs_file *file,
		  const struct nnfs_word *word, int err)
{
	const struct nnfs_param *param = file->param;
	struct vif_net *net = vif_net_of_vif(vif);
	const char *why = "is not a ";

	switch (err) {
	case -ENODATA:
		return vif_fail(net, -EINVAL,
				"%s: a value is missing%s%.*s: use %s",
				file->name, word->len ? " after " : "",
				(int)word->len, word->text, param->accepted);
	case -EEXIST:
		return vif_fail(net, -EINVAL,
				"%s: '%.*s' is one too many: use VALUE, egress VALUE, or ingress VALUE",
				file->name, (int)word->len, word->text);
	case -ERANGE:
		why = "is out of range for a ";
		break;
	}
	return vif_fail(net, -EINVAL, "%s: '%.*s' %s%s: use %s", file->name,
			(int)word->len, word->text, why, param->what,
			param->accepted);
}

static int parse_both(struct vif *vif, const struct nnfs_file *file,
		      const char *text, struct nnfs_word *word,
		      union value *value)
{
	struct nnfs_word bad;
	enum vif_dir dir;
	int err;

	err = nnfs_split(text, vif_dir_name, VIF_DIRS,
			 file->param->words ?: 1, word, &bad);
	if (err)
		return refuse(vif, file, &bad, err);
	for (dir = 0; dir < VIF_DIRS; dir++) {
		if (!word[dir].text)
			continue;
		/* one value for both */
		if (dir && word[dir].text == word[dir - 1].text) {
			value[dir] = value[dir - 1];
			continue;
		}
		err = file->param->parse(&word[dir], &value[dir]);
		if (err)
			return refuse(vif, file, &word[dir], err);
	}
	return 0;
}

/* Where one direction fails the other one has what it had before. */
int nnfs_param_store(struct file *file, struct vif *vif, char *text)
{
	const struct nnfs_file *f = nnfs_i(file_inode(file))->file;
	union value value[VIF_DIRS], old[VIF_DIRS];
	struct nnfs_word word[VIF_DIRS];
	int dir, err;

	err = parse_both(vif, f, text, word, value);
	if (err)
		return err;
	get_both(f->param, vif, old);
	for (dir = 0; dir < VIF_DIRS; dir++) {
		err = word[dir].text ?
		      f->param->set(f->param, vif, dir, &value[dir]) : 0;
		if (err)
			goto undo;
	}
	return 0;

undo:
	while (dir--)
		if (word[dir].text)
			f->param->set(f->param, vif, dir, &old[dir]);
	return err;
}

int nnfs_autoremove_show(struct seq_file *seq, struct vif *vif)
{
	seq_printf(seq, "%d\n", READ_ONCE(vif->autoremove));
	return 0;
}

/*
 * Who writes 1 pins the VIF with its descriptor: a tool that makes a VIF,
 * attaches, and dies in between leaves nothing behind. The pin comes first,
 * lest a VIF go that had its last process a moment ago.
 */
int nnfs_autoremove_store(struct file *file, struct vif *vif, char *text)
{
	unsigned long *pinned = &nnfs_open_of(file)->pinned;
	bool on = !strcmp(text, "1"), pin;
	int err;

	if (!on && strcmp(text, "0"))
		return vif_fail(vif_net_of_vif(vif), -EINVAL,
				"autoremove: '%s' is neither 0 nor 1",
				text);
	pin = on && !test_and_set_bit(0, pinned);
	if (pin)
		vif_pin(vif);
	err = vif_set_autoremove(vif, on);
	if (err && pin) {
		clear_bit(0, pinned);
		vif_unpin(vif);
	}
	return err;
}

static void show_side(struct seq_file *seq, const char *dir,
		      const struct vif_stat *stat)
{
	const struct {
		const char *name;
		u64 value;
	} line[] = {
		{ "packets", stat->packets },
		{ "bytes", stat->bytes },
		{ "drops", stat->drops },
		{ "marks", stat->marks },
		{ "overlimits", stat->overlimits },
		{ "p_queue_packets", stat->p_packets },
		{ "p_queue_bytes", stat->p_bytes },
		{ "d_queue_packets", stat->d_packets },
		{ "d_queue_bytes", stat->d_bytes },
		{ "sojourn_min", stat->sojourn.min_ns },
		{ "sojourn_mean", stat->sojourn.mean_ns },
		{ "sojourn_p99", stat->sojourn.p99_ns },
		{ "sojourn_max", stat->sojourn.max_ns },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(line); i++)
		seq_printf(seq, "%s_%s %llu\n", dir, line[i].name,
			   line[i].value);
}

int nnfs_stat_show(struct seq_file *seq, struct vif *vif)
{
	struct vif_stat stat;
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++) {
		vif_read_stat(vif, dir, &stat);
		show_side(seq, vif_dir_name[dir], &stat);
	}
	return 0;
}
