// SPDX-License-Identifier: GPL-2.0
/*
 * A program, with its table of verdicts on fragments, exists before a packet can find it, and is
 * freed a grace period after no packet can. No lock of netnice is held while a path is looked up,
 * while BPF creates a program, or while a program is freed.
 */
#include "program.h"

#include <linux/bpf.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../queue/account.h"
#include "../tree/class.h"
#include "../tree/error.h"
#include "../tree/net.h"
#include "../tree/program.h"
#include "owner.h"
#include "verdict.h"

/* A verdict in the table of fragments: a class, or this. */
#define NOTED_DROP	(VIF_CLASS_MAX + 1)

/**
 * struct vif_bpf - a program
 * @program: what its holders know of it
 * @bpf: the program of the kernel's BPF; NULL until there is one
 * @classic: @bpf is classic BPF, and is destroyed at the end; otherwise its reference is dropped
 * @account: the account that is charged for it, or NULL
 * @end: frees it
 * @verdicts: its verdicts for first fragments of datagrams
 *
 * It holds this module.
 */
struct vif_bpf {
	struct vif_program program;
	struct bpf_prog *bpf;
	bool classic;
	struct vif_account *account;
	struct rcu_work end;
	struct vif_verdicts verdicts;
};

static struct vif_bpf *vif_bpf_of(struct vif_program *program)
{
	return container_of(program, struct vif_bpf, program);
}

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
static __always_inline u32 vif_program_run_at(const struct bpf_prog *bpf, struct sk_buff *skb,
					      int offset)
{
	const typeof(skb->mac_header) mac_header = skb->mac_header;
	u32 verdict;

	__skb_pull(skb, offset);
	skb_reset_mac_header(skb);
	verdict = unlikely(bpf->cb_access) ? vif_program_run_save_cb(bpf, skb) :
					     bpf_prog_run(bpf, skb);
	skb->mac_header = mac_header;
	__skb_push(skb, offset);
	return verdict;
}

static u32 vif_program_run(struct vif_program *program, struct sk_buff *skb)
{
	return vif_program_run_at(vif_bpf_of(program)->bpf, skb, 0);
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
	return dir == VIF_EGRESS ? vif_owner_sent(skb) : user;
}

static bool vif_program_may_see(const struct vif_program *program, enum vif_dir dir,
				const struct sk_buff *skb, u32 user)
{
	return user == program->user &&
	       (!user || dir == VIF_INGRESS || vif_owner_is_plain(skb));
}

/*
 * The result for a datagram's first fragment applies to the others, whose owner is not known when
 * they arrive.
 */
static u32 vif_program_ask(struct vif_program *program, const struct vif *vif, enum vif_dir dir,
			   struct sk_buff *skb, struct vif_fragment fragment, u32 user)
{
	struct vif_bpf *bpf = vif_bpf_of(program);
	u32 verdict;
	int known;

	user = vif_program_user_of(program, dir, skb, user);
	if (user && user != program->user)
		return 0;
	if (unlikely(fragment.hash && !fragment.first)) {
		known = vif_verdict_find(&bpf->verdicts, fragment);
		if (known >= 0)
			return known == NOTED_DROP ? VIF_PROGRAM_DROP : known;
	}
	if (!vif_program_may_see(program, dir, skb, user))
		return 0;
	this_cpu_inc(vif->programs->stat->runs);
	verdict = vif_program_run_at(bpf->bpf, skb, skb_network_offset(skb));
	if (unlikely(fragment.hash && fragment.first &&
		     vif_fragment_is_kept(skb, skb_network_offset(skb))))
		vif_verdict_note(&bpf->verdicts, fragment, vif_program_noted(verdict));
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

static bool vif_program_choose(struct vif **vif, enum vif_dir dir, struct sk_buff *skb,
			       struct vif_fragment fragment, u32 user)
{
	struct vif *at, *below = vif_program_is_for_programs(skb) ? *vif : NULL;
	unsigned int level, left = VIF_PROGRAM_MOST;
	struct vif_program *program;
	u32 verdict;

	for (level = 0; below; level++) {
		*vif = at = below;
		program = level < VIF_PROGRAM_LEVELS ? vif_program_of(at, dir) : NULL;
		if (!program)
			break;
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

/* Everything that it has, but its text. */
static void vif_program_free_bare(struct vif_bpf *bpf)
{
	if (bpf->bpf && bpf->classic)
		bpf_prog_destroy(bpf->bpf);
	else if (bpf->bpf)
		bpf_prog_put(bpf->bpf);
	vif_account_uncharge(bpf->account, VIF_CHARGE_ATTACHMENT);
	kfree(bpf);
	module_put(THIS_MODULE);
}

static void vif_program_free_later(struct work_struct *work)
{
	struct vif_bpf *bpf = container_of(to_rcu_work(work), struct vif_bpf, end);

	kfree(bpf->program.text);
	vif_program_free_bare(bpf);
}

static void vif_program_free(struct vif_program *program)
{
	queue_rcu_work(vif_wq, &vif_bpf_of(program)->end);
}

static const struct vif_program_ops vif_program_option_ops = {
	.choose = vif_program_choose,
	.run = vif_program_run,
	.owner = vif_owner_received,
	.free = vif_program_free,
};

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

/* Without @bpf and text. The caller holds the module. */
static struct vif_bpf *vif_program_alloc(struct vif_net *vn, u32 user, unsigned int length)
{
	struct vif_account *account;
	struct vif_bpf *bpf;

	account = vif_program_charge(vn);
	if (IS_ERR(account))
		return ERR_CAST(account);
	bpf = kzalloc(sizeof(*bpf), GFP_KERNEL_ACCOUNT);
	if (!bpf) {
		vif_account_uncharge(account, VIF_CHARGE_ATTACHMENT);
		return ERR_PTR(-ENOMEM);
	}
	__module_get(THIS_MODULE);
	bpf->program.ops = &vif_program_option_ops;
	bpf->program.length = length;
	bpf->program.user = user;
	bpf->account = account;
	INIT_RCU_WORK(&bpf->end, vif_program_free_later);
	return bpf;
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
	struct vif_bpf *bpf;

	if (err)
		return ERR_PTR(err);
	bpf = vif_program_alloc(vn, user, length);
	if (IS_ERR(bpf))
		return ERR_CAST(bpf);
	err = bpf_prog_create(&bpf->bpf, &fprog);
	if (err) {
		bpf->bpf = NULL;
		vif_program_free_bare(bpf);
		return ERR_PTR(vif_program_refuse_insns(vn, err));
	}
	bpf->classic = true;
	bpf->program.text = text;
	return &bpf->program;
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
	struct bpf_prog *prog;
	struct vif_bpf *bpf;
	int err;

	prog = bpf_prog_get_type_path(text, BPF_PROG_TYPE_SOCKET_FILTER);
	if (IS_ERR(prog))
		return ERR_PTR(vif_program_refuse_path(vn, text, PTR_ERR(prog)));
	err = vif_program_check_length(vn, 0, prog->len);
	bpf = err ? ERR_PTR(err) : vif_program_alloc(vn, 0, prog->len);
	if (IS_ERR(bpf)) {
		bpf_prog_put(prog);
		return ERR_CAST(bpf);
	}
	bpf->bpf = prog;
	bpf->program.text = text;
	return &bpf->program;
}

/* Each program holds the module, until vif_program_free_later(), which may not have returned yet. */
void vif_program_exit(void)
{
	static_branch_disable(&vif_program_users);
	flush_workqueue(vif_wq);
}
