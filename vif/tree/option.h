/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options: parts that most machines do not use are separate modules, netnice_NAME.ko. The core
 * calls an option by the functions that it has registered here, and an option calls the functions
 * of the core that vif/exports.c lists.
 *
 * An option is loaded when it is used for the first time, by one of its files or by a limit, unless
 * the administrator has left it out of the parameter options. Each object of an option, for example
 * a relay, holds the option's module. So it can be unloaded when it has none, and netnice.ko after
 * it. Announced windows have no objects: their tables are data of the core, and can be taken away.
 */
#ifndef NETNICE_VIF_OPTION_H
#define NETNICE_VIF_OPTION_H

#include <linux/container_of.h>
#include <linux/jump_label.h>
#include <linux/types.h>

#include "../grammar/params.h"

struct dentry;
struct inode;
struct module;
struct net;
struct net_device;
struct pid;
struct seq_file;
struct sk_buff;
struct sock;
struct vif;
struct vif_dev;
struct vif_fragment;
struct vif_net;
struct vif_program;

enum vif_option_id {
	VIF_OPTION_PROGRAM,
	VIF_OPTION_RELAY,
	VIF_OPTION_STACK,
	VIF_OPTION_WINDOW,
	VIF_OPTIONS,
};

/**
 * struct vif_option - an option, as the first member of its table of functions
 * @id: which
 * @owner: its module
 */
struct vif_option {
	enum vif_option_id id;
	struct module *owner;
};

/**
 * vif_option_register() - let the core use an option; at the end of its module_init()
 * @option: the option
 *
 * Context: process.
 * Return: 0, -EPERM the administrator does not allow it, -ENOEXEC it has another version than the
 *	core.
 */
int vif_option_register(const struct vif_option *option);

/* The opposite, in its module_exit(): nothing of the core is in a function of it then. */
void vif_option_unregister(const struct vif_option *option);

/**
 * vif_option_find() - hold an option, if it is loaded
 * @id: which
 *
 * Context: any but interrupts.
 * Return: the option, for vif_option_put(), or NULL: then it has no object, either.
 */
const struct vif_option *vif_option_find(enum vif_option_id id);

/**
 * vif_option_load() - hold an option, and load it if necessary
 * @vn: the namespace whose last_error is set
 * @id: the option
 *
 * Context: process, without locks that modprobe(8) could need. Sets last_error if it fails.
 * Return: the option, for vif_option_put(), or an error pointer: -EPERM the administrator does not
 *	allow it, or the namespace is a stranger's (vif_net_admits());
 *	-EOPNOTSUPP it is not installed.
 */
const struct vif_option *vif_option_load(struct vif_net *vn, enum vif_option_id id);

/*
 * The same without last_error, for an option that a use can do without: -EPERM, or -EACCES for a
 * stranger's namespace, or -EOPNOTSUPP.
 */
const struct vif_option *vif_option_try(struct vif_net *vn, enum vif_option_id id);

/*
 * The same for a packet, without holding and without loading it: NULL if it is not loaded. Context:
 * caller holds rcu_read_lock(), as long as it is used.
 */
const struct vif_option *vif_option_rcu(enum vif_option_id id);

/* On while netnice_program is loaded: a VIF may have a program. */
DECLARE_STATIC_KEY_FALSE(vif_option_program);

/* On while netnice_stack is loaded: a packet without a socket may be for one of its ports. */
DECLARE_STATIC_KEY_FALSE(vif_option_stack);

/* NULL is none. */
void vif_option_put(const struct vif_option *option);

/**
 * struct vif_program_ops - functions of a program (vif/program/)
 * @choose: run the programs of a packet's VIF, and of the VIFs that these choose. @vif: in: the
 *	packet's VIF by classification; out: the VIF that the programs choose, at or below it,
 *	valid under rcu_read_lock(), its last reference may be gone. @fragment: the packet's
 *	vif_fragment_of(). @user: the owner of a received packet, by @owner. Returns false if a
 *	program of @vif drops the packet
 * @run: run the program for a packet, which is at its network header; no other code uses it in the
 *	meantime. Returns the program's result
 * @owner: the user that certainly owns a received packet, as a vif_program_user(), or 0; the
 *	socket that was found for it is of the namespace
 * @free: free the program, which no packet can find any more, a grace period later. Context: any
 *
 * Context: packet, BH disabled; caller holds rcu_read_lock(), under which it has found the program.
 */
struct vif_program_ops {
	bool (*choose)(struct vif **vif, enum vif_dir dir, struct sk_buff *skb,
		       struct vif_fragment fragment, u32 user);
	u32 (*run)(struct vif_program *program, struct sk_buff *skb);
	u32 (*owner)(struct net *net, const struct sk_buff *skb, const struct sock *sk);
	void (*free)(struct vif_program *program);
};

/**
 * struct vif_program_maker - programs are made
 * @option: VIF_OPTION_PROGRAM
 * @make: of the text of a VIF's file "program", without the directions; it is changed. The
 *	rights are in the text, or the running task's
 * @make_filter: of the text of a relay's file "relay_program": classic BPF, with the rights of the
 *	running task; it is changed
 *
 * Both return a program that is not in use, for vif_program_set() or vif_program_drop(), or an
 * error pointer, and set last_error.
 * Context: process, without locks.
 */
struct vif_program_maker {
	struct vif_option option;
	struct vif_program *(*make)(struct vif_net *vn, char *text);
	struct vif_program *(*make_filter)(struct vif_net *vn, char *text);
};

/**
 * struct vif_relay_info - values of a relay that are shown
 * @pid: a process that has the sending socket (referenced)
 * @fd: its descriptor there
 * @packets: datagrams that it has sent
 * @drops: datagrams that it could not send
 */
struct vif_relay_info {
	struct pid *pid;
	int fd;
	u64 packets;
	u64 drops;
};

/**
 * struct vif_relay_ops - relays (vif/relay/)
 * @option: VIF_OPTION_RELAY
 * @begin: relay from the socket of directory @dir to the one that @text leads to, seen from
 *	@dentry in it. Returns 0 or an error, and sets last_error
 * @end: end the relay of a socket. Returns 0, or -ENOENT it had none
 * @get: does a socket have a relay? If @info is not NULL, it gets the values of the relay
 * @set_program: set the program. Datagrams for which it does not return 0 stay with the process
 *	that reads from the socket. @program is not in use yet; it is the relay's or
 *	freed on return; NULL: none. Returns 0, or -ENOENT there is no relay
 * @program_text: copy the text of the program, "none" if there is none. Returns the length,
 *	as strscpy()
 *
 * Context: process, without locks but those of inodes.
 */
struct vif_relay_ops {
	struct vif_option option;
	int (*begin)(const struct inode *dir, struct dentry *dentry, const char *text);
	int (*end)(struct sock *from);
	bool (*get)(const struct sock *from, struct vif_relay_info *info);
	int (*set_program)(struct sock *from, struct vif_program *program);
	ssize_t (*program_text)(const struct sock *from, char *buf, size_t size);
};

/**
 * struct vif_stack_ops - user-level stacks (vif/stack/)
 * @option: VIF_OPTION_STACK
 * @set: give a VIF a stack, by the name of a device of the running task's network namespace, or
 *	take its stack by "none". Returns 0 or an error, and sets last_error
 * @set_port: open or close a port, by text that was written to the file "ports"; @here: the opener
 *	was in the network namespace of the VIF. Returns the same
 * @show_ports: print the ports
 * @show_refused: print how many of the stack's frames were refused
 * @device: the name of its device, or NULL; caller holds the tree mutex
 * @leave: the VIF leaves its tree; caller holds the tree mutex
 * @device_gone: a device is unregistered; under RTNL, without a tree mutex
 * @find_socket: the socket of the port that a received packet is for, or that an ICMP error is
 *	about, or NULL; caller holds rcu_read_lock() while it uses the socket
 * @is_port: does a socket belong to a port?
 *
 * Context: process, unless a line says something else. A VIF without a stack has no ports, and its
 * @leave has no effect.
 */
struct vif_stack_ops {
	struct vif_option option;
	int (*set)(struct vif *vif, const char *name);
	int (*set_port)(struct vif *vif, const char *text, bool here);
	void (*show_ports)(struct seq_file *seq, struct vif *vif);
	void (*show_refused)(struct seq_file *seq, struct vif *vif);
	const char *(*device)(const struct vif *vif);
	void (*leave)(struct vif *vif);
	void (*device_gone)(struct net_device *dev);
	struct sock *(*find_socket)(const struct net *net, const struct sk_buff *skb);
	bool (*is_port)(const struct sock *sk);
};

/**
 * struct vif_window_ops - announced windows (vif/window/)
 * @option: VIF_OPTION_WINDOW
 * @limit: a device has a limit for received packets: give its ingress shaper a table, unless it has
 *	one; process context, caller holds the tree mutex
 * @announce: lower the window that a packet announces. @vif: the packet's VIF, or the VIF that its
 *	program says, on a device whose ingress shaper has a table; @sk: its
 *	vif_classify_sender(); @skb: its header may be written to. Context: packet, BH disabled,
 *	caller holds rcu_read_lock()
 */
struct vif_window_ops {
	struct vif_option option;
	void (*limit)(struct vif_dev *vdev);
	void (*announce)(struct vif *vif, const struct sock *sk, struct sk_buff *skb);
};

static inline const struct vif_window_ops *vif_window_ops_of(const struct vif_option *option)
{
	return container_of(option, const struct vif_window_ops, option);
}

static inline const struct vif_program_maker *
vif_program_maker_of(const struct vif_option *option)
{
	return container_of(option, const struct vif_program_maker, option);
}

static inline const struct vif_stack_ops *vif_stack_ops_of(const struct vif_option *option)
{
	return container_of(option, const struct vif_stack_ops, option);
}

static inline const struct vif_relay_ops *vif_relay_ops_of(const struct vif_option *option)
{
	return container_of(option, const struct vif_relay_ops, option);
}

#endif
