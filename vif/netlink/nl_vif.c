// SPDX-License-Identifier: GPL-2.0
/*
 * VIFs as messages. A dump holds the tree mutex while it fills a message buffer. Its walk skips
 * VIFs that the reader may not list.
 */
#include "netlink.h"

#include <linux/cred.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <linux/netnice.h>
#include <linux/netnice_netlink.h>
#include "../compat/netlink.h"
#include "../tree/access.h"
#include "../tree/dev.h"
#include "../tree/event.h"
#include "../tree/net.h"
#include "../tree/option.h"
#include "../tree/param.h"
#include "../tree/program.h"
#include "../tree/vif.h"
#include "nl_gen.h"

/* Maximum of VIFs to visit under the tree mutex before it is released. */
#define BATCH		256

static const struct nn_nl_names names = {
	.id = NETNICE_A_VIF_ID,
	.ifindex = NETNICE_A_VIF_IFINDEX,
	.device = NETNICE_A_VIF_DEVICE,
	.path = NETNICE_A_VIF_PATH,
};

/* Return the length of the path to a place; a root VIF's path is "". */
static size_t vif_nl_path_len(const struct vif_place *to)
{
	const struct vif *vif = to->parent;
	size_t len = vif ? to->len : 0;

	for (; vif && vif->parent; vif = vif->parent)
		len += strlen(vif->name->text) + 1;
	return len;
}

/*
 * Write a name so that it ends at @end, with a "/" before it unless it is the first. Return its
 * beginning.
 */
static char *vif_nl_prepend(char *begin, char *end, const char *name, size_t len)
{
	end -= len;
	memcpy(end, name, len);
	if (end > begin)
		*--end = '/';
	return end;
}

static int vif_nl_put_path(struct sk_buff *skb, int type, const struct vif_place *to)
{
	size_t len = vif_nl_path_len(to);
	struct nlattr *attr = nla_reserve(skb, type, len + 1);
	const struct vif *vif = to->parent;
	char *begin, *end;

	if (!attr)
		return -EMSGSIZE;
	begin = nla_data(attr);
	end = begin + len;
	*end = '\0';
	if (vif)
		end = vif_nl_prepend(begin, end, to->name, to->len);
	for (; vif && vif->parent; vif = vif->parent)
		end = vif_nl_prepend(begin, end, vif->name->text,
				     strlen(vif->name->text));
	return 0;
}

static struct vif_place vif_nl_place_of(const struct vif *vif)
{
	if (!vif->parent)
		return (struct vif_place) { };
	return (struct vif_place) {
		vif->parent, vif->name->text, strlen(vif->name->text)
	};
}

int __nn_nl_put_path(struct sk_buff *skb, int type, const struct vif *vif)
{
	const struct vif_place place = vif_nl_place_of(vif);

	lockdep_assert_held(vif_tree_lock(vif));
	return vif_nl_put_path(skb, type, &place);
}

int __nn_nl_put_where(struct sk_buff *skb, const struct vif *vif,
		      const struct nn_nl_where *types)
{
	const struct net_device *dev = vif->dev->dev;

	if (dev && (nla_put_u32(skb, types->ifindex, dev->ifindex) ||
		    nla_put_string(skb, types->device, dev->name)))
		return -EMSGSIZE;
	return __nn_nl_put_path(skb, types->path, vif);
}

int __nn_nl_put_vif_place(struct sk_buff *skb, const struct vif *vif,
			  const struct vif_place *to, bool moves)
{
	const struct net_device *dev = vif->dev->dev;
	const struct vif_place now = vif_nl_place_of(vif);

	lockdep_assert_held(vif_tree_lock(vif));
	if (nla_put_u32(skb, NETNICE_A_VIF_IFINDEX, dev->ifindex) ||
	    nla_put_string(skb, NETNICE_A_VIF_DEVICE, dev->name) ||
	    vif_nl_put_path(skb, NETNICE_A_VIF_PATH, to ?: &now) ||
	    (moves && to && vif_nl_put_path(skb, NETNICE_A_VIF_OLD_PATH, &now)) ||
	    nla_put_u64_64bit(skb, NETNICE_A_VIF_ID, vif->ino,
			      NETNICE_A_VIF_PAD))
		return -EMSGSIZE;
	if (!vif->parent)
		return 0;
	return nla_put_u64_64bit(skb, NETNICE_A_VIF_PARENT_ID,
				 (to ? to->parent : vif->parent)->ino,
				 NETNICE_A_VIF_PAD);
}

int __nn_nl_put_vif_owner(struct sk_buff *skb, const struct vif *vif,
			  struct user_namespace *ns)
{
	if (nla_put_u32(skb, NETNICE_A_VIF_UID,
			from_kuid_munged(ns, vif_uid(vif))) ||
	    nla_put_u32(skb, NETNICE_A_VIF_GID,
			from_kgid_munged(ns, vif_gid(vif))))
		return -EMSGSIZE;
	return nla_put_u32(skb, NETNICE_A_VIF_MODE, vif->mode);
}

static int vif_nl_put_field(struct sk_buff *skb, const struct vif_field *field,
			    const struct vif_params *params)
{
	const void *value = (const void *)params + field->offset;
	const void *initial = (const void *)&vif_params_initial + field->offset;

	if (!field->always && !memcmp(value, initial, field->size))
		return 0;
	if (field->len == sizeof(u64))
		return nla_put_64bit(skb, field->attr, field->len, value, NETNICE_A_DIR_PAD);
	return nla_put(skb, field->attr, field->len, value);
}

static int vif_nl_put_params(struct sk_buff *skb, const struct vif_params *params)
{
	unsigned int i;

	for (i = 0; i < VIF_FIELDS; i++)
		if (vif_nl_put_field(skb, &vif_field[i], params))
			return -EMSGSIZE;
	return 0;
}

static int vif_nl_put_counters(struct sk_buff *skb, const struct vif_stat *stat)
{
	const struct {
		int type;
		u64 value;
	} counter[] = {
		{ NETNICE_A_STAT_PACKETS, stat->packets },
		{ NETNICE_A_STAT_BYTES, stat->bytes },
		{ NETNICE_A_STAT_DROPS, stat->drops },
		{ NETNICE_A_STAT_MARKS, stat->marks },
		{ NETNICE_A_STAT_OVERLIMITS, stat->overlimits },
		{ NETNICE_A_STAT_P_QUEUE_PACKETS, stat->p_packets },
		{ NETNICE_A_STAT_P_QUEUE_BYTES, stat->p_bytes },
		{ NETNICE_A_STAT_D_QUEUE_PACKETS, stat->d_packets },
		{ NETNICE_A_STAT_D_QUEUE_BYTES, stat->d_bytes },
		{ NETNICE_A_STAT_SOJOURN_MIN, stat->sojourn.min_ns },
		{ NETNICE_A_STAT_SOJOURN_MEAN, stat->sojourn.mean_ns },
		{ NETNICE_A_STAT_SOJOURN_P99, stat->sojourn.p99_ns },
		{ NETNICE_A_STAT_SOJOURN_MAX, stat->sojourn.max_ns },
		{ NETNICE_A_STAT_ACK_DROPS, stat->ack_drops },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counter); i++)
		if (nla_put_u64_64bit(skb, counter[i].type, counter[i].value,
				      NETNICE_A_STAT_PAD))
			return -EMSGSIZE;
	return 0;
}

/* Reserve the attribute first and fill it in place: the histogram is too large for the stack. */
static int vif_nl_put_histogram(struct sk_buff *skb, struct vif *vif,
				enum vif_dir dir)
{
	const unsigned int size = SOJOURN_BUCKETS * sizeof(u64);
	unsigned char *begin = skb_tail_pointer(skb);
	struct nlattr *attr;
	unsigned int n;

	attr = nla_reserve_64bit(skb, NETNICE_A_STAT_SOJOURN_HISTOGRAM, size,
				 NETNICE_A_STAT_PAD);
	if (!attr)
		return -EMSGSIZE;
	n = vif_read_sojourn(vif, dir, nla_data(attr));
	if (n) {
		attr->nla_len = nla_attr_size(n * sizeof(u64));
		nlmsg_trim(skb, nla_data(attr) + n * sizeof(u64));
	} else {
		nlmsg_trim(skb, begin);
	}
	return 0;
}

static int vif_nl_put_stat(struct sk_buff *skb, struct vif *vif, enum vif_dir dir)
{
	struct nlattr *nest = nla_nest_start(skb, NETNICE_A_DIR_STAT);
	struct vif_stat stat;

	if (!nest)
		return -EMSGSIZE;
	vif_read_stat(vif, dir, &stat);
	if (vif_nl_put_counters(skb, &stat) || vif_nl_put_histogram(skb, vif, dir))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vif_nl_put_program(struct sk_buff *skb, const struct vif *vif, enum vif_dir dir,
			      struct user_namespace *ns)
{
	u32 user, length = __vif_program_length(vif, dir, &user);

	if (length && nla_put_u32(skb, NETNICE_A_DIR_PROGRAM, length))
		return -EMSGSIZE;
	if (!user)
		return 0;
	return nla_put_u32(skb, NETNICE_A_DIR_PROGRAM_UID,
			   from_kuid_munged(ns, vif_program_uid(user)));
}

static int vif_nl_put_side(struct sk_buff *skb, struct vif *vif, enum vif_dir dir,
			   struct user_namespace *ns, bool stat)
{
	struct nlattr *nest = nla_nest_start(skb, dir == VIF_EGRESS ?
						  NETNICE_A_VIF_EGRESS :
						  NETNICE_A_VIF_INGRESS);
	struct vif_params params;

	__vif_params_get(vif, dir, &params);
	if (!nest || vif_nl_put_params(skb, &params) || vif_nl_put_program(skb, vif, dir, ns) ||
	    (stat && vif_nl_put_stat(skb, vif, dir)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vif_nl_put_stack(struct sk_buff *skb, const struct vif *vif)
{
	const struct vif_option *option = vif_option_find(VIF_OPTION_STACK);
	const char *device = option ? vif_stack_ops_of(option)->device(vif) : NULL;
	int err = device ? nla_put_string(skb, NETNICE_A_VIF_STACK, device) : 0;

	vif_option_put(option);
	return err;
}

int __nn_nl_put_vif_files(struct sk_buff *skb, struct vif *vif, struct user_namespace *ns,
			  bool stat)
{
	enum vif_dir dir;

	lockdep_assert_held(vif_tree_lock(vif));
	if (nla_put_u32(skb, NETNICE_A_VIF_AUTOREMOVE, vif->autoremove))
		return -EMSGSIZE;
	for (dir = 0; dir < VIF_DIRS; dir++)
		if (vif_nl_put_side(skb, vif, dir, ns, stat))
			return -EMSGSIZE;
	return vif->stack ? vif_nl_put_stack(skb, vif) : 0;
}

static int __vif_nl_put_vif(struct sk_buff *skb, struct vif *vif, bool stat)
{
	struct user_namespace *ns = current_user_ns();

	if (__nn_nl_put_vif_place(skb, vif, NULL, false) ||
	    __nn_nl_put_vif_owner(skb, vif, ns))
		return -EMSGSIZE;
	return __nn_nl_may_read(vif) ? __nn_nl_put_vif_files(skb, vif, ns, stat) : 0;
}

static int __vif_nl_answer_vif(struct sk_buff *skb, struct genl_info *info)
{
	struct vif_net *vn = vif_net_of(genl_info_net(info));
	struct vif *vif = __nn_nl_find(vn, &names, info->attrs, info->extack);
	void *head;

	if (IS_ERR(vif))
		return PTR_ERR(vif);
	if (!vif) {
		NL_SET_ERR_MSG(info->extack,
			       "name a VIF by its number, or by device and path; or ask for a dump");
		return -EINVAL;
	}
	head = genlmsg_put_reply(skb, info, &netnice_nl_family, 0,
				 NETNICE_CMD_VIF_GET);
	if (!head || __vif_nl_put_vif(skb, vif, info->attrs[NETNICE_A_VIF_STAT]))
		return -EMSGSIZE;
	genlmsg_end(skb, head);
	return 0;
}

int netnice_nl_vif_get_doit(struct sk_buff *request, struct genl_info *info)
{
	struct vif_net *vn = vif_net_of(genl_info_net(info));
	struct sk_buff *skb = genlmsg_new(NN_NL_MESSAGE_SIZE, GFP_KERNEL);
	const struct cred *cred;
	int err;

	if (!skb)
		return -ENOMEM;
	cred = nn_nl_act_as_reader(request);
	mutex_lock(&vn->lock);
	err = __vif_nl_answer_vif(skb, info);
	mutex_unlock(&vn->lock);
	revert_creds(cred);
	if (!err)
		return genlmsg_reply(skb, info);
	nlmsg_free(skb);
	return err;
}

/**
 * struct nn_nl_vif_dump - a dump under way
 * @walk: how far it has come
 * @stat: with statistics
 */
struct nn_nl_vif_dump {
	struct nn_nl_walk walk;
	bool stat;
};

static struct vif_net *vif_nl_vif_net(const struct netlink_callback *cb)
{
	return vif_net_of(sock_net(cb->skb->sk));
}

/* Set the number of the requested VIF. Context: reader's credentials. */
static int vif_nl_vif_find_top(struct netlink_callback *cb, struct nn_nl_vif_dump *dump)
{
	struct vif_net *vn = vif_nl_vif_net(cb);
	struct vif *top;

	mutex_lock(&vn->lock);
	top = __nn_nl_find(vn, &names, nn_nl_dump_attrs(cb), cb->extack);
	if (!IS_ERR_OR_NULL(top))
		dump->walk.top = top->ino;
	mutex_unlock(&vn->lock);
	return PTR_ERR_OR_ZERO(top);
}

int netnice_nl_vif_get_start(struct netlink_callback *cb)
{
	struct nn_nl_vif_dump *dump = kzalloc(sizeof(*dump), GFP_KERNEL_ACCOUNT);
	const struct cred *cred;
	int err;

	if (!dump)
		return -ENOMEM;
	cred = nn_nl_act_as_reader(cb->skb);
	err = vif_nl_vif_find_top(cb, dump);
	revert_creds(cred);
	if (err) {
		kfree(dump);
		return err;
	}
	dump->stat = nn_nl_dump_attrs(cb)[NETNICE_A_VIF_STAT];
	if (dump->stat)
		cb->min_dump_alloc = NN_NL_MESSAGE_SIZE;
	cb->args[0] = (long)dump;
	return 0;
}

int netnice_nl_vif_get_done(struct netlink_callback *cb)
{
	kfree((struct nn_nl_vif_dump *)cb->args[0]);
	return 0;
}

static int __vif_nl_dump_vif(struct sk_buff *skb, struct netlink_callback *cb,
			     const struct nn_nl_vif_dump *dump, struct vif *vif)
{
	void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				 cb->nlh->nlmsg_seq, &netnice_nl_family, NLM_F_MULTI,
				 NETNICE_CMD_VIF_GET);

	if (!head)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, head);
	if (__vif_nl_put_vif(skb, vif, dump->stat)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

/* Dump a batch. Return 1: there may be more; 0: that was all; -EMSGSIZE: there is no room. */
static int __vif_nl_dump_some(struct sk_buff *skb, struct netlink_callback *cb,
			      struct nn_nl_vif_dump *dump, struct vif_net *vn)
{
	struct vif *vif = __nn_nl_resume(&dump->walk, vn), *seen = NULL;
	unsigned int n;
	int err = 0;

	cb->seq = vn->changes;
	for (n = 0; vif && n < BATCH; n++) {
		err = __vif_nl_dump_vif(skb, cb, dump, vif);
		if (err)
			break;
		seen = vif;
		vif = __nn_nl_next(&dump->walk, vif);
	}
	if (seen)
		__nn_nl_seen(&dump->walk, seen);
	return err ?: !!vif;
}

int netnice_nl_vif_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct cred *cred = nn_nl_act_as_reader(cb->skb);
	struct nn_nl_vif_dump *dump = (struct nn_nl_vif_dump *)cb->args[0];
	struct vif_net *vn = vif_nl_vif_net(cb);
	int more;

	do {
		mutex_lock(&vn->lock);
		more = __vif_nl_dump_some(skb, cb, dump, vn);
		mutex_unlock(&vn->lock);
		cond_resched();
	} while (more > 0 && !fatal_signal_pending(current));
	revert_creds(cred);
	return skb->len ?: min(more, 0);
}
