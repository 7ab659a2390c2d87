/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Socket records: which attached task used a socket last, and what the socket
 * itself is attached to. They label what is sent and received while that task is
 * not running.
 *
 * A record is found by the socket's cookie, so no pointer of ours stays in a
 * socket. Cookies that we give are taken from a range of their own and are never
 * used again.
 */
#ifndef NETNICE_VIF_SOCK_H
#define NETNICE_VIF_SOCK_H

#include <linux/hash.h>
#include <linux/types.h>
#include <net/mptcp.h>
#include <net/sock.h>

#include "../tree/vif.h"
#include "cgroup.h"

struct cred;
struct vif_subject;
struct vif_subject_id;

int vif_sock_init(void);

/* Ends all records. Context: process; no packet or event can come any more. */
void vif_sock_exit(void);

/*
 * Is there any record, in whatever namespace? All that others learn of that is that
 * somebody is attached somewhere, and the packets of their devices that have VIFs look
 * for a record then. It is written with the first record and the last one only: others
 * that come and go leave the cache lines of packets alone.
 */
extern bool vif_sock_some;

static inline bool vif_sock_any(void)
{
	return READ_ONCE(vif_sock_some);
}

/*
 * Is a full socket surely nobody's? All records are found by a cookie, but a
 * subflow of MPTCP is that of another socket.
 */
static inline bool vif_sock_is_unknown(const struct sock *sk)
{
	return !atomic64_read(&sk->sk_cookie) && !vif_cgroup_any() &&
	       !(sk_is_tcp(sk) && sk_is_mptcp(sk));
}

/**
 * struct vif_sock_trail - what packets leave in a socket's record
 * @by: numbers of the VIFs that they go by, 0 as long as none has
 * @used: looked up since it was last passed over
 */
struct vif_sock_trail {
	u64 by[VIF_DIRS];
	bool used;
};

/**
 * struct vif_sock_owners - whose a socket is; each may be NULL
 * @self: its own entry, or that of the socket which has accepted it
 * @task: entry of the thread or process that used it last
 * @cgroup: its control group, if any group is attached to anything
 * @known: there is a record of it, or of its listener
 * @trail: that of its own record
 */
struct vif_sock_owners {
	struct vif_subject *self;
	struct vif_subject *task;
	struct cgroup *cgroup;
	bool known;
	struct vif_sock_trail *trail;
};

/**
 * vif_sock_owners() - whose a socket is
 * @sk: a full, request or timewait socket; a request, and a connection that
 *	nobody has used yet, is its listener's
 * @owners: result
 *
 * Context: inside RCU.
 * Return: valid inside RCU.
 */
void vif_sock_owners(struct sock *sk, struct vif_sock_owners *owners);

/* The same, by a cookie; only records are asked. */
void vif_sock_owners_of(u64 cookie, struct vif_sock_owners *owners);

static inline void vif_sock_trail_use(struct vif_sock_trail *trail)
{
	if (!READ_ONCE(trail->used))
		WRITE_ONCE(trail->used, true);
}

/* Was that the VIF so far? Then its record is in use. Inside RCU. */
static inline bool vif_sock_went_by(struct vif_sock_trail *trail,
				    const struct vif *vif, enum vif_dir dir)
{
	if (READ_ONCE(trail->by[dir]) != vif->ino)
		return false;
	vif_sock_trail_use(trail);
	return true;
}

/**
 * vif_sock_goes_by() - note the VIF that a socket's packets go by
 * @trail: from vif_sock_owners()
 * @vif: the VIF
 * @dir: direction
 *
 * Context: packet, inside RCU.
 * Return: where they have gone by so far, if that was another VIF, referenced;
 *	otherwise NULL.
 */
struct vif *vif_sock_goes_by(struct vif_sock_trail *trail, const struct vif *vif,
			     enum vif_dir dir);

/*
 * A tag that other sockets of its time are unlikely to have, not 0. One that comes after
 * may have it: what it moves along is then what a socket that has gone left behind.
 */
static inline u32 vif_sock_tag(const struct sock *sk)
{
	return hash_ptr(sk, 32) | 1;
}

/**
 * vif_sock_keep() - have a record for vif_sock_owners_of() for some minutes
 * @sk: a full socket
 *
 * Sockets that only their control group is attached of have none.
 * Context: packet, inside RCU.
 */
void vif_sock_keep(struct sock *sk);

/**
 * vif_sock_mark_request() - a listener answers a connection request
 * @sk: the request socket
 *
 * The socket that comes of it is the listener's owners', until another task uses
 * it. Costs the request nothing but its cookie.
 * Context: packet, inside RCU.
 */
void vif_sock_mark_request(struct sock *sk);

/**
 * vif_sock_used_by() - a task uses a socket
 * @sk: a full socket
 * @task: entry of the thread or process, NULL for one that is not attached
 * @user: its credentials: who pays for the record
 *
 * Context: packet or process, inside RCU.
 */
void vif_sock_used_by(struct sock *sk, struct vif_subject *task,
		      const struct cred *user);

/**
 * vif_sock_sent_by() - a task sends by a socket: vif_sock_used_by(), vif_sock_owners()
 * @sk: a full socket
 * @task: entry of the running thread or process, NULL for one that is not attached
 * @owners: result
 *
 * Context: packet, inside RCU.
 */
void vif_sock_sent_by(struct sock *sk, struct vif_subject *task,
		      struct vif_sock_owners *owners);

/**
 * vif_sock_state() - a TCP socket changes its state
 * @sk: the socket, still in the state
 * @oldstate: in this one
 * @newstate: to
 *
 * Context: as a tracepoint's probe.
 */
void vif_sock_state(const struct sock *sk, int oldstate, int newstate);

/* Name a socket, which the caller holds as long as he uses @id. */
void vif_sock_id(struct sock *sk, struct vif_subject_id *id);

/**
 * vif_sock_prepare() - a socket is about to get an attachment of its own
 * @sk: the socket
 *
 * Context: process.
 * Return: 0, -ENOMEM: there would be no record to find it by.
 */
int vif_sock_prepare(struct sock *sk);

/* It has got one. Context: process. */
void vif_sock_attached(struct sock *sk);

/**
 * vif_sock_cookie() - a number that no other socket has or will have
 * @sk: a full socket
 */
u64 vif_sock_cookie(struct sock *sk);

/* The place of a socket among others: its cookie, as a positive number. */
s64 vif_sock_order(struct sock *sk);

/**
 * vif_sock_next() - walk the sockets attached to a VIF
 * @vif: the VIF
 * @order: vif_sock_order() of the last one, 0 for the first
 *
 * Context: process, may sleep.
 * Return: the next one, referenced, or NULL.
 */
struct sock *vif_sock_next(const struct vif *vif, s64 order);

#endif
