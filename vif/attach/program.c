// SPDX-License-Identifier: GPL-2.0
/*
 * A program, and the data that it needs (its table of fragments, the VIF's counters), exists before
 * a packet can find it, and is freed a grace period after no packet can. The tree mutex guards
 * which VIF has it. No lock of netnice is held while a path is looked up, while BPF creates a
 * program, or while a program is freed.
 */
#include "program.h"

#include <linux/bpf.h>
#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../queue/account.h"
#include "../tree/access.h"
#include "../tree/class.h"
#include "../tree/dev.h"
#include "../tree/error.h"
#include "../tree/event.h"
#include "../tree/net.h"
#include "../tree/param.h"
#include "fragment.h"
#include "sk_own.h"

DEFINE_STATIC_KEY_FALSE(vif_program_some);
DEFINE_STATIC_KEY_FALSE(vif_program_users);

/* A verdict in the table of fragments: a class, or this. */
#define NOTED_DROP	(VIF_CLASS_MAX + 1)

/**
 * struct vif_program - a program
 * @bpf: the program of the kernel's BPF
 * @classic: @bpf is classic BPF, and is destroyed at the end; otherwise its reference is dropped
 * @length: number of instructions, as they were written
 * @user: vif_sk_own_number() of the user whose packets it may see; 0: an administrator's, which
 *	sees all packets
 * @uses: number of directions of the VIF that have it; tree mutex
 * @account: the account that is charged for it, or NULL
 * @text: the text that is shown
 * @end: frees it
 * @fragments: its verdicts for first fragments of datagrams
 */
struct vif_program {
	struct bpf_prog *bpf;
	bool classic;
	unsigned int length;
	u32 user;
	unsigned int uses;
	struct vif_account *account;
	char *text;
	struct rcu_work end;
	struct vif_fragments fragments;
};

/* --- packets --- */

/* Out of line, so that other paths do not pay for its stack. */
static noinline u32 vif_program_run_save_cb(const struct bpf_prog *bpf, struct sk_buff *skb)
{
	return __bpf_prog_run_save_cb(bpf, skb);
}

/*
 * The program sees the packet from its network header on, like programs of control groups. Nothing
 * is before that, because a computed offset could otherwise read the link's header.
 */
static __always_inline u32 vif_program_run_at(const struct vif_program *program,
					      struct sk_buff *skb, int offset)
{
	const typeof(skb->mac_header) mac_header = skb->mac_header;
	const struct bpf_prog *bpf = program->bpf;
	u32 verdict;

	__skb_pull(skb, offset);
	skb_reset_mac_header(skb);
	verdict = unlikely(bpf->cb_access) ? vif_program_run_save_cb(bpf, skb) :
					     bpf_prog_run(bpf, skb);
	skb->mac_header = mac_header;
	__skb_push(skb, offset);
	return verdict;
}

u32 vif_program_run(const struct vif_program *program, struct sk_buff *skb)
{
	return vif_program_run_at(program, skb, 0);
}

/* The stored value is all that a later fragment needs. */
static unsigned int vif_program_noted(u32 verdict)
{
	if (verdict == VIF_PROGRAM_DROP)
		return NOTED_DROP;
	return verdict <= VIF_CLASS_MAX ? verdict : 0;
}

/* Return the owner of a packet, for a user's program. */
static u32 vif_program_user_of(const struct vif_program *program, enum vif_dir dir,
			       const struct sk_buff *skb, u32 user)
{
	if (!program->user)
		return 0;
	return dir == VIF_EGRESS ? vif_sk_own_sent(skb) : user;
}

static bool vif_program_may_see(const struct vif_program *program, enum vif_dir dir,
				const struct sk_buff *skb, u32 user)
{
	return user == program->user &&
	       (!user || dir == VIF_INGRESS || vif_sk_own_is_plain(skb));
}

/*
 * The result for a datagram's first fragment applies to the others, whose owner is not known when
 * they arrive.
 */
static u32 vif_program_ask(struct vif_program *program, const struct vif *vif, enum vif_dir dir,
			   struct sk_buff *skb, struct vif_fragment fragment, u32 user)
{
	u32 verdict;
	int known;

	user = vif_program_user_of(program, dir, skb, user);
	if (user && user != program->user)
		return 0;
	if (unlikely(fragment.hash && !fragment.first)) {
		known = vif_fragment_find(&program->fragments, fragment);
		if (known >= 0)
			return known == NOTED_DROP ? VIF_PROGRAM_DROP : known;
	}
	if (!vif_program_may_see(program, dir, skb, user))
		return 0;
	this_cpu_inc(vif->programs->stat->runs);
	verdict = vif_program_run_at(program, skb, skb_network_offset(skb));
	if (unlikely(fragment.hash && fragment.first &&
		     vif_fragment_is_kept(skb, skb_network_offset(skb))))
		vif_fragment_note(&program->fragments, fragment, vif_program_noted(verdict));
	return verdict;
}

/* Programs know IP headers; while the packet begins there, no other code may read it. */
static bool vif_program_is_for_programs(const struct sk_buff *skb)
{
	int offset = skb_network_offset(skb);

	return (skb->protocol == htons(ETH_P_IP) || skb->protocol == htons(ETH_P_IPV6)) &&
	       !skb_shared(skb) && offset >= 0 && offset <= skb_headlen(skb);
}

/* The one of that class, or NULL: it stays. */
static struct vif *vif_program_find_below(const struct vif *vif, enum vif_dir dir, u32 verdict)
{
	struct vif *below = verdict ? vif_class_find(vif, dir, verdict) : NULL;

	if (verdict && !below)
		this_cpu_inc(vif->programs->stat->misses);
	return below;
}

static struct vif_program *vif_program_of(const struct vif *vif, enum vif_dir dir)
{
	const struct vif_programs *programs = READ_ONCE(vif->programs);

	return programs ? rcu_dereference(programs->now[dir]) : NULL;
}

/*
 * A VIF's program has been removed. End its trail if the VIF and those below have nothing queued, and
 * no packet is left on its way there, or to the device.
 */
static noinline void vif_program_end_trail(struct vif *vif, enum vif_dir dir)
{
	const struct vif_shaper *shaper = &vif->dev->shaper[dir];
	unsigned long *trail = &vif->programs->trail[dir];
	unsigned long left = READ_ONCE(*trail);

	if (left && poll_state_synchronize_rcu(left) &&
	    !vif_shaper_may_wait(shaper, &vif->side[dir]) && !READ_ONCE(shaper->draining))
		cmpxchg(trail, left, 0);
}

bool vif_program_choose(struct vif **vif, enum vif_dir dir, struct sk_buff *skb,
			struct vif_fragment fragment, u32 user)
{
	struct vif *at, *below = vif_program_is_for_programs(skb) ? *vif : NULL;
	unsigned int level, left = VIF_PROGRAM_MOST;
	struct vif_program *program;
	u32 verdict;

	for (level = 0; below; level++) {
		*vif = at = below;
		program = level < VIF_PROGRAM_LEVELS ? vif_program_of(at, dir) : NULL;
		if (!program) {
			if (!level)
				vif_program_end_trail(at, dir);
			break;
		}
		if (program->length > left) {
			this_cpu_inc(at->programs->stat->misses);
			break;
		}
		left -= program->length;
		verdict = vif_program_ask(program, at, dir, skb, fragment, user);
		if (verdict == VIF_PROGRAM_DROP) {
			this_cpu_inc(at->programs->stat->drops);
			return false;
		}
		below = vif_program_find_below(at, dir, verdict);
	}
	return true;
}

/* --- making one --- */

static void vif_free_program(struct vif_program *program)
{
	if (program->classic)
		bpf_prog_destroy(program->bpf);
	else
		bpf_prog_put(program->bpf);
	vif_account_uncharge(program->account, VIF_CHARGE_ATTACHMENT);
	kfree(program->text);
	kfree(program);
}

static void vif_program_free_later(struct work_struct *work)
{
	vif_free_program(container_of(to_rcu_work(work), struct vif_program, end));
}

void vif_program_drop(struct vif_program *program)
{
	if (program)
		queue_rcu_work(vif_wq, &program->end);
}

/* Return the charged account, or an error. */
static struct vif_account *vif_program_charge(struct vif_net *vn)
{
	struct vif_account *account = vif_account_charge(VIF_CHARGE_ATTACHMENT, 1);

	if (account != ERR_PTR(-EDQUOT))
		return account;
	return ERR_PTR(vif_fail(vn, -EDQUOT,
				"program: a user may have %u programs and attachments (module parameter user_attachments)",
				vif_account_most(VIF_CHARGE_ATTACHMENT)));
}

/* Without @bpf and @text. */
static struct vif_program *vif_alloc_program(struct vif_net *vn, u32 user, unsigned int length)
{
	struct vif_program *program;
	struct vif_account *account;

	account = vif_program_charge(vn);
	if (IS_ERR(account))
		return ERR_CAST(account);
	program = kzalloc(sizeof(*program), GFP_KERNEL_ACCOUNT);
	if (!program) {
		vif_account_uncharge(account, VIF_CHARGE_ATTACHMENT);
		return ERR_PTR(-ENOMEM);
	}
	program->account = account;
	program->length = length;
	program->user = user;
	INIT_RCU_WORK(&program->end, vif_program_free_later);
	return program;
}

/*
 * Does an instruction load data from outside the packet, other than its protocol and kind? Some
 * such loads are as slow as a program, some reveal other packets.
 */
static bool vif_program_is_foreign(const struct sock_filter *insn)
{
	bool length = BPF_CLASS(insn->code) == BPF_LDX && BPF_MODE(insn->code) == BPF_MSH;

	if (!length && (BPF_CLASS(insn->code) != BPF_LD || BPF_MODE(insn->code) != BPF_ABS))
		return false;
	/* before the IP header is the link's */
	if ((s32)insn->k >= 0)
		return false;
	return length || (insn->k != (u32)(SKF_AD_OFF + SKF_AD_PROTOCOL) &&
			  insn->k != (u32)(SKF_AD_OFF + SKF_AD_PKTTYPE));
}

static int vif_program_check_length(struct vif_net *vn, u32 user, unsigned int length)
{
	const unsigned int most = user ? VIF_PROGRAM_USERS : VIF_PROGRAM_MOST;

	if (length <= most)
		return 0;
	return vif_fail(vn, -E2BIG, "program: %u instructions are too many: %s may have %u",
			length, user ? "a user's" : "it", most);
}

static int vif_program_check_insns(struct vif_net *vn, const struct sock_filter *insns,
				   unsigned int length)
{
	unsigned int i;

	for (i = 0; i < length; i++)
		if (vif_program_is_foreign(&insns[i]))
			return vif_fail(vn, -EOPNOTSUPP,
					"program: instruction %u loads data outside the packet: only its protocol and kind are available",
					i);
	return 0;
}

/* The kernel's own error number for this is unknown to C libraries. */
static int vif_program_refuse_insns(struct vif_net *vn, int err)
{
	if (err == -EINVAL)
		return vif_fail(vn, err,
				"program: the kernel rejects it: it has no or unknown instructions, a jump beyond the end, or no return at the end");
	if (err == -ENOTSUPP)
		return vif_fail(vn, -EOPNOTSUPP,
				"program: the kernel could not compile it: no memory is left for this (sysctl net.core.bpf_jit_limit)");
	return err;
}

struct vif_program *vif_program_make(struct vif_net *vn, u32 user, struct sock_filter *insns,
				     unsigned int length, char *text)
{
	struct sock_fprog_kern fprog = { .len = length, .filter = insns };
	int err = vif_program_check_length(vn, user, length) ?:
			  vif_program_check_insns(vn, insns, length);
	struct vif_program *program;

	if (err)
		return ERR_PTR(err);
	program = vif_alloc_program(vn, user, length);
	if (IS_ERR(program))
		return program;
	err = bpf_prog_create(&program->bpf, &fprog);
	if (err) {
		vif_account_uncharge(program->account, VIF_CHARGE_ATTACHMENT);
		kfree(program);
		return ERR_PTR(vif_program_refuse_insns(vn, err));
	}
	program->classic = true;
	program->text = text;
	return program;
}

static int vif_program_refuse_path(struct vif_net *vn, const char *text, int err)
{
	if (err == -EINVAL || err == -EACCES || err == -EPERM)
		return vif_fail(vn, err,
				"program: '%s' is not a pinned eBPF program of type socket filter that you may read",
				text);
	if (err == -EOPNOTSUPP)
		return vif_fail(vn, err, "program: this kernel has no eBPF (CONFIG_BPF_SYSCALL)");
	return vif_fail(vn, err, "program: '%s' cannot be looked up", text);
}

struct vif_program *vif_program_load(struct vif_net *vn, char *text)
{
	struct vif_program *program;
	struct bpf_prog *bpf;
	int err;

	bpf = bpf_prog_get_type_path(text, BPF_PROG_TYPE_SOCKET_FILTER);
	if (IS_ERR(bpf))
		return ERR_PTR(vif_program_refuse_path(vn, text, PTR_ERR(bpf)));
	err = vif_program_check_length(vn, 0, bpf->len);
	program = err ? ERR_PTR(err) : vif_alloc_program(vn, 0, bpf->len);
	if (IS_ERR(program)) {
		bpf_prog_put(bpf);
		return program;
	}
	program->bpf = bpf;
	program->text = text;
	return program;
}

/* --- having one --- */

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
	 * These keys are never disabled: a change of code stops all CPUs, and any user may write
	 * programs again and again.
	 */
	if (program)
		static_branch_enable(&vif_program_some);
	if (program && program->user)
		static_branch_enable(&vif_program_users);
	mutex_lock(vif_tree_lock(vif));
	err = __vif_program_set(vif, dirs, program);
	mutex_unlock(vif_tree_lock(vif));
	if (err && program)
		vif_free_program(program);
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

const char *vif_program_text(const struct vif_program *program)
{
	return program->text;
}

static void vif_program_set_shown(struct seq_file *seq, const struct vif_program *program)
{
	if (!program)
		seq_puts(seq, "none");
	else if (program->user)
		seq_printf(seq, "uid %u %s",
			   from_kuid_munged(seq_user_ns(seq), vif_sk_own_uid(program->user)),
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

/* They have ended with the VIFs; their memory is still to be freed. */
void vif_program_exit(void)
{
	rcu_barrier();
	flush_workqueue(vif_wq);
}
