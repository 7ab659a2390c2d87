/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of a VIF that have a value.
 */
#ifndef NETNICE_PROCFS_VALUES_H
#define NETNICE_PROCFS_VALUES_H

struct file;
struct nnfs_param;
struct seq_file;
struct vif;

/* Parameters: a value for each direction. */
extern const struct nnfs_param nnfs_bandwidth;
extern const struct nnfs_param nnfs_minimum;
extern const struct nnfs_param nnfs_burst;
extern const struct nnfs_param nnfs_weight;
extern const struct nnfs_param nnfs_local_weight;
extern const struct nnfs_param nnfs_priority;
extern const struct nnfs_param nnfs_local_priority;
extern const struct nnfs_param nnfs_limit;
extern const struct nnfs_param nnfs_aqm;
extern const struct nnfs_param nnfs_link_layer;

/* For the table of files; see struct nnfs_file. */
int nnfs_param_show(struct seq_file *seq, struct vif *vif);
int nnfs_param_store(struct file *file, struct vif *vif, char *text);

int nnfs_autoremove_show(struct seq_file *seq, struct vif *vif);
int nnfs_autoremove_store(struct file *file, struct vif *vif, char *text);

int nnfs_stat_show(struct seq_file *seq, struct vif *vif);

#endif
