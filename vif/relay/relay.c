// SPDX-License-Identifier: GPL-2.0
/*
 * A UDP socket may have a function, meant for tunnels, that gets each received datagram before it
 * is queued. Here it finds the relay of the socket, by the socket's address, and sends the datagram
 * by the other socket.
 *
 * A relay holds both its sockets, but not their files: their processes can close them at any
 * time. Then nothing is relayed any more; a worker polls for such relays and ends them. The kernel
 * has a callback for a closed tunnel's socket, but any process with the socket can reset it
 * (UDP_ENCAP), and there is none for the other socket.
 *
 * The table's mutex is taken alone, and the lock of a socket is never taken, because a process with
 * the socket can hold it for any time. So the function is set and removed by cmpxchg(). Other code
 * that replaces it finds no pointer of ours in the socket, and we trust no pointer of others.
 */
#include "relay.h"

#include <linux/filter.h>
#include <linux/hashtable.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/udp.h>

#include "../attach/fd_scan.h"
#include "../attach/incoming.h"
#include "../attach/sock_cookie.h"
#include "../attach/target.h"
#include "../compat/udp.h"
#include "../queue/account.h"
#include "../tree/access.h"
#include "../tree/net.h"
#include "../tree/program.h"

/* Is the socket connected, and open for that? Context: any. */
static inline bool vif_relay_can_send(const struct sock *to)
{
	return READ_ONCE(to->sk_state) == TCP_ESTABLISHED && !sock_flag(to, SOCK_DEAD) &&
	       !(READ_ONCE(to->sk_shutdown) & SEND_SHUTDOWN);
}

/*
 * A datagram is sent as if the owner of the socket had sent its data: with the socket's addresses,
 * route and options, and all checks for packets of its owner apply. The packet stays in the same
 * memory; only its headers are written. While it is queued in a VIF or a device, it takes room in
 * the socket's buffer. If there is no room, it is dropped.
 */

/* The most that fits, with a header of IPv4 before it. */
#define MOST	(IP_MAX_MTU - sizeof(struct iphdr) - sizeof(struct udphdr))

static bool vif_relay_is_6(const struct sock *sk)
{
#if IS_ENABLED(CONFIG_IPV6)
	return sk->sk_family == AF_INET6 && !ipv6_addr_v4mapped(&sk->sk_v6_daddr);
#else
	return false;
#endif
}

/*
 * The one that the socket has sent by last, referenced, or NULL: it may have connected elsewhere.
 */
static struct dst_entry *vif_relay_last_route(struct sock *sk, u32 cookie, int family)
{
	struct dst_entry *dst = sk_dst_check(sk, cookie);

	if (!dst || dst->ops->family == family)
		return dst;
	dst_release(dst);
	return NULL;
}

/*
 * @fl: set to where the socket is connected, as it is now: it may connect elsewhere at any time, or
 * to nothing.
 */
static struct dst_entry *vif_relay_route4(struct sock *sk, struct flowi4 *fl)
{
	const struct inet_sock *inet = inet_sk(sk);
	struct dst_entry *dst;
	struct rtable *rt;

	flowi4_init_output(fl, READ_ONCE(sk->sk_bound_dev_if) ?: READ_ONCE(inet->uc_index),
			   READ_ONCE(sk->sk_mark), READ_ONCE(inet->tos) & INET_DSCP_MASK,
			   sock_flag(sk, SOCK_LOCALROUTE) ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE,
			   IPPROTO_UDP, inet_sk_flowi_flags(sk), READ_ONCE(inet->inet_daddr),
			   READ_ONCE(inet->inet_saddr), READ_ONCE(inet->inet_dport),
			   READ_ONCE(inet->inet_sport), READ_ONCE(sk->sk_uid));
	if (!fl->daddr || !fl->saddr || !fl->fl4_dport || !fl->fl4_sport ||
	    ipv4_is_multicast(fl->daddr) || ipv4_is_lbcast(fl->daddr))
		return NULL;
	dst = vif_relay_last_route(sk, 0, AF_INET);
	if (dst)
		return dst;
	security_sk_classify_flow(sk, flowi4_to_flowi_common(fl));
	rt = ip_route_output_flow(sock_net(sk), fl, sk);
	if (IS_ERR(rt))
		return NULL;
	sk_dst_set(sk, dst_clone(&rt->dst));
	return &rt->dst;
}

static bool vif_relay_is_route_to_many(const struct dst_entry *dst)
{
	return ((const struct rtable *)dst)->rt_flags & (RTCF_BROADCAST | RTCF_MULTICAST);
}

/* A sender on this host may have left the checksum of a packet inside to the device. */
static bool vif_relay_is_whole(struct sk_buff *skb)
{
	const int start = skb_checksum_start_offset(skb);

	/* a filter may have cut it off */
	return skb->ip_summed != CHECKSUM_PARTIAL || start < 0 ||
	       start + skb->csum_offset + sizeof(__sum16) > skb_headlen(skb) ||
	       !skb_checksum_help(skb);
}

/* Reset properties of the packet that follow from how it was received. */
static bool vif_relay_prepare(struct sock *to, struct sk_buff *skb, const struct dst_entry *dst,
			      unsigned int header)
{
	header += sizeof(struct udphdr);
	skb_clear_hash(skb);
	__skb_pull(skb, sizeof(struct udphdr));
	if (skb->len > MOST ||
	    sk_wmem_alloc_get(to) >= READ_ONCE(to->sk_sndbuf) || !vif_relay_is_whole(skb) ||
	    skb_cow_head(skb, LL_RESERVED_SPACE(dst->dev) + dst->header_len + header))
		return false;
	skb_set_owner_w(skb, to);
	/* its sender may have requested timestamps, which this socket must not get */
	skb_shinfo(skb)->tx_flags = 0;
	skb_shinfo(skb)->tskey = 0;
	skb_set_dst_pending_confirm(skb, 0);
	skb_init_secmark(skb);
	/* pieces of a large packet come one after another, and lead to the next */
	skb_mark_not_on_list(skb);
	skb_scrub_packet(skb, true);
	skb->encapsulation = 0;
	/* it was right; the next one is made by the device, or before it */
	skb->ip_summed = CHECKSUM_NONE;
	skb->mark = READ_ONCE(to->sk_mark);
	skb->priority = READ_ONCE(to->sk_priority);
	return true;
}

static struct udphdr *vif_relay_push_udp(struct sk_buff *skb, __be16 from, __be16 to)
{
	struct udphdr *uh = __skb_push(skb, sizeof(*uh));

	skb_reset_transport_header(skb);
	uh->source = from;
	uh->dest = to;
	uh->len = htons(skb->len);
	return uh;
}

/* As the kernel sends a socket's own. */
static bool vif_relay_may_be_cut(const struct sock *to, const struct sk_buff *skb,
				 const struct dst_entry *dst)
{
	switch (READ_ONCE(inet_sk(to)->pmtudisc)) {
	case IP_PMTUDISC_DO:
	case IP_PMTUDISC_PROBE:
		return false;
	default:
		return skb->len > dst_mtu(dst) || !ip_dont_fragment(to, dst);
	}
}

static bool vif_relay_send4(struct sock *to, struct sk_buff *skb, unsigned int hops)
{
	const struct inet_sock *inet = inet_sk(to);
	struct flowi4 fl;
	struct dst_entry *dst = vif_relay_route4(to, &fl);
	int ttl = READ_ONCE(inet->uc_ttl);
	struct iphdr *ip;

	if (!dst || vif_relay_is_route_to_many(dst) ||
	    !vif_relay_prepare(to, skb, dst, sizeof(*ip))) {
		dst_release(dst);
		return false;
	}
	vif_relay_push_udp(skb, fl.fl4_sport, fl.fl4_dport);
	udp_set_csum(false, skb, fl.saddr, fl.daddr, skb->len);
	ip = __skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
	*ip = (struct iphdr) {
		.version = 4,
		.ihl = sizeof(*ip) / 4,
		.tos = READ_ONCE(inet->tos),
		.ttl = min_t(unsigned int, ttl < 0 ? ip4_dst_hoplimit(dst) : ttl, hops),
		.protocol = IPPROTO_UDP,
		.saddr = fl.saddr,
		.daddr = fl.daddr,
	};
	skb->ignore_df = ip_sk_ignore_df(to);
	if (!vif_relay_may_be_cut(to, skb, dst))
		ip->frag_off = htons(IP_DF);
	skb_dst_set(skb, dst);
	ip_select_ident(sock_net(to), skb, to);
	vif_incoming_send(sock_net(to), skb, ip_local_out);
	return true;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *vif_relay_route6(struct sock *sk, struct flowi6 *fl)
{
	const struct inet_sock *inet = inet_sk(sk);
	struct ipv6_pinfo *np = inet6_sk(sk);
	struct dst_entry *dst;

	*fl = (struct flowi6) {
		.flowi6_proto = IPPROTO_UDP,
		.flowi6_oif = READ_ONCE(sk->sk_bound_dev_if) ?: READ_ONCE(np->ucast_oif),
		.flowi6_mark = READ_ONCE(sk->sk_mark),
		.flowi6_uid = READ_ONCE(sk->sk_uid),
		.flowlabel = ip6_make_flowinfo(np->tclass, np->flow_label),
		.saddr = np->saddr,
		.daddr = sk->sk_v6_daddr,
		.fl6_sport = READ_ONCE(inet->inet_sport),
		.fl6_dport = READ_ONCE(inet->inet_dport),
	};
	if (!fl->fl6_sport || !fl->fl6_dport || ipv6_addr_any(&fl->daddr) ||
	    ipv6_addr_any(&fl->saddr) ||
	    ipv6_addr_v4mapped(&fl->daddr) || ipv6_addr_is_multicast(&fl->daddr))
		return NULL;
	dst = vif_relay_last_route(sk, READ_ONCE(np->dst_cookie), AF_INET6);
	if (dst)
		return dst;
	security_sk_classify_flow(sk, flowi6_to_flowi_common(fl));
	dst = ip6_dst_lookup_flow(sock_net(sk), sk, fl, NULL);
	if (IS_ERR(dst))
		return NULL;
	WRITE_ONCE(np->dst_cookie, rt6_get_cookie((struct rt6_info *)dst));
	sk_dst_set(sk, dst_clone(dst));
	return dst;
}

static bool vif_relay_send6(struct sock *to, struct sk_buff *skb, unsigned int hops)
{
	const struct ipv6_pinfo *np = inet6_sk(to);
	struct flowi6 fl;
	struct dst_entry *dst = vif_relay_route6(to, &fl);
	int limit = np->hop_limit;
	struct ipv6hdr *ip;

	if (!dst || !vif_relay_prepare(to, skb, dst, sizeof(*ip))) {
		dst_release(dst);
		return false;
	}
	vif_relay_push_udp(skb, fl.fl6_sport, fl.fl6_dport);
	udp6_set_csum(false, skb, &fl.saddr, &fl.daddr, skb->len);
	ip = __skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
	ip6_flow_hdr(ip, np->tclass, np->flow_label & IPV6_FLOWLABEL_MASK);
	ip->payload_len = htons(skb->len - sizeof(*ip));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = min_t(unsigned int, limit < 0 ? ip6_dst_hoplimit(dst) : limit, hops);
	ip->saddr = fl.saddr;
	ip->daddr = fl.daddr;
	skb->ignore_df = ip6_sk_ignore_df(to);
	skb_dst_set(skb, dst);
	vif_incoming_send(sock_net(to), skb, ip6_local_out);
	return true;
}
#else
static bool vif_relay_send6(struct sock *to, struct sk_buff *skb, unsigned int hops)
{
	return false;
}
#endif

/* Is it connected to a group, or to all of a network? Context: process. */
static bool vif_relay_is_to_many(struct sock *to)
{
	struct dst_entry *dst;
	struct flowi4 fl;
	bool is;

	if (vif_relay_is_6(to))
		return ipv6_addr_is_multicast(&to->sk_v6_daddr);
	dst = vif_relay_route4(to, &fl);
	is = dst ? vif_relay_is_route_to_many(dst) :
		   ipv4_is_multicast(fl.daddr) || ipv4_is_lbcast(fl.daddr);
	dst_release(dst);
	return is;
}

/**
 * vif_relay_send() - send a received datagram
 * @to: the socket that sends it, to its peer
 * @skb: the datagram, at its UDP header, with a verified checksum
 * @hops: the maximum number of hops that are left
 *
 * Context: packet, caller holds rcu_read_lock().
 * Return: false if it could not be sent: the caller still owns it, but its headers may be changed.
 */
static bool vif_relay_send(struct sock *to, struct sk_buff *skb, unsigned int hops)
{
	return vif_relay_is_6(to) ? vif_relay_send6(to, skb, hops) : vif_relay_send4(to, skb, hops);
}

/* No tunnel that the kernel knows has this number. */
#define ENCAP_TYPE	0x7f

/* The maximum number of hops, as in routers: a loop of relays ends after this number. */
#define MOST_HOPS	64

/* How soon a closed socket is noticed. */
#define SWEEP		(HZ / 4)

/**
 * struct vif_relay - a relay
 * @node: in the table, by @from
 * @from: the socket that receives (referenced)
 * @to: the socket that sends (referenced)
 * @pid: the process by which @to was named (referenced)
 * @fd: the descriptor of @to there
 * @owned: @to has belonged to an attached process
 * @program: filter for datagrams that are not relayed, or NULL; changed under the table's mutex
 * @packets: that have been sent
 * @drops: that could not be sent
 * @account: the account charged for it, or NULL
 * @end: frees it, after a grace period
 */
struct vif_relay {
	struct hlist_node node;
	struct sock *from;
	struct sock *to;
	struct pid *pid;
	int fd;
	bool owned;
	struct vif_program __rcu *program;
	atomic64_t packets;
	atomic64_t drops;
	struct vif_account *account;
	struct rcu_work end;
};

static DEFINE_HASHTABLE(vif_relay_table, 8);
static DEFINE_MUTEX(vif_relay_mutex);

static void vif_relay_sweep(struct work_struct *work);
static DECLARE_DELAYED_WORK(vif_relay_sweep_work, vif_relay_sweep);

/* Caller holds rcu_read_lock(), or the table's mutex. */
static struct vif_relay *vif_relay_find(const struct sock *from)
{
	struct vif_relay *relay;

	hash_for_each_possible_rcu(vif_relay_table, relay, node, (unsigned long)from,
				   lockdep_is_held(&vif_relay_mutex))
		if (relay->from == from)
			return relay;
	return NULL;
}

/* --- packets --- */

/* Programs see a packet from its network header on. */
static bool vif_relay_is_kept(const struct vif_relay *relay, struct sk_buff *skb)
{
	struct vif_program *program = rcu_dereference(relay->program);
	int before = -skb_network_offset(skb);
	bool is;

	if (!program)
		return false;
	__skb_push(skb, before);
	is = program->ops->run(program, skb);
	__skb_pull(skb, before);
	return is;
}

/*
 * A router takes a hop from each packet; so do we, and a circle of relays ends as one of routers
 * does. What may go no further has arrived.
 */
static unsigned int vif_relay_hops_of(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (skb->protocol == htons(ETH_P_IPV6))
		return ipv6_hdr(skb)->hop_limit;
#endif
	return ip_hdr(skb)->ttl;
}

/*
 * Run the filters of the socket and of its control group, which also run before a packet is queued.
 */
static bool vif_relay_may_receive(struct sock *sk, struct sk_buff *skb)
{
	return !sk_filter(sk, skb) && pskb_may_pull(skb, sizeof(struct udphdr));
}

/*
 * Once the sending socket has had an owner, nothing is relayed without one: processes that exit one
 * after the other, each after it has passed the socket on, would relay without their limit.
 */
static bool vif_relay_is_owned(struct vif_relay *relay)
{
	bool owned = vif_fd_scan_has_owner(relay->to);

	if (owned && !READ_ONCE(relay->owned))
		WRITE_ONCE(relay->owned, true);
	return owned || !READ_ONCE(relay->owned);
}

/* For struct udp_sock.encap_rcv: the datagram is taken if it returns 0. Under rcu_read_lock(). */
static int vif_relay_receive(struct sock *sk, struct sk_buff *skb)
{
	struct vif_relay *relay = vif_relay_find(sk);
	unsigned int hops = min_t(unsigned int, vif_relay_hops_of(skb), MOST_HOPS);

	if (!relay || hops <= 1 || skb_is_gso(skb) || !vif_relay_can_send(relay->to) ||
	    !vif_relay_is_owned(relay) || vif_relay_is_kept(relay, skb))
		return 1;
	if (vif_relay_may_receive(sk, skb) && vif_relay_send(relay->to, skb, hops - 1)) {
		atomic64_inc(&relay->packets);
		return 0;
	}
	atomic64_inc(&relay->drops);
	kfree_skb(skb);
	return 0;
}

/* --- beginning and ending --- */

static void vif_free_relay(struct work_struct *work)
{
	struct vif_relay *relay = container_of(to_rcu_work(work), struct vif_relay, end);

	vif_program_drop(rcu_dereference_protected(relay->program, true));
	vif_account_uncharge(relay->account, VIF_CHARGE_ATTACHMENT);
	put_pid(relay->pid);
	sock_put(relay->to);
	sock_put(relay->from);
	kfree(relay);
	module_put(THIS_MODULE);
}

static void __vif_relay_end(struct vif_relay *relay)
{
	struct udp_sock *up = udp_sk(relay->from);

	lockdep_assert_held(&vif_relay_mutex);
	hash_del_rcu(&relay->node);
	if (cmpxchg(&up->encap_rcv, vif_relay_receive, NULL) == vif_relay_receive &&
	    READ_ONCE(up->encap_type) == ENCAP_TYPE)
		WRITE_ONCE(up->encap_type, 0);
	queue_rcu_work(vif_wq, &relay->end);
}

static bool vif_relay_is_over(const struct vif_relay *relay)
{
	return sock_flag(relay->from, SOCK_DEAD) || sock_flag(relay->to, SOCK_DEAD) ||
	       READ_ONCE(udp_sk(relay->from)->encap_rcv) != vif_relay_receive ||
	       READ_ONCE(udp_sk(relay->from)->encap_type) != ENCAP_TYPE;
}

static void vif_relay_sweep(struct work_struct *work)
{
	struct vif_relay *relay;
	struct hlist_node *next;
	bool more = false;
	int i;

	for (i = 0; i < HASH_SIZE(vif_relay_table); i++) {
		mutex_lock(&vif_relay_mutex);
		hlist_for_each_entry_safe(relay, next, &vif_relay_table[i], node) {
			if (vif_relay_is_over(relay))
				__vif_relay_end(relay);
			else
				more = true;
		}
		mutex_unlock(&vif_relay_mutex);
	}
	if (more)
		queue_delayed_work(vif_wq, &vif_relay_sweep_work, SWEEP);
}

static int vif_relay_check_kinds(struct vif_net *vn, const struct sock *from, const struct sock *to)
{
	if (!sk_is_udp(from) || !sk_is_udp(to))
		return vif_fail(vn, -EOPNOTSUPP, "relay: a relay joins UDP sockets: %s is not UDP",
				sk_is_udp(from) ? "the sending socket" :
						  "the receiving socket");
	if (from == to)
		return vif_fail(vn, -ELOOP, "relay: both ends are the same socket");
	return 0;
}

static int
vif_relay_check_owners(struct vif_net *vn, const struct sock *from, const struct sock *to)
{
	const kuid_t uid = current_fsuid();

	if (vif_access_admin(vn) || (uid_eq(READ_ONCE(from->sk_uid), uid) &&
				     uid_eq(READ_ONCE(to->sk_uid), uid)))
		return 0;
	return vif_fail(vn, -EPERM,
			"relay: both sockets must belong to the user, or it requires CAP_NET_ADMIN over the network namespace");
}

static int vif_relay_check_to(struct vif_net *vn, struct sock *to)
{
	if (!vif_relay_can_send(to))
		return vif_fail(vn, -ENOTCONN,
				"relay: the sending socket is not connected: a relay sends to its peer");
	if (vif_relay_is_to_many(to))
		return vif_fail(vn, -EADDRNOTAVAIL,
				"relay: the sending socket is connected to a multicast or broadcast address: a relay sends to one address");
	return 0;
}

/* Fail if the socket has other code's function. Caller holds the table's mutex. */
static int __vif_relay_check_free(struct sock *from)
{
	struct udp_sock *up = udp_sk(from);
	struct vif_relay *old = vif_relay_find(from);

	if (old && !vif_relay_is_over(old))
		return -EEXIST;
	if (old)
		__vif_relay_end(old);
	if (sock_flag(from, SOCK_DEAD))
		return -ENOENT;
	if (READ_ONCE(up->encap_type) || READ_ONCE(from->sk_user_data) ||
	    cmpxchg(&up->encap_rcv, NULL, vif_relay_receive))
		return -EBUSY;
	WRITE_ONCE(up->encap_type, ENCAP_TYPE);
	return 0;
}

static int vif_relay_explain(struct vif_net *vn, int err)
{
	switch (err) {
	case -EEXIST:
		return vif_fail(vn, err, "relay: the socket has a relay: remove it first");
	case -EBUSY:
		return vif_fail(vn, err,
				"relay: a tunnel, a sockmap or UDP_ENCAP already receives the socket's packets");
	case -ENOENT:
		return vif_fail(vn, err, "relay: the socket has been closed");
	case -EDQUOT:
		return vif_target_explain(vn, VIF_SOCKET, err);
	default:
		return err;
	}
}

static struct vif_relay *vif_relay_make(struct sock *from, const struct vif_relay_end *to)
{
	struct vif_account *account = vif_account_charge(VIF_CHARGE_ATTACHMENT, 1);
	struct vif_relay *relay;

	if (IS_ERR(account))
		return ERR_CAST(account);
	relay = kzalloc(sizeof(*relay), GFP_KERNEL_ACCOUNT);
	if (!relay) {
		vif_account_uncharge(account, VIF_CHARGE_ATTACHMENT);
		return ERR_PTR(-ENOMEM);
	}
	sock_hold(from);
	sock_hold(to->sk);
	relay->from = from;
	relay->to = to->sk;
	relay->pid = get_pid(to->pid);
	relay->fd = to->fd;
	relay->account = account;
	INIT_RCU_WORK(&relay->end, vif_free_relay);
	__module_get(THIS_MODULE);
	return relay;
}

int vif_relay_begin(struct vif_net *vn, struct sock *from, const struct vif_relay_end *to)
{
	struct vif_relay *relay;
	int err = vif_relay_check_kinds(vn, from, to->sk)	   ?:
			  vif_relay_check_owners(vn, from, to->sk) ?:
								     vif_relay_check_to(vn, to->sk);

	if (err)
		return err;
	relay = vif_relay_make(from, to);
	if (IS_ERR(relay))
		return vif_relay_explain(vn, PTR_ERR(relay));
	/* find the owner of the sending socket now: no task is seen when it sends */
	vif_sock_cookie(to->sk);
	vif_fd_scan_open(to->pid);
	mutex_lock(&vif_relay_mutex);
	err = __vif_relay_check_free(from);
	if (!err) {
		/*
		 * as UDP_ENCAP does, until the socket is closed; under the mutex, because 6.1 counts
		 * a socket twice if two tasks do it at once
		 */
		vif_udp_encap_enable(from);
		hash_add_rcu(vif_relay_table, &relay->node, (unsigned long)from);
	}
	mutex_unlock(&vif_relay_mutex);
	if (err)
		queue_rcu_work(vif_wq, &relay->end);
	else
		queue_delayed_work(vif_wq, &vif_relay_sweep_work, SWEEP);
	return vif_relay_explain(vn, err);
}

int vif_relay_end(struct sock *from)
{
	struct vif_relay *relay;

	mutex_lock(&vif_relay_mutex);
	relay = vif_relay_find(from);
	if (relay)
		__vif_relay_end(relay);
	mutex_unlock(&vif_relay_mutex);
	return relay ? 0 : -ENOENT;
}

bool vif_relay_get(const struct sock *from, struct vif_relay_info *info)
{
	const struct vif_relay *relay;

	rcu_read_lock();
	relay = vif_relay_find(from);
	if (relay && vif_relay_is_over(relay))
		relay = NULL;
	if (relay && info)
		*info = (struct vif_relay_info) {
			.pid = get_pid(relay->pid),
			.fd = relay->fd,
			.packets = atomic64_read(&relay->packets),
			.drops = atomic64_read(&relay->drops),
		};
	rcu_read_unlock();
	return relay;
}

int vif_relay_set_program(struct sock *from, struct vif_program *program)
{
	struct vif_program *old = program;
	struct vif_relay *relay;

	mutex_lock(&vif_relay_mutex);
	relay = vif_relay_find(from);
	if (relay)
		old = rcu_replace_pointer(relay->program, program,
					  lockdep_is_held(&vif_relay_mutex));
	mutex_unlock(&vif_relay_mutex);
	vif_program_drop(old);
	return relay ? 0 : -ENOENT;
}

ssize_t vif_relay_program_text(const struct sock *from, char *buf, size_t size)
{
	const struct vif_program *program = NULL;
	const struct vif_relay *relay;
	ssize_t len;

	rcu_read_lock();
	relay = vif_relay_find(from);
	if (relay)
		program = rcu_dereference(relay->program);
	len = strscpy(buf, program ? program->text : "none", size);
	rcu_read_unlock();
	return len;
}

/* Each relay holds the module, until vif_free_relay(), which may not have returned yet. */
void vif_relay_exit(void)
{
	cancel_delayed_work_sync(&vif_relay_sweep_work);
	flush_workqueue(vif_wq);
}
