// SPDX-License-Identifier: GPL-2.0
/*
 * A port is an ordinary socket that is bound and does nothing else. So no other socket gets the
 * port, and code that needs a packet's owner (firewalls, control groups, netnice) uses the socket;
 * its attachment gives the VIF. It has a file, by which nftables finds its user, and which is in no
 * table of descriptors: no process can use the socket, or let others share its port.
 */
#include "socket.h"

#include <linux/err.h>
#include <linux/file.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "../attach/resolve.h"
#include "../attach/target.h"
#include "../queue/account.h"
#include "../tree/access.h"
#include "../tree/net.h"
#include "../tree/tree.h"
#include "port.h"
#include "stack.h"

/* Create a socket for both families, if there is IPv6. */
static struct socket *vif_stack_create(struct net *net, u8 protocol)
{
	int type = protocol == IPPROTO_TCP ? SOCK_STREAM : SOCK_DGRAM;
	struct socket *sock;
	int err;

	err = __sock_create(net, AF_INET6, type, protocol, &sock, 0);
	if (err == -EAFNOSUPPORT)
		err = __sock_create(net, AF_INET, type, protocol, &sock, 0);
	return err ? ERR_PTR(err) : sock;
}

static int vif_stack_bind_to(struct socket *sock, u16 number)
{
	union {
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} address = {};
	struct sock *sk = sock->sk;

	if (sk->sk_family == AF_INET6) {
		address.in6.sin6_family = AF_INET6;
		address.in6.sin6_port = htons(number);
		sk->sk_ipv6only = false;
		return kernel_bind(sock, (void *)&address, sizeof(address.in6));
	}
	address.in.sin_family = AF_INET;
	address.in.sin_port = htons(number);
	return kernel_bind(sock, (void *)&address, sizeof(address.in));
}

/*
 * A program of the control group may have changed the address, or have allowed to share the port.
 */
static bool vif_stack_is_as_told(const struct sock *sk, u16 number)
{
	if (sk->sk_bound_dev_if || sk->sk_num != number || sk->sk_reuse || sk->sk_reuseport)
		return false;
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6)
		return ipv6_addr_any(&sk->sk_v6_rcv_saddr);
#endif
	return !sk->sk_rcv_saddr;
}

/* Create a bound socket. Packets that it gets before it is a port of the stack are discarded. */
static struct socket *vif_stack_open_bound(struct net *net, u8 protocol, u16 number)
{
	struct socket *sock = vif_stack_create(net, protocol);
	int err;

	if (IS_ERR(sock))
		return sock;
	WRITE_ONCE(sock->sk->sk_rcvbuf, SOCK_MIN_RCVBUF);
	err = vif_stack_bind_to(sock, number);
	if (!err && !vif_stack_is_as_told(sock->sk, number))
		err = -EOPNOTSUPP;
	if (!err)
		return sock;
	sock_release(sock);
	return ERR_PTR(err);
}

/* Open a number for both protocols. */
static int vif_stack_open_pair(struct net *net, u16 number, struct socket **sock)
{
	if (inet_is_local_reserved_port(net, number))
		return -EADDRINUSE;
	sock[0] = vif_stack_open_bound(net, IPPROTO_TCP, number);
	if (IS_ERR(sock[0]))
		return PTR_ERR(sock[0]);
	sock[1] = vif_stack_open_bound(net, IPPROTO_UDP, number);
	if (!IS_ERR(sock[1]))
		return 0;
	sock_release(sock[0]);
	return PTR_ERR(sock[1]);
}

static void vif_stack_close_all(struct socket **sock, unsigned int n)
{
	while (n-- > 0)
		sock_release(sock[n]);
}

/* Open @n consecutive numbers, at a random place in the range from which bind(2) chooses. */
static int vif_stack_open_ports(struct net *net, struct socket **sock, unsigned int n)
{
	int low, high, number, left, err = 0;
	unsigned int run = 0;

	inet_get_local_port_range(net, &low, &high);
	number = low + get_random_u32() % (high - low + 1);
	for (left = high - low + n; left > 0 && run < n; left--) {
		err = fatal_signal_pending(current) ? -EINTR :
		      vif_stack_open_pair(net, number, sock + 2 * run);
		run += !err;
		if (number++ == high)
			number = low;
		if (run < n && (err || number == low)) {
			vif_stack_close_all(sock, 2 * run);
			run = 0;
		}
		if (err && err != -EADDRINUSE)
			return err;
		cond_resched();
	}
	if (run == n)
		return 0;
	vif_stack_close_all(sock, 2 * run);
	return -EADDRINUSE;
}

/*
 * A user who is attached elsewhere, or limited by a control group, cannot escape by a stack. Nor
 * can a process escape its own attachment in that way: for a stack's socket only the control group
 * counts.
 */
static int vif_stack_check_writer(struct vif *vif)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	bool belongs, stays;

	rcu_read_lock();
	belongs = vif_resolve_has_current(vif);
	stays = vif_resolve_has_socket(vif);
	rcu_read_unlock();
	if ((belongs && stays) || vif_access_admin(vn))
		return 0;
	if (belongs)
		return vif_fail(vn, -EPERM,
				"ports: the writer is limited as a process, and a stack would not be: attach the writer's control group instead");
	return vif_fail(vn, -EPERM,
			"ports: the writer's own packets belong to a VIF that is not above this one");
}

static int vif_no_stack(struct vif *vif)
{
	return vif_fail(vif_net_of_vif(vif), -ENOTCONN,
			"ports: the VIF has no stack: write a device to its file stack first");
}

/* Return the network namespace of the ports, referenced. */
static struct net *vif_stack_net_for(struct vif *vif)
{
	int err = vif_stack_check_writer(vif);
	struct net *net = NULL;

	if (err)
		return ERR_PTR(err);
	mutex_lock(vif_tree_lock(vif));
	if (vif->stack)
		net = maybe_get_net(vif_net_of_vif(vif)->net);
	mutex_unlock(vif_tree_lock(vif));
	return net ?: ERR_PTR(vif_no_stack(vif));
}

/* Consumes the socket. */
static int vif_stack_add_socket(struct vif *vif, struct socket *sock)
{
	struct vif_target target = { .kind = VIF_SOCKET };
	struct file *file = sock_alloc_file(sock, 0, NULL);
	struct vif_port *port;
	int err = -ENOMEM;

	if (IS_ERR(file))
		return PTR_ERR(file);
	port = kzalloc(sizeof(*port), VIF_GFP);
	if (port) {
		port->sk = target.sk = sock->sk;
		port->file = file;
		err = vif_target_attach(vif, &target) ?: vif_stack_add_port(vif, port);
	}
	if (err) {
		kfree(port);
		fput(file);
	}
	return err == -ENOTCONN ? vif_no_stack(vif) : err;
}

static void vif_stack_uncharge(struct vif_account *account, unsigned int n)
{
	while (n--)
		vif_account_uncharge(account, VIF_CHARGE_ATTACHMENT);
}

static int vif_stack_explain(struct vif *vif, u8 protocol, u16 number, int err)
{
	const char *name = protocol == IPPROTO_TCP ? "tcp" : "udp";
	struct vif_net *vn = vif_net_of_vif(vif);

	switch (err) {
	case -EADDRINUSE:
		return vif_fail(vn, err, "ports: %s port %u is in use", name, number);
	case -EOPNOTSUPP:
		return vif_fail(vn, err,
				"ports: a program of the control group binds %s port %u differently",
				name, number);
	case -EACCES:
		return vif_fail(vn, err, "ports: %s port %u requires CAP_NET_BIND_SERVICE there",
				name, number);
	default:
		return err;
	}
}

int vif_stack_bind(struct vif *vif, u8 protocol, u16 number)
{
	struct net *net = vif_stack_net_for(vif);
	struct socket *sock;

	if (IS_ERR(net))
		return PTR_ERR(net);
	sock = vif_stack_open_bound(net, protocol, number);
	put_net(net);
	return IS_ERR(sock) ? vif_stack_explain(vif, protocol, number, PTR_ERR(sock)) :
			      vif_stack_add_socket(vif, sock);
}

/* Add all ports or none. @account is charged for each until its attachment is. */
static int vif_stack_add_ports(struct vif *vif, struct socket **sock, unsigned int n,
			       struct vif_account *account)
{
	u16 first = sock[0]->sk->sk_num;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < 2 * n; i++) {
		vif_account_uncharge(account, VIF_CHARGE_ATTACHMENT);
		err = vif_stack_add_socket(vif, sock[i]);
	}
	if (!err)
		return 0;
	vif_stack_uncharge(account, 2 * n - i);
	vif_stack_close_all(sock + i, 2 * n - i);
	while (i-- > 0)
		vif_stack_del_port(vif, i & 1 ? IPPROTO_UDP : IPPROTO_TCP, first + i / 2);
	return err;
}

static int vif_stack_bind_ports(struct vif *vif, struct net *net, unsigned int n)
{
	struct vif_account *account;
	struct socket **sock;
	int err;

	/* charge all ports first: a user never has more than the limit, not even for a moment */
	account = vif_account_charge(VIF_CHARGE_ATTACHMENT, 2 * n);
	if (IS_ERR(account))
		return vif_target_explain(vif_net_of_vif(vif), VIF_SOCKET, PTR_ERR(account));
	sock = kvcalloc(2 * n, sizeof(*sock), GFP_KERNEL_ACCOUNT);
	err = sock ? vif_stack_open_ports(net, sock, n) : -ENOMEM;
	if (err)
		vif_stack_uncharge(account, 2 * n);
	else
		err = vif_stack_add_ports(vif, sock, n, account);
	kvfree(sock);
	return err;
}

int vif_stack_bind_run(struct vif *vif, unsigned int n)
{
	struct net *net = vif_stack_net_for(vif);
	int err;

	if (IS_ERR(net))
		return PTR_ERR(net);
	err = vif_stack_bind_ports(vif, net, n);
	put_net(net);
	switch (err) {
	case -EADDRINUSE:
		return vif_fail(vif_net_of_vif(vif), err,
				"ports: no %u consecutive numbers in ip_local_port_range are free for TCP and UDP",
				n);
	case -EOPNOTSUPP:
		return vif_fail(vif_net_of_vif(vif), err,
				"ports: a program of the control group binds ports differently");
	case -EACCES:
		return vif_fail(vif_net_of_vif(vif), err,
				"ports: ip_local_port_range has some that require CAP_NET_BIND_SERVICE");
	default:
		return err;
	}
}

int vif_stack_unbind(struct vif *vif, u8 protocol, u16 number)
{
	int err = vif_stack_del_port(vif, protocol, number);

	if (err != -ENOENT)
		return err;
	return vif_fail(vif_net_of_vif(vif), err, "ports: the VIF's stack has no %s port %u",
			protocol == IPPROTO_TCP ? "tcp" : "udp", number);
}
