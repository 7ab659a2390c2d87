// SPDX-License-Identifier: GPL-2.0
/*
 * Which VIF has a program. The VIF's counters exist before a packet can find the program, and are
 * freed with the VIF, so they outlive the option.
 */
#include "program.h"

#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../queue/account.h"
#include "dev.h"
#include "event.h"
#include "param.h"

DEFINE_STATIC_KEY_FALSE(vif_program_users);

static struct vif_program *__vif_program_of(const struct vif *vif, enum vif_dir dir)
{
	return vif->programs ?
	       rcu_dereference_protected(vif->programs->now[dir],
					 lockdep_is_held(vif_tree_lock(vif))) : NULL;
}

static bool __vif_program_has_any(const struct vif *vif)
{
	return __vif_program_of(vif, VIF_EGRESS) || __vif_program_of(vif, VIF_INGRESS);
}

/* Return a number for the next grace period that is not 0; 1 is one that has ended. */
static unsigned long __vif_program_trail(void)
{
	return start_poll_synchronize_rcu() ?: 1;
}

/*
 * A VIF's program has been removed. End its trail if the VIF and those below have nothing queued, and
 * no packet is left on its way there, or to the device.
 */
void vif_program_end_trail(struct vif *vif, enum vif_dir dir)
{
	const struct vif_shaper *shaper = &vif->dev->shaper[dir];
	unsigned long *trail = &vif->programs->trail[dir];
	unsigned long left = READ_ONCE(*trail);

	if (left && poll_state_synchronize_rcu(left) &&
	    !vif_shaper_may_wait(shaper, &vif->side[dir]) && !READ_ONCE(shaper->draining))
		cmpxchg(trail, left, 0);
}

static void __vif_program_put(struct vif *vif, enum vif_dir dir, struct vif_program *program)
{
	struct vif_program *old = __vif_program_of(vif, dir);

	vif_assert_tree_lock(vif);
	if (!old && !program)
		return;
	if (program)
		program->uses++;
	else
		WRITE_ONCE(vif->programs->trail[dir], __vif_program_trail());
	/* pairs with vif_program_has() */
	rcu_assign_pointer(vif->programs->now[dir], program);
	/* again: packets that have found the program until now may still choose by it */
	if (!program)
		WRITE_ONCE(vif->programs->trail[dir], __vif_program_trail());
	if (old && !--old->uses)
		vif_program_drop(old);
}

static int __vif_program_prepare(struct vif *vif, const struct vif_program *program)
{
	struct vif_programs *programs;
	int err = __vif_check_alive(vif);

	if (err || !program)
		return err;
	/* freed with the VIF */
	if (vif->programs)
		return 0;
	programs = kzalloc(sizeof(*programs), VIF_GFP);
	if (!programs)
		return -ENOMEM;
	programs->stat = alloc_percpu_gfp(struct vif_program_stat, VIF_GFP);
	if (!programs->stat) {
		kfree(programs);
		return -ENOMEM;
	}
	/* pairs with vif_program_show_stat(); packets find a program first */
	smp_store_release(&vif->programs, programs);
	return 0;
}

/* A root VIF has its hooks by a use for all its programs together. */
static int __vif_program_set(struct vif *vif, unsigned int dirs, struct vif_program *program)
{
	bool had = __vif_program_has_any(vif);
	enum vif_dir dir;
	int err = __vif_program_prepare(vif, program);

	if (!err && !vif->parent && program && !had)
		err = vif_dev_use(vif->dev);
	if (err)
		return err;
	for (dir = 0; dir < VIF_DIRS; dir++) {
		if (!(dirs & BIT(dir)))
			continue;
		if (program)
			WRITE_ONCE(vif->dev->shaper[dir].pool.strict, true);
		__vif_program_put(vif, dir, program);
	}
	if (!vif->parent && had && !__vif_program_has_any(vif))
		vif_dev_unuse(vif->dev);
	vif_event(vif, VIF_EVENT_SET);
	return 0;
}

int vif_program_set(struct vif *vif, unsigned int dirs, struct vif_program *program)
{
	int err;

	/*
	 * The option disables this key when it is unloaded, not before: a change of code stops all
	 * CPUs, and any user may write programs again and again.
	 */
	if (program && program->user)
		static_branch_enable(&vif_program_users);
	mutex_lock(vif_tree_lock(vif));
	err = __vif_program_set(vif, dirs, program);
	mutex_unlock(vif_tree_lock(vif));
	if (err)
		vif_program_drop(program);
	return err;
}

void __vif_program_leave(struct vif *vif)
{
	enum vif_dir dir;

	if (!__vif_program_has_any(vif))
		return;
	for (dir = 0; dir < VIF_DIRS; dir++)
		__vif_program_put(vif, dir, NULL);
	if (!vif->parent)
		vif_dev_unuse(vif->dev);
}

unsigned int __vif_program_length(const struct vif *vif, enum vif_dir dir, u32 *user)
{
	const struct vif_program *program = __vif_program_of(vif, dir);

	*user = program ? program->user : 0;
	return program ? program->length : 0;
}

static void vif_program_set_shown(struct seq_file *seq, const struct vif_program *program)
{
	if (!program)
		seq_puts(seq, "none");
	else if (program->user)
		seq_printf(seq, "uid %u %s",
			   from_kuid_munged(seq_user_ns(seq), vif_program_uid(program->user)),
			   program->text);
	else
		seq_printf(seq, "admin %s", program->text);
}

int vif_program_show(struct seq_file *seq, struct vif *vif)
{
	enum vif_dir dir;

	mutex_lock(vif_tree_lock(vif));
	for (dir = 0; dir < VIF_DIRS; dir++) {
		seq_printf(seq, "%s ", vif_dir_name[dir]);
		vif_program_set_shown(seq, __vif_program_of(vif, dir));
		seq_putc(seq, '\n');
	}
	mutex_unlock(vif_tree_lock(vif));
	return 0;
}

void vif_program_show_stat(struct seq_file *seq, const struct vif *vif)
{
	const struct vif_programs *programs = smp_load_acquire(&vif->programs);
	struct vif_program_stat sum = { };
	int cpu;

	if (!programs)
		return;
	for_each_possible_cpu(cpu) {
		sum.runs += READ_ONCE(per_cpu_ptr(programs->stat, cpu)->runs);
		sum.misses += READ_ONCE(per_cpu_ptr(programs->stat, cpu)->misses);
		sum.drops += READ_ONCE(per_cpu_ptr(programs->stat, cpu)->drops);
	}
	seq_printf(seq, "program_runs %llu\nprogram_misses %llu\nprogram_drops %llu\n",
		   sum.runs, sum.misses, sum.drops);
}
