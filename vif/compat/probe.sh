#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Print a -DHAVE_... flag for each thing that the headers of a kernel have.
# usage: probe.sh SRCTREE
#
# Stable and vendor kernels take over interfaces without changing their
# version, so what is asked is the header, never the number.

cd "${1:?usage: probe.sh SRCTREE}/include" || exit 1
[ -e linux/fs.h ] || {
	echo "probe.sh: no kernel headers in '$1'" >&2
	exit 1
}

# have NAME REGEX HEADER...: a declaration may be spread over lines, and a
# header over several files since some kernel.
have() {
	name=$1 regex=$2
	shift 2
	cat "$@" 2>/dev/null | tr -s '[:space:]' ' ' | grep -Eq "$regex" &&
		printf -- ' -DHAVE_%s' "$name"
}

# The file system's prototypes; used in compat/fs.h.
have MNT_IDMAP '\(\*permission\) ?\(struct mnt_idmap \*' linux/fs.h linux/fs/*.h
have MKDIR_DENTRY 'struct dentry \* ?\(\*mkdir\)' linux/fs.h linux/fs/*.h
have FILLATTR_MASK 'generic_fillattr\(struct mnt_idmap \*[a-z_]*, u32' \
	linux/fs.h linux/fs/*.h
have INODE_SET_MTIME 'inode_set_mtime_to_ts\(' linux/fs.h linux/fs/*.h
have D_REVALIDATE_NAME '\(\*d_revalidate\) ?\(struct inode \*' linux/dcache.h
have LOOKUP_ONE_QSTR \
	'lookup_one_positive_unlocked\(struct mnt_idmap \*[a-z_]*, struct qstr' linux/namei.h
have SIMPLE_NOSETLEASE 'simple_nosetlease\(' linux/fs.h
have SET_DEFAULT_D_OP 'void set_default_d_op\(' linux/dcache.h

# Where a task's dumpable state is; used in compat/task.h.
have TASK_EXEC_STATE 'struct task_exec_state \{' linux/sched/exec_state.h

# Timers and packets; used in compat/hrtimer.h and compat/gso.h.
have HRTIMER_SETUP 'void hrtimer_setup\(' linux/hrtimer.h
have NET_GSO_H 'skb_gso_segment\(' net/gso.h
have IPV6_HOPOPT_JUMBO 'ipv6_has_hopopt_jumbo\(const struct sk_buff' net/ipv6.h

# Looking up TCP sockets; used in compat/inet.h.
have INET_LOOKUP_HASHINFO \
	'__inet_lookup_established\((const )?struct net \*net, struct inet_hashinfo' \
	net/inet_hashtables.h

# UDP: tunnels, and tables of sockets; used in compat/udp.h.
have UDP_ENCAP_SOCKET 'void udp_tunnel_encap_enable\(struct socket \*' net/udp_tunnel.h
have NET_UDP_TABLE 'struct udp_table \*udp_table;' net/netns/ipv4.h
have UDPLITE 'struct udp_table udplite_table;' net/udplite.h

# Qdiscs; used in compat/qdisc.h.
have QDISC_QLEN_INC 'qdisc_qlen_inc\(' net/sch_generic.h
have QDISC_PKT_SEGS 'u16 pkt_segs;' net/sch_generic.h

# Why packets are dropped; used in compat/drop.h.
have QDISC_DROP_OVERLIMIT 'QDISC_DROP_OVERLIMIT,' net/dropreason-qdisc.h
have SKB_DROP_OVERLIMIT 'SKB_DROP_REASON_QDISC_OVERLIMIT,' net/dropreason*.h
have QDISC_DROP_REASON 'int qdisc_drop_reason\(' net/sch_generic.h
have NF_DROP_REASON 'NF_DROP_REASON\(' linux/netfilter.h

# Netlink; used in compat/netlink.h.
have NETLINK_BROADCAST_FILTERED 'genlmsg_multicast_netns_filtered\(' net/genetlink.h
have GENL_SPLIT_OPS 'struct genl_split_ops \{' net/genetlink.h
have GENL_INFO_DUMP 'genl_info_dump\(struct netlink_callback' net/genetlink.h

# Namespaces of symbols; used in compat/export.h.
have NAMESPACE_STRING 'MODULE_IMPORT_NS\(ns\) MODULE_INFO\(import_ns, ns\)' linux/module.h

echo
