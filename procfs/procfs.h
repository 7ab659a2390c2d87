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
 *	alias.c		names under which ln has just made a link
 *	link.c		/tasks/PID/DEVICE: symbolic links that are attachments
 *	target.c	directories of what can be attached; making and removing links
 *	cgroups.c	/cgroups
 *	values.c	files of a VIF with a value that is no parameter: autoremove, stat
 *	programs.c	the file "program" of a VIF
 *	sockinfo.c	what a socket is, as text
 *	relays.c	/tasks/PID/sockets/FD/relay and relay_program
 *	sockets.c	/tasks/PID/sockets
 *	tasks.c		/tasks, /tasks/PID and /tasks/PID/threads
 *	members.c	files that list, and attach: tasks, sockets
 *	files.c		the table of these files; open, read, write
 *	vif_dir.c	the directory of a VIF: mkdir, rmdir, mv
 *	top.c		/: a directory for each device; /devices, /last_error
 *	super.c		mounting; what a superblock is keyed by
 *
 * To begin with, read struct nnfs_kind in internal.h, then dir.c and top.c.
 *
 * Locks: an inode's lock, which the VFS takes, then struct vif_net's, which
 * the functions of vif/ take. None of our own, but the aliases' spinlock.
 */
#ifndef NETNICE_PROCFS_PROCFS_H
#define NETNICE_PROCFS_PROCFS_H

/**
 * nnfs_init() - make the mount point and register the file system
 *
 * Everything of vif/ has to be there already.
 * Return: 0 or an errno.
 */
int nnfs_init(void);

/**
 * nnfs_exit() - the end of nnfs_init()
 *
 * Mounts hold the module, so that there are none.
 */
void nnfs_exit(void);

#endif
