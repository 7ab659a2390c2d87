// SPDX-License-Identifier: GPL-2.0
/*
 * A port is a socket as any other, that is bound and does nothing else: so nobody else gets the
 * port, whoever asks whose a packet is (firewalls, control groups, ourselves) is told by the
 * socket, and the VIF is found by its attachment. It has a file, by which nftables finds its
 * user, and that is in no table of descriptors: nobody else can use the socket, nor let
 * others share its port.
 */
#include "socket.h"

#include <linux/err.h>
#include <linux/file.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "../attach/port.h"
#include "../attach/resolve.h"
#include "../attach/target.h"
#include "../queue/account.h"
#include "../tree/access.h"
#include "../tree/net.h"
#include "../tree/tree.h"
#include "stack.h"

static const char *name_of(u8 protocol)
{
	return protocol == IPPROTO_TCP ? "tcp" : "udp";
}

/* One of both families, if there is IPv6. */
static struct socket *create(struct net *net, u8 protocol)
{
	int type = protocol == IPPROTO_TCP ? SOCK_STREAM : SOCK_DGRAM;
	struct socket *sock;
	int err;

	err = __sock_create(net, AF_INET6, type, protocol, &sock, 0);
	if (err == -EAFNOSUPPORT)
		err = __sock_create(net, AF_INET, type, protocol, &sock, 0);
	return err ? ERR_PTR(err) : sock;
}

static int bind_to(struct socket *sock, u16 number)
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

/* Programs of the control group may have bound it elsewhere, or let others share its port. */
static bool is_as_told(const struct sock *sk, u16 number)
{
	if (sk->sk_bound_dev_if || sk->sk_num != number || sk->sk_reuse || sk->sk_reuseport)
		return false;
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6)
		return ipv6_addr_any(&sk->sk_v6_rcv_saddr);
#endif
	return !sk->sk_rcv_saddr;
}

/* Bound, and with a file; what comes before it is a stack's port, or after that, is not kept. */
static struct file *open_socket(struct net *net, u8 protocol, u16 number)
{
	struct socket *sock = create(net, protocol);
	struct file *file;
	int err;

	if (IS_ERR(sock))
		return ERR_CAST(sock);
	WRITE_ONCE(sock->sk->sk_rcvbuf, SOCK_MIN_RCVBUF);
	/* frees the socket where it fails */
	file = sock_alloc_file(sock, 0, NULL);
	if (IS_ERR(file))
		return file;
	err = bind_to(sock, number);
	if (!err && !is_as_told(sock->sk, number))
		err = -EOPNOTSUPP;
	if (!err)
		return file;
	fput(file);
	return ERR_PTR(err);
}

static struct file *open_in(struct vif *vif, u8 protocol, u16 number)
{
	struct net *net = NULL;
	struct file *file;

	mutex_lock(vif_tree_lock(vif));
	if (!vif->dead)
		net = maybe_get_net(vif_net_of_vif(vif)->net);
	mutex_unlock(vif_tree_lock(vif));
	if (!net)
		return ERR_PTR(-ENOTCONN);
	file = open_socket(net, protocol, number);
	put_net(net);
	return file;
}

static int explain(struct vif *vif, u8 protocol, u16 number, int err)
{
	struct vif_net *vn = vif_net_of_vif(vif);

	switch (err) {
	case -ENOTCONN:
		return vif_fail(vn, err, "ports: the VIF has no stack: write a device to its file stack first");
	case -EEXIST:
	case -EADDRINUSE:
		return vif_fail(vn, -EADDRINUSE, "ports: %s port %u is in use", name_of(protocol), number);
	case -EOPNOTSUPP:
		return vif_fail(vn, err,
				"ports: a program of the control group binds %s port %u otherwise",
				name_of(protocol), number);
	case -EACCES:
		return vif_fail(vn, err, "ports: %s port %u takes CAP_NET_BIND_SERVICE there",
				name_of(protocol), number);
	default:
		return err;
	}
}

/* Who is attached elsewhere, or limited by his group, is not so by way of a stack. */
static int check_writer(struct vif *vif)
{
	bool belongs;

	rcu_read_lock();
	belongs = vif_resolve_has_current(vif);
	rcu_read_unlock();
	if (belongs || vif_access_admin(vif_net_of_vif(vif)))
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EPERM,
			"ports: what the writer himself sends belongs to a VIF that this one is not below");
}

static int add(struct vif *vif, struct file *file)
{
	struct socket *sock = file->private_data;
	const struct vif_target target = { .kind = VIF_SOCKET, .sk = sock->sk };
	struct vif_port *port;
	int err;

	port = kzalloc(sizeof(*port), VIF_GFP);
	if (!port)
		return -ENOMEM;
	port->sk = sock->sk;
	port->file = file;
	err = vif_target_attach(vif, &target);
	if (!err)
		err = vif_stack_add_port(vif, port);
	if (err)
		kfree(port);
	return err;
}

int vif_stack_bind(struct vif *vif, u8 protocol, u16 number)
{
	struct file *file;
	int err;

	err = check_writer(vif);
	if (err)
		return err;
	if (!READ_ONCE(vif->stack))
		return explain(vif, protocol, number, -ENOTCONN);
	file = open_in(vif, protocol, number);
	if (IS_ERR(file))
		return explain(vif, protocol, number, PTR_ERR(file));
	err = add(vif, file);
	if (err)
		fput(file);
	return explain(vif, protocol, number, err);
}
