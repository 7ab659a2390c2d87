/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of "vifctl save" and "vifctl restore": what the tree is wanted to be.
 *
 *	tree eth0			all that follows of eth0 is all that there is
 *	vif eth0/web			a VIF
 *		bandwidth egress 1mbit	a setting; what is not named has its initial value
 *		cgroup www.slice	what is attached to it
 *		device tap0
 *
 * Indentation means nothing. The order of VIFs does not matter.
 */
#ifndef VIFCTL_WANTED_H
#define VIFCTL_WANTED_H

#include <sys/types.h>

#include "change.h"
#include "lines.h"
#include "param.h"
#include "target.h"

/**
 * struct wanted_link - what is attached to a VIF
 * @target: a control group or a device
 * @line: where the file names it
 * @presence: of the group or device
 */
struct wanted_link {
	struct target target;
	unsigned int line;
	struct presence *presence;
};

/* @matters: more is wanted of it than any device has. */
struct wanted_tree {
	char *path;
	unsigned int line;
	bool matters;
	struct presence *device;
	struct wanted_part *part;
};

/**
 * struct wanted_part - VIFs of the file that are restored together, all or none
 * @top: they are below this VIF, which belongs to a tenant; NULL: all others of the device
 * @home: the part of the device, which is made before
 * @device: its presence
 * @changes: what is to be done
 * @last: and when all parts of the device are done
 * @is_shared: it is that of a device, and there are tenants' parts
 * @has_news: something of it has come since it was restored
 * @has_failed: in this round
 * @again: it has been restored: nothing of it is removed or detached any more
 * @attempts: that failed one after the other
 * @done: number of the device's directory for which it was restored; 0: none
 *
 * A tenant may have changed what it owns since the file was written, or at this moment. Its
 * part fails alone then.
 */
struct wanted_part {
	const struct wanted_vif *top;
	struct wanted_part *home;
	const struct presence *device;
	struct changes changes;
	struct changes last;
	bool is_shared;
	bool has_news;
	bool has_failed;
	bool again;
	unsigned int attempts;
	ino_t done;
};

/**
 * struct wanted_vif - a VIF of the file
 * @path: where it is
 * @line: where the file names it; 0: a device's root VIF that it does not
 * @param: its settings, normal; none is NULL
 * @link: what is attached to it
 * @tree: that it is in
 * @above: the VIF above, unless it is the tree's first
 * @has_below: it is that of others
 * @part: that it is in
 * @below: that VIFs below it are in
 * @now: what there is, or NULL
 * @is_there: by what is there now, it can be
 * @has_there: so can one below
 * @has_new: something is attached to it, or below, that has just come
 * @is_due: it is to be made or set
 *
 * The last five are those of who restores it.
 */
struct wanted_vif {
	char *path;
	unsigned int line;
	char *param[PARAM_COUNT];
	struct wanted_link *link;
	size_t n_links;
	struct wanted_tree *tree;
	struct wanted_vif *above;
	bool has_below;
	struct wanted_part *part;
	struct wanted_part *below;
	const struct vif_info *now;
	bool is_there, has_there;
	bool has_new;
	bool is_due;
};

/**
 * struct presence - what a file names, and may be there or not (present.h)
 * @tree: a device, for this tree; or else
 * @vif: to which VIF
 * @link: what is attached
 * @now: number of its directory (inode), which no later one of the same name has; 0: none
 * @done: the same of the one that has been restored; 0: none, or a device (struct wanted_part)
 * @has_other_name: a device has come that is called so by an alternative name, which was said
 */
struct presence {
	const struct wanted_tree *tree;
	const struct wanted_vif *vif;
	const struct wanted_link *link;
	ino_t now;
	ino_t done;
	bool has_other_name;
};

/*
 * @vif: by path, so that parents come before their children; @presence: trees', then VIFs';
 * @part: that of a device before those of its tenants
 */
struct wanted {
	struct wanted_tree *tree;
	size_t n_trees;
	struct wanted_vif *vif;
	size_t n_vifs;
	struct presence *presence;
	size_t n_presences;
	struct wanted_part *part;
	size_t n_parts;
};

/**
 * wanted_read - read a file, and whether it makes sense
 * @wanted: to be filled; to be freed in any case
 * @lines: the file
 *
 * Return: an exit status, after a message.
 */
int wanted_read(struct wanted *wanted, struct lines *lines);
void wanted_free(struct wanted *wanted);

/* Whether a VIF with these settings, or what is below it, can be changed by another user. */
bool wanted_is_tenants(char *const param[PARAM_COUNT]);

struct wanted_vif *wanted_find(const struct wanted *wanted, const char *path);

/* The tree that @path is in, or NULL. */
struct wanted_tree *wanted_tree_of(const struct wanted *wanted, const char *path);

/* The value of a setting that the file does not name; to be freed. */
char *wanted_initial(const char *path, const struct param *param);

/* Whether a file can keep targets of this kind: those that have no number. */
bool wanted_keeps(const struct target_kind *kind);

#endif
