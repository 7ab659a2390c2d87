// SPDX-License-Identifier: GPL-2.0
/* Create VIFs and set their parameters, parents first. */
#include "tree.h"

#include <string.h>

#include "act.h"
#include "log.h"
#include "program.h"
#include "quotas.h"

static void update_vif(struct vif_section *vif,
		       const struct vif_section *previous)
{
	struct settings now, before;
	bool made = false;

	if (strchr(vif->path, '/') && act_mkdir(vif->path, &made))
		return;
	if (previous && !memcmp(&vif->period, &previous->period, sizeof(vif->period))) {
		vif->began = previous->began;
		memcpy(vif->used, previous->used, sizeof(vif->used));
	}
	vif->made = made || vif->made || (previous && previous->made);
	now = vif->settings;
	before = previous && !made ? previous->settings : settings_none;
	if (period_is_set(&vif->period))
		now.value[PARAM_QUOTA] = before.value[PARAM_QUOTA] = NULL;
	act_apply(vif->path, &now, &before);
	if (period_is_set(&vif->period))
		quotas_apply(vif);
}

/*
 * Say which settings have no effect, on one device or, if @only is NULL, on all. Shares once for a
 * device: the reason is the same for all its VIFs, which follow each other.
 */
static void say_effect(const struct rules *rules, const char *only)
{
	char device[IF_NAMESIZE], said[IF_NAMESIZE] = "";

	for (size_t i = 0; i < rules->vifs; i++) {
		const struct vif_section *vif = &rules->vif[i];

		path_device(vif->path, device);
		if ((only && strcmp(device, only)) || !act_is_vif(vif->path))
			continue;
		act_say_effect(vif->path, &vif->clauses);
		if (strcmp(device, said) && !act_has_effect(vif->path, &vif->settings))
			strcpy(said, device);
	}
}

/* What is dropped, and not ours to remove, keeps what it has. */
void tree_lower(const struct rules *rules, const struct rules *previous)
{
	for (size_t i = previous->vifs; i-- > 0;) {
		const struct vif_section *was = &previous->vif[i];
		const struct vif_section *vif = rules_find_vif(rules, was->path);

		if (vif || was->made)
			act_lower(was->path, vif ? &vif->settings : &settings_none,
				  &was->settings);
	}
}

/* VIFs are sorted by path, so VIFs of a device follow each other. */
void tree_update(struct rules *rules, const struct rules *previous)
{
	char device[IF_NAMESIZE], said[IF_NAMESIZE] = "";

	for (size_t i = 0; i < rules->vifs; i++) {
		struct vif_section *vif = &rules->vif[i];

		path_device(vif->path, device);
		if (act_is_vif(device)) {
			update_vif(vif, previous ? rules_find_vif(previous,
								  vif->path) :
						   NULL);
		} else if (strcmp(device, said)) {
			strcpy(said, device);
			log_say(LOG_WARN, "%s:%u: there is no device %s: its VIFs are created when it appears",
				vif->place.file, vif->place.line, device);
		}
	}
	programs_update(rules);
	say_effect(rules, NULL);
}

void tree_update_device(struct rules *rules, const char *device)
{
	for (size_t i = 0; i < rules->vifs; i++)
		if (path_is_below(rules->vif[i].path, device))
			update_vif(&rules->vif[i], NULL);
	programs_update_device(rules, device);
	say_effect(rules, device);
}

void tree_remove_dropped(const struct rules *rules,
			 const struct rules *previous)
{
	for (size_t i = previous->vifs; i-- > 0;) {
		const struct vif_section *vif = &previous->vif[i];
	
		if (rules_find_vif(rules, vif->path))
			continue;
		if (!strchr(vif->path, '/'))
			act_apply(vif->path, &settings_none, &vif->settings);
		else if (vif->made && act_is_vif(vif->path))
			act_rmdir(vif->path);
	}
}

bool tree_has_device(const struct rules *rules, const char *device)
{
	for (size_t i = 0; i < rules->vifs; i++)
		if (path_is_below(rules->vif[i].path, device))
			return true;
	return false;
}
