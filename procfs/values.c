// SPDX-License-Identifier: GPL-2.0
/*
 * Text that is written to files, and files of a VIF that have a value and are not parameters:
 * autoremove; stack and ports, which belong to an option (stack_files.c); and the counters.
 */
#include "values.h"

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/option.h"
#include "../vif/tree/param.h"
#include "../vif/tree/program.h"
#include "../vif/tree/vif.h"
#include "internal.h"

char *nnfs_copy_text(const struct inode *inode, const char *name, size_t most,
		     const char __user *buf, size_t len, loff_t pos)
{
	struct vif_net *vn = nnfs_net(inode);
	char *text;

	if (pos)
		return ERR_PTR(vif_fail(vn, -EINVAL, "%s: a value is written whole, at offset 0",
					name));
	if (len > most)
		return ERR_PTR(vif_fail(vn, -EINVAL, "%s: a value has up to %zu bytes", name,
					most));
	text = memdup_user_nul(buf, len);
	if (IS_ERR(text) || strlen(text) == len)
		return text;
	kfree(text);
	return ERR_PTR(vif_fail(vn, -EINVAL, "%s: the value has a zero byte in it", name));
}

int nnfs_autoremove_show(struct seq_file *seq, struct vif *vif)
{
	seq_printf(seq, "%d\n", READ_ONCE(vif->autoremove));
	return 0;
}

/*
 * A descriptor by which 1 was written pins the VIF: if a tool creates a VIF and dies before it has
 * attached a process, the VIF is removed. The pin comes first: otherwise a VIF whose last process
 * has just exited would be removed here.
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

/* --- its user-level stack --- */

int nnfs_stack_show(struct seq_file *seq, struct vif *vif)
{
	const struct vif_option *option = vif_option_find(VIF_OPTION_STACK);
	const char *device = NULL;

	mutex_lock(vif_tree_lock(vif));
	if (option)
		device = vif_stack_ops_of(option)->device(vif);
	seq_printf(seq, "%s\n", device ?: "none");
	mutex_unlock(vif_tree_lock(vif));
	vif_option_put(option);
	return 0;
}

/*
 * An existing stack can be used and ended even if the administrator does not allow the option any
 * more.
 */
static const struct vif_option *nnfs_stack_load(struct vif *vif)
{
	const struct vif_option *option = READ_ONCE(vif->stack) ?
					  vif_option_find(VIF_OPTION_STACK) : NULL;

	return option ?: vif_option_load(vif_net_of_vif(vif), VIF_OPTION_STACK);
}

int nnfs_stack_store(struct file *file, struct vif *vif, char *text)
{
	const struct vif_option *option;
	int err;

	if (!strcmp(text, "none") && !READ_ONCE(vif->stack))
		return 0;
	option = nnfs_stack_load(vif);
	if (IS_ERR(option))
		return PTR_ERR(option);
	err = vif_stack_ops_of(option)->set(vif, text);
	vif_option_put(option);
	return err;
}

int nnfs_ports_show(struct seq_file *seq, struct vif *vif)
{
	const struct vif_option *option = vif_option_find(VIF_OPTION_STACK);

	if (option)
		vif_stack_ops_of(option)->show_ports(seq, vif);
	vif_option_put(option);
	return 0;
}

int nnfs_ports_store(struct file *file, struct vif *vif, char *text)
{
	const struct vif_option *option = nnfs_stack_load(vif);
	int err;

	if (IS_ERR(option))
		return PTR_ERR(option);
	err = vif_stack_ops_of(option)->set_port(vif, text, nnfs_open_of(file)->here);
	vif_option_put(option);
	return err;
}

static void nnfs_stack_show_refused(struct seq_file *seq, struct vif *vif)
{
	const struct vif_option *option = vif_option_find(VIF_OPTION_STACK);

	if (option)
		vif_stack_ops_of(option)->show_refused(seq, vif);
	vif_option_put(option);
}

/* --- the counters --- */

static void nnfs_value_show_side(struct seq_file *seq, const char *dir,
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
		{ "ack_drops", stat->ack_drops },
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
	const struct vif_quota *quota = &stat->quota;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(line); i++)
		seq_printf(seq, "%s_%s %llu\n", dir, line[i].name,
			   line[i].value);
	if (quota->then)
		seq_printf(seq, "%s_quota_used %llu\n%s_quota_left %llu\n", dir,
			   quota->bytes - quota->left, dir, quota->left);
}

int nnfs_stat_show(struct seq_file *seq, struct vif *vif)
{
	struct vif_stat stat;
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++) {
		vif_read_stat(vif, dir, &stat);
		nnfs_value_show_side(seq, vif_dir_name[dir], &stat);
	}
	nnfs_stack_show_refused(seq, vif);
	vif_program_show_stat(seq, vif);
	return 0;
}
