// SPDX-License-Identifier: GPL-2.0
/*
 * The file "sockets" of a VIF lists the sockets attached to it. A position in the
 * list is the last cookie seen.
 */
#include "socklist.h"

#include <linux/fs.h>
#include <linux/seq_file.h>
#include <net/sock.h>

#include "../vif/attach/sock_cookie.h"
#include "../vif/attach/sock_self.h"
#include "../vif/tree/vif.h"
#include "files.h"
#include "sockinfo.h"

static void *start(struct seq_file *seq, loff_t *pos)
{
	struct nnfs_open *open = seq->private;
	struct vif *vif = nnfs_seq_vif(seq);

	if (READ_ONCE(vif->dead))
		return ERR_PTR(-ENODEV);
	open->sk = vif_sock_next(vif, *pos);
	return open->sk;
}

static void put(struct seq_file *seq)
{
	struct nnfs_open *open = seq->private;

	if (open->sk)
		sock_put(open->sk);
	open->sk = NULL;
}

static void *next(struct seq_file *seq, void *v, loff_t *pos)
{
	*pos = vif_sock_order(v);
	put(seq);
	return start(seq, pos);
}

static void stop(struct seq_file *seq, void *v)
{
	put(seq);
}

static int show(struct seq_file *seq, void *v)
{
	nnfs_sockinfo_line(seq, v);
	return 0;
}

const struct seq_operations nnfs_socklist_seq = {
	.start	= start,
	.next	= next,
	.stop	= stop,
	.show	= show,
};
