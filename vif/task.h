/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attachments of processes: which VIF, on each device, a process's traffic
 * passes through. Inherited at fork, kept over exec, ended with the process.
 */
#ifndef NETNICE_VIF_TASK_H
#define NETNICE_VIF_TASK_H

#include <linux/pid.h>
#include <linux/types.h>

struct pid_namespace;
struct vif;
struct vif_net;

/**
 * vif_task_attach() - attach a process to a VIF
 * @vif: the VIF; replaces at once what the process had on the same device
 * @pid: the process (its thread group leader's, or any of its threads)
 *
 * All threads and the sockets that the process has open now are covered.
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: 0, -ESRCH the process has gone, -ENOENT the VIF has gone, -EINVAL
 *	a kernel thread, -ENOMEM, or what registering the hooks said.
 */
int vif_task_attach(struct vif *vif, struct pid *pid);

/**
 * vif_task_detach() - detach a process
 * @vif: the VIF it is attached to
 * @pid: the process
 *
 * Context: process; takes the tree mutex.
 * Return: 0, -ENOENT it is not attached there.
 */
int vif_task_detach(struct vif *vif, struct pid *pid);

/**
 * vif_task_vif() - what a process is attached to on the nth of its devices
 * @vn: only devices of this namespace count
 * @pid: the process
 * @index: from 0
 *
 * Context: process; takes the tree mutex.
 * Return: the VIF, referenced, or NULL where there is none.
 */
struct vif *vif_task_vif(struct vif_net *vn, struct pid *pid,
			 unsigned int index);

/**
 * vif_task_next() - walk the processes with an attachment
 * @vn: only devices of this namespace count
 * @vif: only processes attached to this VIF; NULL for any
 * @ns: only processes that this namespace sees
 * @nr: in: the last process number seen, 0 for the first;
 *	out: the number found
 *
 * Walks in the order of numbers in @ns.
 * Context: process; takes the tree mutex.
 * Return: true if there was one.
 */
bool vif_task_next(struct vif_net *vn, struct vif *vif,
		   struct pid_namespace *ns, pid_t *nr);

int vif_task_init(void);
void vif_task_exit(void);

#endif
