// SPDX-License-Identifier: GPL-2.0
#include "cache.h"

#include "subject.h"

struct vif_cache __percpu *vif_cache;

/* All threads of a process have the same VIF, unless there are threads with own attachments. */
static void vif_cache_note_sender(struct vif_cache_entry *entry)
{
	if (vif_subject_any(VIF_THREAD)) {
		entry->sender = (unsigned long)current | VIF_CACHE_THREAD;
		entry->since = current->start_boottime;
	} else {
		entry->sender = (unsigned long)current->group_leader;
		entry->since = current->group_leader->start_boottime;
	}
}

void vif_cache_add(u64 cookie, const struct vif_genid *genid, struct vif *vif,
		   struct vif_sock_trail *trail, bool sent)
{
	struct vif_cache_entry *entry;

	/* on a real-time kernel another packet may be classified while this entry is written */
	if (!cookie || IS_ENABLED(CONFIG_PREEMPT_RT))
		return;
	entry = this_cpu_ptr(&vif_cache->entry[cookie % VIF_CACHE_ENTRIES]);
	*entry = (struct vif_cache_entry) {
		.cookie = cookie,
		.genid = *genid,
		.vdev = vif->dev,
		.vif = vif,
		.trail = trail,
	};
	if (sent)
		vif_cache_note_sender(entry);
}

int vif_cache_init(void)
{
	vif_cache = alloc_percpu(struct vif_cache);
	return vif_cache ? 0 : -ENOMEM;
}

void vif_cache_exit(void)
{
	free_percpu(vif_cache);
}
