// SPDX-License-Identifier: GPL-2.0
/*
 * A UDP socket may have a function, meant for tunnels, that gets each received datagram before it
 * is queued. Here it finds the relay of the socket, by the socket's address, and sends the datagram
 * by the other socket (send.c).
 *
 * A relay holds both its sockets, but not their files: their processes can close them at any
 * time. Then nothing is relayed any more; a worker polls for such relays and ends them. The kernel
 * has a callback for a closed tunnel's socket, but any process with the socket can reset it
 * (UDP_ENCAP), and there is none for the other socket.
 *
 * The table's mutex is taken alone, and no socket's lock is: a process with the socket can hold
 * that for any time. So the function is set and removed by cmpxchg(). Other code that replaces it
 * finds no pointer of ours in the socket, and we trust no pointer of others.
 */
#include "relay.h"

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "../attach/fd_scan.h"
#include "../attach/program.h"
#include "../attach/sock_cookie.h"
#include "../attach/target.h"
#include "../compat/udp.h"
#include "../queue/account.h"
#include "../tree/access.h"
#include "../tree/net.h"
#include "send.h"

/* No tunnel that the kernel knows has this number. */
#define ENCAP_TYPE	0x7f

/* As routers do, whatever the sender has asked for: a circle would last as long. */
#define MOST_HOPS	64

/* How soon a closed socket is noticed. */
#define SWEEP		(HZ / 4)

/**
 * struct vif_relay - a relay
 * @node: in the table, by @from
 * @from: receives (referenced)
 * @to: sends (referenced)
 * @pid: the process that has @to, as it was named (referenced)
 * @fd: its descriptor there
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
	struct vif_program __rcu *program;
	atomic64_t packets;
	atomic64_t drops;
	struct vif_account *account;
	struct rcu_work end;
};

static DEFINE_HASHTABLE(table, 8);
static DEFINE_MUTEX(vif_relay_mutex);

static void vif_relay_sweep(struct work_struct *work);
static DECLARE_DELAYED_WORK(vif_relay_sweep_work, vif_relay_sweep);

/* Caller holds rcu_read_lock(), or the table's mutex. */
static struct vif_relay *vif_relay_find(const struct sock *from)
{
	struct vif_relay *relay;

	hash_for_each_possible_rcu(table, relay, node, (unsigned long)from,
				   lockdep_is_held(&vif_relay_mutex))
		if (relay->from == from)
			return relay;
	return NULL;
}

/* --- packets --- */

/* Programs see a packet from its network header on. */
static bool vif_relay_is_kept(const struct vif_relay *relay, struct sk_buff *skb)
{
	const struct vif_program *program = rcu_dereference(relay->program);
	int before = -skb_network_offset(skb);
	bool is;

	if (!program)
		return false;
	__skb_push(skb, before);
	is = vif_program_run(program, skb);
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

/* The filters of the socket, and of its control group, are asked before others queue it, too. */
static bool vif_relay_may_receive(struct sock *sk, struct sk_buff *skb)
{
	return !sk_filter(sk, skb) && pskb_may_pull(skb, sizeof(struct udphdr));
}

/* For struct udp_sock.encap_rcv: the datagram is taken if it returns 0. Under rcu_read_lock(). */
static int vif_relay_receive(struct sock *sk, struct sk_buff *skb)
{
	struct vif_relay *relay = vif_relay_find(sk);
	unsigned int hops = min_t(unsigned int, vif_relay_hops_of(skb), MOST_HOPS);

	if (!relay || hops <= 1 || skb_is_gso(skb) || !vif_relay_can_send(relay->to) ||
	    vif_relay_is_kept(relay, skb))
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

	for (i = 0; i < HASH_SIZE(table); i++) {
		mutex_lock(&vif_relay_mutex);
		hlist_for_each_entry_safe(relay, next, &table[i], node) {
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
			"relay: both sockets must belong to the user, or it takes CAP_NET_ADMIN over the network namespace");
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

/* Nothing of anybody's is put aside. Caller holds the table's mutex. */
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
				"relay: a tunnel, a sockmap or UDP_ENCAP takes the socket's packets");
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
	/* whose the packets are that it sends, of which no task is seen */
	vif_sock_cookie(to->sk);
	vif_fd_scan_open(to->pid);
	/* as UDP_ENCAP does, for as long as the socket is there */
	vif_udp_encap_enable(from);
	mutex_lock(&vif_relay_mutex);
	err = __vif_relay_check_free(from);
	if (!err)
		hash_add_rcu(table, &relay->node, (unsigned long)from);
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
	len = strscpy(buf, program ? vif_program_text(program) : "none", size);
	rcu_read_unlock();
	return len;
}

void vif_relay_exit(void)
{
	struct vif_relay *relay;
	struct hlist_node *next;
	int i;

	cancel_delayed_work_sync(&vif_relay_sweep_work);
	mutex_lock(&vif_relay_mutex);
	hash_for_each_safe(table, i, next, relay, node)
		__vif_relay_end(relay);
	mutex_unlock(&vif_relay_mutex);
	/* no packet is in vif_relay_receive() when they have been freed */
	rcu_barrier();
	flush_workqueue(vif_wq);
}
