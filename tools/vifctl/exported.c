// SPDX-License-Identifier: GPL-2.0
#include "exported.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "path.h"
#include "prometheus.h"
#include "subuid.h"

/* Time for which the place of a missing name is kept. This bounds the new names in an hour. */
#define KEPT_NS	(3600 * SECOND_NS)

#define NAME_OF_USERS	"user-"	/* that the kernel gives, and users make */

/* @path: NULL: the place is free */
struct place {
	char *path;
	uint64_t seen_ns;
};

/* @place: as many as @places */
struct user {
	unsigned long uid;
	size_t places;
	struct place *place;
};

/**
 * struct standing - of a VIF in the list
 * @told: place in the list of what is told of that it, or the nearest one above, has
 * @is_users: a user may make and rename VIFs in it
 * @uid: which; of subordinate users the first of their range, for all of them
 */
struct standing {
	size_t told;
	bool is_users;
	unsigned long uid;
};

static int by_uid(const void *a, const void *b)
{
	const struct user *x = a, *y = b;

	return (x->uid > y->uid) - (x->uid < y->uid);
}

/* Return: the user, or NULL without memory. */
static struct user *user_of(struct exported *exported, unsigned long uid)
{
	struct user *user = calloc(1, sizeof(*user)), **found;

	if (!user)
		return NULL;
	user->uid = uid;
	found = tsearch(user, &exported->user, by_uid);
	if (!found || *found != user) {
		free(user);
		return found ? *found : NULL;
	}
	user->places = exported->of_user;
	user->place = calloc(user->places + 1, sizeof(*user->place));
	if (user->place)
		return user;
	tdelete(user, &exported->user, by_uid);
	free(user);
	return NULL;
}

static bool has_place(struct exported *exported, unsigned long uid, const char *path)
{
	const uint64_t now = clock_ns(CLOCK_BOOTTIME);
	struct user *user = user_of(exported, uid);
	struct place *place, *free_place = NULL;

	for (size_t i = 0; user && i < user->places; i++) {
		place = &user->place[i];
		if (place->path && !strcmp(place->path, path)) {
			place->seen_ns = now;
			return true;
		}
		if (!place->path || now - place->seen_ns >= KEPT_NS)
			free_place = free_place ?: place;
	}
	if (!free_place || prometheus_label_bytes(path) > EXPORTED_LABEL_BYTES)
		return false;
	free(free_place->path);
	free_place->path = strdup(path);
	free_place->seen_ns = now;
	return free_place->path;
}

static bool is_users_directory(const struct vif_info *vif, unsigned long uid)
{
	return uid || (strtoul(vif->param[PARAM_MODE], NULL, 8) & (S_IWGRP | S_IWOTH));
}

/*
 * That a user makes, in one that it cannot write to. One in each device for each account is the
 * administrator's to know; but an account has as many subordinate users as it likes.
 */
static bool is_made_by_users(const struct vif_info *vif, unsigned long owner)
{
	uid_t first;

	return !strncmp(vif->name, NAME_OF_USERS, strlen(NAME_OF_USERS)) &&
	       (strchr(vif->path, '/') + 1 != vif->name || subuid_find(owner, &first));
}

/* @above: NULL: the request begins with this VIF */
static bool is_told(struct exported *exported, const struct vif_info *vif,
		    const struct standing *above, struct standing *standing)
{
	const unsigned long owner = strtoul(vif->param[PARAM_OWNER], NULL, 10);

	standing->is_users = (above && above->is_users) || is_users_directory(vif, owner);
	standing->uid = above && above->is_users && above->uid ? above->uid : subuid_payer(owner);
	if (!above)
		return true;
	if (vif->depth > exported->depth)
		return false;
	return !(above->is_users || is_made_by_users(vif, owner)) || !standing->uid ||
	       has_place(exported, standing->uid, vif->path);
}

static void free_user(void *arg)
{
	struct user *user = arg;

	for (size_t i = 0; i < user->places; i++)
		free(user->place[i].path);
	free(user->place);
	free(user);
}

void exported_free(struct exported *exported)
{
	tdestroy(exported->user, free_user);
	exported->user = NULL;
}

unsigned int *exported_select(struct exported *exported, struct vif_list *list)
{
	struct standing *standing = calloc(list->count + 1, sizeof(*standing)), *above;
	unsigned int *left_out = calloc(list->count + 1, sizeof(*left_out));
	size_t told = 0;

	if (!standing || !left_out) {
		free(standing);
		free(left_out);
		return NULL;
	}
	for (size_t i = 0; i < list->count; i++) {
		struct vif_info *vif = &list->vif[i];

		above = vif->above < 0 ? NULL : &standing[vif->above];
		if (is_told(exported, vif, above, &standing[i])) {
			standing[i].told = told;
			list->vif[told++] = *vif;
		} else {
			standing[i].told = above->told;
			left_out[above->told]++;
			vif_info_free(vif);
		}
	}
	list->count = told;
	free(standing);
	return left_out;
}
