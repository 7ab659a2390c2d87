/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-level stacks: a device of a user's own network namespace shares the addresses of a VIF's
 * namespace, by ports.
 */
#ifndef NETNICE_VIF_STACK_H
#define NETNICE_VIF_STACK_H

#include <linux/types.h>

struct net_device;
struct seq_file;
struct vif;
struct vif_port;

/**
 * vif_stack_begin() - give a VIF a stack
 * @vif: the VIF
 * @name: name of the stack's device, in the running task's network namespace
 *
 * Context: process; takes RTNL and the tree mutex. Sets last_error if it fails.
 * Return: 0, -ENODEV no such device, -EPERM its namespace is not the caller's, -EOPNOTSUPP it is
 *	neither tap, tun nor veth, or the VIF's device is a VRF, -EINVAL it is the VIF's own device,
 *	or its namespace could keep the VIF's, -EBUSY the device or the VIF has a stack, -ENOENT the
 *	VIF is gone, -ENOMEM, or an error of registering the hooks.
 */
int vif_stack_begin(struct vif *vif, const char *name);

/* Remove the stack of a VIF, if it has one. Context: process; takes the tree mutex. */
void vif_stack_end(struct vif *vif);

/* Do the same when the VIF leaves its tree. Context: caller holds the tree mutex. */
void __vif_stack_leave(struct vif *vif);

/*
 * Remove the stack of a device that is unregistered. Context: RTNL, without the tree mutex of any
 * namespace.
 */
void vif_stack_device_gone(struct net_device *dev);

/**
 * vif_stack_add_port() - the stack of a VIF gets a port
 * @vif: the VIF
 * @port: the port, which is the stack's then
 *
 * Context: process; takes the tree mutex.
 * Return: 0, -ENOTCONN the VIF has no stack, -EEXIST, -ENOMEM.
 */
int vif_stack_add_port(struct vif *vif, struct vif_port *port);

/*
 * Remove a port, which is free a grace period later. Return 0, or -ENOENT: the stack does not have
 * it. Context: as above.
 */
int vif_stack_del_port(struct vif *vif, u8 protocol, u16 number);

/* Print the ports, and the numbers of refused packets. Context: process; takes the tree mutex. */
void vif_stack_show_ports(struct seq_file *seq, struct vif *vif);
void vif_stack_show_refused(struct seq_file *seq, struct vif *vif);

/* Return the name of the stack's device, or NULL. Context: caller holds the tree mutex. */
const char *__vif_stack_device(const struct vif *vif);

int vif_stack_init(void);

/* Wait for the work that has removed the last stack. */
void vif_stack_exit(void);

#endif
