/* SPDX-License-Identifier: GPL-2.0 */
/* The VIFs that netnice makes: one on each device, all or none. */
#ifndef NETNICE_TOOL_VIF_H
#define NETNICE_TOOL_VIF_H

#include <stdbool.h>

#include "netdev.h"
#include "nnfs.h"
#include "param.h"
#include "subject.h"

struct vif {
	const char *dev;
	char *parent;		/* path of the VIF below which it is made */
	char *before;		/* the VIF that the caller may restore it to, or NULL */
	char *path;		/* its own, once it is made */
	bool made;
	bool is_again;		/* it was there: netnice made it for the subject before */
	char *was[PARAM_DIRECTED];	/* of one that was there: what it had */
	bool made_users;	/* so is the user's own, which @path leads through */
	int guard;		/* autoremove, open: the VIF goes when we do; or -1 */
};

struct vif_set {
	struct nnfs *fs;
	struct vif *vif;
	size_t count;
};

/**
 * struct vif_settings - the settings of the VIFs
 * @name: their name; NULL: one after the subject, or that with a number
 * @again: if the subject is in a VIF of that name already, that VIF is set, and none is made below it
 * @value: as files take it, but rates may be percentages; by enum param_id; NULL: as it is
 *	in a new VIF, or in the VIF that is set again
 */
struct vif_settings {
	const char *name;
	bool again;
	char *value[PARAM_DIRECTED];
};

/* Whether netnice gave a VIF its name for the subject: @name, or without it "netnice.PID" and a number. */
bool vif_is_named_for(const char *path, const struct subject *subject, const char *name);

/**
 * vif_set_init - find where the VIFs belong
 * @set: to be set up
 * @fs: the file system
 * @devs: the devices; to be kept as long as @set
 * @subject: who is to be attached
 * @settings: the VIFs' name
 *
 * Return: 0, or -1 after a message; vif_set_free() is due in any case.
 */
int vif_set_init(struct vif_set *set, struct nnfs *fs,
		 const struct netdev_list *devs, const struct subject *subject,
		 const struct vif_settings *settings);
void vif_set_free(struct vif_set *set);

/**
 * vif_set_create - make the VIFs, autoremoved, or set those that are there
 * @set: the VIFs
 * @subject: who gives them their names
 * @settings: what they have
 *
 * Signals that would end us have to be blocked. Return: 0, or -1 after a
 * message; vif_set_undo() is then still due.
 */
int vif_set_create(struct vif_set *set, const struct subject *subject,
		   const struct vif_settings *settings);

/**
 * vif_set_attach - attach a subject to each VIF
 * @set: the VIFs
 * @subject: the process, group or socket
 *
 * Return: 0, or -1 and errno after a message; for ESRCH there is none, nor for EAGAIN: it
 * has been attached elsewhere, where these VIFs are not, since vif_set_init().
 */
int vif_set_attach(const struct vif_set *set, const struct subject *subject);

/* Puts @subject back to where it was before vif_set_attach(). */
void vif_set_detach(const struct vif_set *set, const struct subject *subject);

/* Removes the VIFs that were made, all have to be detached before; the others get back what they had. */
void vif_set_undo(struct vif_set *set);

#endif
