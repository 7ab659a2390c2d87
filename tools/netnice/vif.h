/* SPDX-License-Identifier: GPL-2.0 */
/* The VIFs that netnice creates: one on each device, all or none. */
#ifndef NETNICE_TOOL_VIF_H
#define NETNICE_TOOL_VIF_H

#include <stdbool.h>

#include "handle.h"
#include "netdev.h"
#include "param.h"
#include "subject.h"

struct vif {
	const char *dev;
	char *parent;		/* path of the VIF below which it is created */
	char *before;		/* the VIF to which the caller may restore the subject, or NULL */
	char *path;		/* its own path, after it was created */
	bool made;
	bool is_again;		/* it existed: an earlier netnice created it for the subject */
	int guard;		/* descriptor of its file autoremove, or -1: closing removes the VIF */
};

struct vif_set {
	struct netnice *nn;
	struct nnfs *fs;	/* the file system of @nn */
	struct vif *vif;
	size_t count;
};

/**
 * struct vif_settings - the settings of the VIFs
 * @name: their name; NULL: the default name of the subject, with a number if it is in use
 * @again: if the subject is in a VIF with this name already, set this VIF, and create none below it
 * @value: by enum param_id, in the syntax of the files, but rates may be percentages; NULL: keep the
 *	value of the new or existing VIF
 */
struct vif_settings {
	const char *name;
	bool again;
	char *value[PARAM_DIRECTED];
};

/* Did netnice name a VIF for the subject: @name or, if that is NULL, "netnice.PID" with any number? */
bool vif_is_named_for(const char *path, const struct subject *subject, const char *name);

/**
 * vif_set_init - find where the VIFs belong
 * @set: initialized here
 * @nn: the handle, without a transaction
 * @devs: the devices; they must stay valid as long as @set
 * @subject: the subject
 * @settings: the VIFs' name
 *
 * Return: 0, or -1 after a message. The caller calls vif_set_free() even after an error.
 */
int vif_set_init(struct vif_set *set, struct netnice *nn,
		 const struct netdev_list *devs, const struct subject *subject,
		 const struct vif_settings *settings);
void vif_set_free(struct vif_set *set);

/**
 * vif_set_create - create the VIFs, with autoremove, or set existing ones
 * @set: the VIFs
 * @subject: the subject, for their default names
 * @settings: their settings
 *
 * The caller has blocked signals that would terminate it. Return: 0, or -1 after a message; then the
 * caller calls vif_set_undo().
 */
int vif_set_create(struct vif_set *set, const struct subject *subject,
		   const struct vif_settings *settings);

/**
 * vif_set_attach - attach a subject to each VIF
 * @set: the VIFs
 * @subject: the process, group or socket
 *
 * Return: 0, or -1 and errno, after a message except for ESRCH and EAGAIN. EAGAIN: since vif_set_init(),
 * the subject has been attached to a VIF that is not above these.
 */
int vif_set_attach(const struct vif_set *set, const struct subject *subject);

/* Attach @subject again as it was before vif_set_attach(). */
void vif_set_detach(const struct vif_set *set, const struct subject *subject);

/*
 * Roll back the transaction of vif_set_create(): remove the created VIFs, to which nothing may be
 * attached, and restore the settings of the others.
 */
void vif_set_undo(struct vif_set *set);

#endif
