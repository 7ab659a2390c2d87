/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The generic netlink family "netnice": what VIFs there are, what is attached to
 * them, and what happens to them. It is read only: changes are made in the file
 * system. Documentation/netlink/specs/netnice.yaml says the same for programs.
 *
 * All sizes are bytes on the wire, all rates bytes per second. Integers of 64 bits
 * are aligned to 4 bytes only, some machines put a *_A_*PAD attribute before
 * them. Unknown attributes are to be skipped.
 *
 * The permissions of the directories, for the opener of the socket, decide what a reader
 * sees. VIFs below a VIF that the opener may not search, or (in dumps and events) may not
 * list, are left out. For a VIF that the opener may not search, a reader gets what ls -ld
 * shows: neither parameters nor statistics nor attachments. Kernels of which
 * Documentation/interface.rst says so send events to administrators only.
 *
 * NETNICE_CMD_VIF_GET
 * -------------------
 *
 * Without NLM_F_DUMP: one VIF, by number, or by device and path. The request has
 *
 *    NETNICE_A_VIF_ID: NLA_U64, or else
 *    NETNICE_A_VIF_IFINDEX: NLA_U32, or NETNICE_A_VIF_DEVICE: NLA_NUL_STRING
 *    NETNICE_A_VIF_PATH: NLA_NUL_STRING, below the device; none or "": the root VIF
 *    NETNICE_A_VIF_STAT: NLA_FLAG, if statistics are wanted
 *
 * Both IFINDEX and DEVICE: they have to agree. Errors: ENOENT there is no such VIF
 * for the caller, ENODEV no such device, EINVAL.
 *
 * With NLM_F_DUMP: all VIFs of the namespace of the socket, device by device, each
 * before those below it. All attributes of the request are optional:
 *
 *    NETNICE_A_VIF_IFINDEX, NETNICE_A_VIF_DEVICE: only this device
 *    NETNICE_A_VIF_PATH: only this VIF, and all below it; needs one of those
 *    NETNICE_A_VIF_ID: the same by number; instead of these
 *    NETNICE_A_VIF_STAT: with statistics
 *
 * A dump during which something was changed is marked NLM_F_DUMP_INTR; whatever
 * has stayed where it was is there once in any case.
 *
 * The answer is a message for each VIF:
 *
 *    NETNICE_A_VIF_IFINDEX: NLA_U32
 *    NETNICE_A_VIF_DEVICE: NLA_NUL_STRING
 *    NETNICE_A_VIF_PATH: NLA_NUL_STRING, "" for the root VIF
 *    NETNICE_A_VIF_ID: NLA_U64, never used for another one; the inode number of
 *                      its directory
 *    NETNICE_A_VIF_PARENT_ID: NLA_U64, of the VIF above; not in a root VIF
 *    NETNICE_A_VIF_UID: NLA_U32, as the opener's user namespace has it
 *    NETNICE_A_VIF_GID: NLA_U32
 *    NETNICE_A_VIF_MODE: NLA_U32, permission bits
 *    NETNICE_A_VIF_AUTOREMOVE: NLA_U32, 0 or 1
 *    NETNICE_A_VIF_EGRESS: NLA_NESTED, what is sent
 *        NETNICE_A_DIR_BANDWIDTH: NLA_U64, none: max
 *        NETNICE_A_DIR_MINIMUM: NLA_U64, none: none
 *        NETNICE_A_DIR_BURST_BYTES: NLA_U64 }
 *        NETNICE_A_DIR_BURST_NS: NLA_U64    } one of them, none: auto
 *        NETNICE_A_DIR_WEIGHT: NLA_U32
 *        NETNICE_A_DIR_PRIORITY: NLA_U32
 *        NETNICE_A_DIR_LOCAL_WEIGHT: NLA_U32
 *        NETNICE_A_DIR_LOCAL_PRIORITY: NLA_U32
 *        NETNICE_A_DIR_LIMIT_BYTES: NLA_U32   }
 *        NETNICE_A_DIR_LIMIT_PACKETS: NLA_U32 } one of them, none: auto
 *        NETNICE_A_DIR_LIMIT_MAX: NLA_FLAG    }
 *        NETNICE_A_DIR_AQM: NLA_U32, enum netnice_aqm
 *        NETNICE_A_DIR_AQM_TARGET_US: NLA_U32   } those that were set
 *        NETNICE_A_DIR_AQM_INTERVAL_US: NLA_U32 }
 *        NETNICE_A_DIR_AQM_NO_ACK_FILTER: NLA_FLAG, acknowledgements that later ones
 *            cover are kept
 *        NETNICE_A_DIR_FAIR: NLA_U32, enum netnice_fair, none: NETNICE_FAIR_FLOW
 *        NETNICE_A_DIR_OVERHEAD: NLA_S32 }
 *        NETNICE_A_DIR_MPU: NLA_U32      } of a device's link layer, those that were
 *        NETNICE_A_DIR_FRAMING: NLA_U32  } set; enum netnice_framing
 *        NETNICE_A_DIR_CLASS: NLA_U32, none: none
 *        NETNICE_A_DIR_GROUP: NLA_U32, none: none
 *        NETNICE_A_DIR_PROGRAM: NLA_U32, instructions of its program; none: none
 *        NETNICE_A_DIR_PROGRAM_UID: NLA_U32, of whose packets it is asked; none: of all
 *        NETNICE_A_DIR_DSCP: NLA_U32, that is written to packets, none: none is; this and
 *                            what follows in egress only
 *        NETNICE_A_DIR_DSCP_FORCE: NLA_FLAG, VIFs below have no say
 *        NETNICE_A_DIR_MARK: NLA_U32, what the bits of MASK become, none: 0
 *        NETNICE_A_DIR_MARK_MASK: NLA_U32, bits of packets' mark that are set, none: none
 *        NETNICE_A_DIR_MARK_FORCE: NLA_FLAG
 *        NETNICE_A_DIR_SKB_PRIORITY: NLA_U32, that packets get in the kernel, none: none
 *        NETNICE_A_DIR_SKB_PRIORITY_FORCE: NLA_FLAG
 *        NETNICE_A_DIR_QUOTA_BYTES: NLA_U64, bytes that may pass in all, none: 0
 *        NETNICE_A_DIR_QUOTA_LEFT: NLA_U64, of these, bytes that yet may, none: 0
 *        NETNICE_A_DIR_QUOTA_THEN: NLA_U64, bytes per second when none is left, or all
 *            ones: nothing passes; none: there is no quota
 *        NETNICE_A_DIR_STAT: NLA_NESTED, if it was asked for
 *            NETNICE_A_STAT_*: NLA_U64, as in the file "stat", times in ns
 *            NETNICE_A_STAT_SOJOURN_HISTOGRAM: NLA_BINARY, array of __u64: packets
 *                by how long they waited, in ticks of 1024 ns. Bucket b is of
 *                b ticks if b < 4, otherwise of those from
 *                (4 + b % 4) << (b / 4 - 1) to (5 + b % 4) << (b / 4 - 1), the latter
 *                not included. Ends with the last that is not 0; none: there is no
 *                attribute.
 *    NETNICE_A_VIF_INGRESS: NLA_NESTED, what is received; the same
 *    NETNICE_A_VIF_STACK: NLA_NUL_STRING, device of its user-level stack, if it has one
 *
 * NETNICE_CMD_ATTACHMENT_GET
 * --------------------------
 *
 * With NLM_F_DUMP all attributes of the request are optional:
 *
 *    NETNICE_A_ATTACHMENT_IFINDEX, NETNICE_A_ATTACHMENT_DEVICE: only to VIFs of
 *        this device
 *    NETNICE_A_ATTACHMENT_PATH: only to this VIF, and all below it; needs one of those
 *    NETNICE_A_ATTACHMENT_VIF_ID: the same by number; instead of these
 *
 * The answer has a message for each VIF that something is attached to:
 *
 *    NETNICE_A_ATTACHMENT_VIF_ID: NLA_U64
 *    NETNICE_A_ATTACHMENT_IFINDEX: NLA_U32
 *    NETNICE_A_ATTACHMENT_DEVICE: NLA_NUL_STRING
 *    NETNICE_A_ATTACHMENT_PATH: NLA_NUL_STRING
 *    NETNICE_A_ATTACHMENT_KIND: NLA_U32, enum netnice_kind
 *    NETNICE_A_ATTACHMENT_ORIGIN: NLA_U32, enum netnice_origin
 *    NETNICE_A_ATTACHMENT_PID: NLA_U32, process, and process of a thread, as the
 *        reader's pid namespace has it
 *    NETNICE_A_ATTACHMENT_TID: NLA_U32, thread
 *    NETNICE_A_ATTACHMENT_COMM: NLA_NUL_STRING, process or thread, if the reader may
 *        know
 *    NETNICE_A_ATTACHMENT_COOKIE: NLA_U64, socket, as sock_diag(7) has it
 *    NETNICE_A_ATTACHMENT_FAMILY: NLA_U32, socket, AF_*
 *    NETNICE_A_ATTACHMENT_TYPE: NLA_U32, socket, SOCK_*
 *    NETNICE_A_ATTACHMENT_PROTOCOL: NLA_U32, socket
 *    NETNICE_A_ATTACHMENT_CGROUP_ID: NLA_U64, control group
 *    NETNICE_A_ATTACHMENT_CGROUP: NLA_NUL_STRING, its path below the reader's
 *        cgroup namespace's root, which is "/"
 *    NETNICE_A_ATTACHMENT_FROM_IFINDEX: NLA_U32, incoming device
 *    NETNICE_A_ATTACHMENT_FROM_DEVICE: NLA_NUL_STRING, its name
 *    NETNICE_A_ATTACHMENT_PORT: NLA_U32, socket that is a port of the VIF's user-level
 *        stack
 *
 * A process is attached to two VIFs of a device if an administrator has attached it
 * to one and its owner to another one below; so is everything else.
 *
 * Without NLM_F_DUMP the request names a device, or any VIF of it, as above, and one of
 *
 *    NETNICE_A_ATTACHMENT_PID: a process
 *    NETNICE_A_ATTACHMENT_TID: a thread
 *    NETNICE_A_ATTACHMENT_COOKIE: a socket that is attached itself
 *
 * The reader needs power over a process or thread, and for a socket only its cookie. The
 * answer tells where that belongs on the device, and by whose decision. Paths are below
 * the device; the path of a VIF which the reader may not search for is missing.
 *
 *    NETNICE_A_ATTACHMENT_IFINDEX, NETNICE_A_ATTACHMENT_DEVICE: the device
 *    NETNICE_A_ATTACHMENT_KIND: NLA_U32, enum netnice_kind
 *    NETNICE_A_ATTACHMENT_ORIGIN: NLA_U32, enum netnice_origin: the role in which the
 *        reader would
 *        attach it
 *    NETNICE_A_ATTACHMENT_GIVEN: NLA_NUL_STRING, the VIF that an administrator has
 *        attached it to; none: there is none
 *    NETNICE_A_ATTACHMENT_CHOSEN: NLA_NUL_STRING, the VIF that a user has attached it to,
 *        whether or not that counts; none: there is none
 *    NETNICE_A_ATTACHMENT_PATH: the VIF that its packets go by; a socket has none, as
 *        that depends on what uses it
 *    NETNICE_A_ATTACHMENT_BASE: NLA_NUL_STRING, the VIF that they would go by if no user
 *        had attached anything; ditto
 *
 * Events
 * ------
 *
 * To those who have joined the group NETNICE_MCGRP_EVENTS, in the namespace of the
 * socket. A VIF is shown as by NETNICE_CMD_VIF_GET, without statistics; UID and GID
 * are those of the user namespace that owns the network namespace.
 *
 *    NETNICE_CMD_VIF_NEW: it has been made
 *    NETNICE_CMD_VIF_DEL: it has been removed, by whatever; IFINDEX, DEVICE, PATH,
 *        ID and PARENT_ID only. With a root VIF its device has gone, with all VIFs
 *        below, and all that was attached to them, for which no events come.
 *    NETNICE_CMD_VIF_SET: a parameter, the owner, the mode, the stack or a program has been
 *        set
 *    NETNICE_CMD_VIF_MOVE: it, with all below, has another name, or another VIF
 *        above. Also has NETNICE_A_VIF_OLD_PATH: NLA_NUL_STRING, where it was; not
 *        so a root VIF, whose device has another name.
 *    NETNICE_CMD_ATTACH: something has been attached, and is not any more to the VIF
 *        of the device that it was attached to; as NETNICE_CMD_ATTACHMENT_GET, but
 *        with PID and TID as the process's own pid namespace has them, and without
 *        COMM, CGROUP, FROM_DEVICE and PORT. None comes for what inherits.
 *    NETNICE_CMD_DETACH: it has been detached; the same. None comes for what ends, nor
 *        for the ports of a stack that ends, which NETNICE_CMD_VIF_SET tells.
 *
 * An event is sent to readers that could see the VIF with its parameters in a dump. Events
 * may be lost (ENOBUFS from recv(2)): then a dump has the current state.
 */
#ifndef _UAPI_LINUX_NETNICE_NETLINK_H
#define _UAPI_LINUX_NETNICE_NETLINK_H

#define NETNICE_FAMILY_NAME	"netnice"
#define NETNICE_FAMILY_VERSION	1

#define NETNICE_MCGRP_EVENTS	"events"

/* How packets are dropped that wait for too long. */
enum netnice_aqm {
	NETNICE_AQM_CODEL,
	NETNICE_AQM_NONE,
};

/* Which packets of a VIF take turns: flows, or hosts and within these their flows. */
enum netnice_fair {
	NETNICE_FAIR_FLOW,
	NETNICE_FAIR_DUAL_SRCHOST,
	NETNICE_FAIR_DUAL_DSTHOST,
};

/* How a link layer packs what it carries. */
enum netnice_framing {
	NETNICE_FRAMING_NONE,
	NETNICE_FRAMING_ATM,
	NETNICE_FRAMING_PTM,
};

/* What may be attached. */
enum netnice_kind {
	NETNICE_KIND_DEVICE,
	NETNICE_KIND_CGROUP,
	NETNICE_KIND_PROCESS,
	NETNICE_KIND_THREAD,
	NETNICE_KIND_SOCKET,
};

/* Who has attached it. */
enum netnice_origin {
	NETNICE_ORIGIN_ADMIN,
	NETNICE_ORIGIN_USER,
};

enum {
	NETNICE_A_VIF_IFINDEX = 1,
	NETNICE_A_VIF_DEVICE,
	NETNICE_A_VIF_PATH,
	NETNICE_A_VIF_PAD,
	NETNICE_A_VIF_ID,
	NETNICE_A_VIF_PARENT_ID,
	NETNICE_A_VIF_UID,
	NETNICE_A_VIF_GID,
	NETNICE_A_VIF_MODE,
	NETNICE_A_VIF_AUTOREMOVE,
	NETNICE_A_VIF_EGRESS,
	NETNICE_A_VIF_INGRESS,
	NETNICE_A_VIF_STAT,
	NETNICE_A_VIF_OLD_PATH,
	NETNICE_A_VIF_STACK,

	__NETNICE_A_VIF_MAX,
	NETNICE_A_VIF_MAX = (__NETNICE_A_VIF_MAX - 1)
};

enum {
	NETNICE_A_DIR_PAD = 1,
	NETNICE_A_DIR_BANDWIDTH,
	NETNICE_A_DIR_BURST_BYTES,
	NETNICE_A_DIR_BURST_NS,
	NETNICE_A_DIR_WEIGHT,
	NETNICE_A_DIR_PRIORITY,
	NETNICE_A_DIR_LOCAL_WEIGHT,
	NETNICE_A_DIR_LOCAL_PRIORITY,
	NETNICE_A_DIR_LIMIT_BYTES,
	NETNICE_A_DIR_LIMIT_PACKETS,
	NETNICE_A_DIR_LIMIT_MAX,
	NETNICE_A_DIR_AQM,
	NETNICE_A_DIR_AQM_TARGET_US,
	NETNICE_A_DIR_AQM_INTERVAL_US,
	NETNICE_A_DIR_STAT,
	NETNICE_A_DIR_MINIMUM,
	NETNICE_A_DIR_OVERHEAD,
	NETNICE_A_DIR_MPU,
	NETNICE_A_DIR_FRAMING,
	NETNICE_A_DIR_CLASS,
	NETNICE_A_DIR_PROGRAM,
	NETNICE_A_DIR_PROGRAM_UID,
	NETNICE_A_DIR_DSCP,
	NETNICE_A_DIR_DSCP_FORCE,
	NETNICE_A_DIR_MARK,
	NETNICE_A_DIR_MARK_MASK,
	NETNICE_A_DIR_MARK_FORCE,
	NETNICE_A_DIR_SKB_PRIORITY,
	NETNICE_A_DIR_SKB_PRIORITY_FORCE,
	NETNICE_A_DIR_GROUP,
	NETNICE_A_DIR_QUOTA_BYTES,
	NETNICE_A_DIR_QUOTA_LEFT,
	NETNICE_A_DIR_QUOTA_THEN,
	NETNICE_A_DIR_AQM_NO_ACK_FILTER,
	NETNICE_A_DIR_FAIR,

	__NETNICE_A_DIR_MAX,
	NETNICE_A_DIR_MAX = (__NETNICE_A_DIR_MAX - 1)
};

enum {
	NETNICE_A_STAT_PAD = 1,
	NETNICE_A_STAT_PACKETS,
	NETNICE_A_STAT_BYTES,
	NETNICE_A_STAT_DROPS,
	NETNICE_A_STAT_MARKS,
	NETNICE_A_STAT_OVERLIMITS,
	NETNICE_A_STAT_P_QUEUE_PACKETS,
	NETNICE_A_STAT_P_QUEUE_BYTES,
	NETNICE_A_STAT_D_QUEUE_PACKETS,
	NETNICE_A_STAT_D_QUEUE_BYTES,
	NETNICE_A_STAT_SOJOURN_MIN,
	NETNICE_A_STAT_SOJOURN_MEAN,
	NETNICE_A_STAT_SOJOURN_P99,
	NETNICE_A_STAT_SOJOURN_MAX,
	NETNICE_A_STAT_SOJOURN_HISTOGRAM,
	NETNICE_A_STAT_ACK_DROPS,

	__NETNICE_A_STAT_MAX,
	NETNICE_A_STAT_MAX = (__NETNICE_A_STAT_MAX - 1)
};

enum {
	NETNICE_A_ATTACHMENT_PAD = 1,
	NETNICE_A_ATTACHMENT_VIF_ID,
	NETNICE_A_ATTACHMENT_IFINDEX,
	NETNICE_A_ATTACHMENT_DEVICE,
	NETNICE_A_ATTACHMENT_PATH,
	NETNICE_A_ATTACHMENT_KIND,
	NETNICE_A_ATTACHMENT_ORIGIN,
	NETNICE_A_ATTACHMENT_PID,
	NETNICE_A_ATTACHMENT_TID,
	NETNICE_A_ATTACHMENT_COMM,
	NETNICE_A_ATTACHMENT_COOKIE,
	NETNICE_A_ATTACHMENT_FAMILY,
	NETNICE_A_ATTACHMENT_TYPE,
	NETNICE_A_ATTACHMENT_PROTOCOL,
	NETNICE_A_ATTACHMENT_CGROUP_ID,
	NETNICE_A_ATTACHMENT_CGROUP,
	NETNICE_A_ATTACHMENT_FROM_IFINDEX,
	NETNICE_A_ATTACHMENT_FROM_DEVICE,
	NETNICE_A_ATTACHMENT_PORT,
	NETNICE_A_ATTACHMENT_GIVEN,
	NETNICE_A_ATTACHMENT_CHOSEN,
	NETNICE_A_ATTACHMENT_BASE,

	__NETNICE_A_ATTACHMENT_MAX,
	NETNICE_A_ATTACHMENT_MAX = (__NETNICE_A_ATTACHMENT_MAX - 1)
};

enum {
	NETNICE_CMD_VIF_GET = 1,
	NETNICE_CMD_ATTACHMENT_GET,
	NETNICE_CMD_VIF_NEW,
	NETNICE_CMD_VIF_DEL,
	NETNICE_CMD_VIF_SET,
	NETNICE_CMD_VIF_MOVE,
	NETNICE_CMD_ATTACH,
	NETNICE_CMD_DETACH,

	__NETNICE_CMD_MAX,
	NETNICE_CMD_MAX = (__NETNICE_CMD_MAX - 1)
};

#endif
