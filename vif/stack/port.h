/* SPDX-License-Identifier: GPL-2.0 */
/* The table of ports of user-level stacks: find the port that a packet is for. */
#ifndef NETNICE_VIF_PORT_H
#define NETNICE_VIF_PORT_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>

struct file;
struct net;
struct sk_buff;
struct sock;
struct vif_stack;

/**
 * struct vif_port_key - by what a port is found; without holes
 * @net: its socket's namespace
 * @what: protocol and number
 */
struct vif_port_key {
	const struct net *net;
	unsigned long what;
};

/**
 * struct vif_port - a port of a user-level stack: a bound socket
 * @node: in the table
 * @key: its namespace, protocol and number
 * @stack: its stack
 * @sk: the socket, which @file keeps, attached to its VIF
 * @file: its file (referenced), in no descriptor table: no process sends, receives or listens by
 *	the socket
 * @link: in the list of @stack; the tree mutex of its namespace
 * @ended: in the list of ports whose files are closed after a grace period
 *
 * It is freed a grace period after it was removed from the table.
 */
struct vif_port {
	struct rhash_head node;
	struct vif_port_key key;
	struct vif_stack *stack;
	struct sock *sk;
	struct file *file;
	struct list_head link;
	struct llist_node ended;
};

/* Return IPPROTO_TCP or IPPROTO_UDP, and the number of the port. */
static inline u8 vif_port_protocol(const struct vif_port *port)
{
	return port->key.what >> 16;
}

static inline u16 vif_port_number(const struct vif_port *port)
{
	return port->key.what;
}

/**
 * vif_port_add() - add a port to the table
 * @port: the port, with @sk and all members after it
 *
 * Context: process, may sleep.
 * Return: 0, -EEXIST it is in the table already, or an error of the table.
 */
int vif_port_add(struct vif_port *port);

/* Remove it; packets that have found it may still use it. Context: process. */
void vif_port_del(struct vif_port *port);

/**
 * vif_port_find() - find a port in the table
 * @net: the namespace
 * @protocol: IPPROTO_TCP or IPPROTO_UDP; other protocols have no ports
 * @number: number of the port
 * @family: AF_INET or AF_INET6, of the packet
 *
 * Context: caller holds rcu_read_lock().
 * Return: the port, valid as long, or NULL.
 */
struct vif_port *vif_port_find(const struct net *net, u8 protocol, __be16 number, int family);

/**
 * vif_port_of() - the port that a received packet is for, or that an ICMP error is about
 * @net: the namespace
 * @skb: the packet; a fragment is for none
 *
 * Context: caller holds rcu_read_lock().
 * Return: as vif_port_find().
 */
struct vif_port *vif_port_of(const struct net *net, const struct sk_buff *skb);

/* Functions of struct vif_stack_ops, which documents them. */
struct sock *vif_port_find_socket(const struct net *net, const struct sk_buff *skb);
bool vif_port_is(const struct sock *sk);

int vif_port_init(void);
void vif_port_exit(void);

#endif
