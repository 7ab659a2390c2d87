/* SPDX-License-Identifier: GPL-2.0 */
/* The VIFs that netnice makes: one on each device, all or none. */
#ifndef NETNICE_TOOL_VIF_H
#define NETNICE_TOOL_VIF_H

#include <stdbool.h>
#include <sys/types.h>

#include "netdev.h"
#include "nnfs.h"

struct vif {
	const char *dev;
	char *parent;		/* path of the VIF below which it is made */
	char *path;		/* its own, once it is made */
	bool made;
	bool made_users;	/* so is the user's own, which @path leads through */
	bool had_link;		/* the process was attached to @parent itself */
	int guard;		/* autoremove, open: the VIF goes when we do; or -1 */
};

struct vif_set {
	const struct nnfs *fs;
	struct vif *vif;
	size_t count;
};

/**
 * vif_set_init - find where the VIFs belong
 * @set: to be set up
 * @fs: the file system
 * @devs: the devices; to be kept as long as @set
 * @pid: the process to be attached
 *
 * Return: 0, or -1 after a message.
 */
int vif_set_init(struct vif_set *set, const struct nnfs *fs,
		 const struct netdev_list *devs, pid_t pid);

/**
 * vif_set_create - make the VIFs, named netnice.PID, autoremoved
 * @set: the VIFs
 * @pid: the process that gives them their names
 * @bandwidth: what is written to their bandwidth files
 * @rate: how messages call that
 *
 * Signals that would end us have to be blocked. Return: 0, or -1 after a
 * message; vif_set_undo() is then still due.
 */
int vif_set_create(struct vif_set *set, pid_t pid, const char *bandwidth,
		   const char *rate);

/**
 * vif_set_attach - attach a process to each VIF
 * @set: the VIFs
 * @pid: the process
 *
 * Return: 0, or -1 and errno after a message; for ESRCH there is none.
 */
int vif_set_attach(const struct vif_set *set, pid_t pid);

/* Whether @pid is attached to all VIFs. */
bool vif_set_has(const struct vif_set *set, pid_t pid);

/* Puts @pid back to where it was before vif_set_attach(). */
void vif_set_detach(const struct vif_set *set, pid_t pid);

/* Removes the VIFs; processes have to be detached before. */
void vif_set_undo(struct vif_set *set);

#endif
