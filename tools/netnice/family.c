// SPDX-License-Identifier: GPL-2.0
/*
 * The race of attaching against fork: a child that is copied just before its
 * parent is attached has the old attachment. Such children are found by
 * their parent and by not having existed before. What cannot be found is the
 * child of such a child whose parent is gone already: it is init's by then.
 */
#include "family.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "complain.h"

static int add(struct family *family, pid_t pid)
{
	pid_t *added = array_add(&family->pid, &family->count, sizeof(*added));

	if (!added)
		return -1;
	*added = pid;
	return 0;
}

static bool has(const struct family *family, pid_t pid)
{
	for (size_t i = 0; i < family->count; i++)
		if (family->pid[i] == pid)
			return true;
	return false;
}

int family_init(struct family *family, pid_t pid)
{
	*family = (struct family) { 0 };
	if (process_list_read(&family->before) || add(family, pid)) {
		complain_errno("cannot list the processes");
		return -1;
	}
	return 0;
}

void family_free(struct family *family)
{
	process_list_free(&family->before);
	free(family->pid);
}

static bool slipped_by(const struct family *family, const struct vif_set *set,
		       const struct process *process)
{
	struct subject subject;

	subject_init_process(&subject, process->pid);
	return has(family, process->ppid) && !has(family, process->pid) &&
	       !process_list_has(&family->before, process) &&
	       !vif_set_has(set, &subject);
}

/* Return: how many were found, or -1 after a message. */
static int follow_once(struct family *family, const struct vif_set *set,
		       const struct process_list *now)
{
	struct subject subject;
	int found = 0;

	for (size_t i = 0; i < now->count; i++) {
		const struct process *process = &now->process[i];

		if (!slipped_by(family, set, process))
			continue;
		if (add(family, process->pid)) {
			complain_errno("cannot list the processes");
			return -1;
		}
		found++;
		/* One that has ended meanwhile may still have left children. */
		subject_init_process(&subject, process->pid);
		if (vif_set_attach(set, &subject) && errno != ESRCH)
			return -1;
	}
	return found;
}

int family_follow(struct family *family, const struct vif_set *set)
{
	struct process_list now;
	int found;

	if (!family->count)
		return 0;
	do {
		if (process_list_read(&now)) {
			complain_errno("cannot list the processes");
			return -1;
		}
		found = follow_once(family, set, &now);
		process_list_free(&now);
	} while (found > 0);
	return found;
}

void family_detach(const struct family *family, const struct vif_set *set)
{
	struct subject subject;

	for (size_t i = 0; i < family->count; i++) {
		subject_init_process(&subject, family->pid[i]);
		vif_set_detach(set, &subject);
	}
}
