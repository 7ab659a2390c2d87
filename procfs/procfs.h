/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file system "netnice": the tree of VIFs as a tree of directories.
 *
 * lookup and readdir serve it: this code is not notified when a VIF is created or removed. Dentries
 * and inodes of VIFs stay cached until memory is reclaimed, and do not keep their VIF. Others exist
 * while they are used. d_revalidate hides dentries whose object is gone. internal.h has everything
 * that the files share; each file needs only those before it:
 *
 *	path.c		the path of a VIF as text
 *	inode.c		what an inode of ours is; owners and modes of VIFs
 *	dir.c		directories: lookup and readdir of all of them
 *	alias.c		names under which ln has just created a link
 *	link.c		/tasks/PID/DEVICE: symbolic links that are attachments
 *	target.c	directories of objects that can be attached; creating and removing links
 *	cgroups.c	/cgroups
 *	values.c	files of a VIF with a value that is not a parameter: autoremove, stat
 *	programs.c	the file "program" of a VIF
 *	sockinfo.c	a socket as text
 *	relays.c	/tasks/PID/sockets/FD/relay and relay_program
 *	sockets.c	/tasks/PID/sockets
 *	tasks.c		/tasks, /tasks/PID and /tasks/PID/threads
 *	members.c	files that list attachments: tasks, sockets
 *	files.c		the table of a VIF's files; open, read, write
 *	vif_dir.c	the directory of a VIF: mkdir, rmdir, mv
 *	top.c		/: a directory for each device; /devices, /last_error
 *	super.c		mounting; superblocks and their namespaces
 *
 * Start with struct nnfs_kind in internal.h, then dir.c and top.c.
 *
 * Locks: the VFS takes an inode's lock, then functions of vif/ take the tree mutex. The only lock
 * of this folder is the spinlock of aliases.
 */
#ifndef NETNICE_PROCFS_PROCFS_H
#define NETNICE_PROCFS_PROCFS_H

/**
 * nnfs_init() - create the mount point and register the file system
 *
 * All parts of vif/ that it uses are initialized before.
 * Return: 0 or an errno.
 */
int nnfs_init(void);

/**
 * nnfs_exit() - undo nnfs_init()
 *
 * No file system is mounted, because mounts hold the module.
 */
void nnfs_exit(void);

#endif
