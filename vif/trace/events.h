/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's tracepoints. Documentation/tracing.rst describes them for users. A VIF is identified
 * by the inode number of its directory.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM netnice

#if !defined(NETNICE_VIF_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define NETNICE_VIF_EVENTS_H

#include <linux/netdevice.h>
#include <linux/netnice_netlink.h>
#include <linux/skbuff.h>
#include <linux/tracepoint.h>

#include "drop.h"

TRACE_DEFINE_ENUM(VIF_DROP_OVERLIMIT);
TRACE_DEFINE_ENUM(VIF_DROP_CODEL);
TRACE_DEFINE_ENUM(VIF_DROP_NOMEM);
TRACE_DEFINE_ENUM(VIF_DROP_SEGMENT);
TRACE_DEFINE_ENUM(VIF_DROP_CLOSED);
TRACE_DEFINE_ENUM(VIF_DROP_PROGRAM);
TRACE_DEFINE_ENUM(VIF_DROP_EXPIRED);
TRACE_DEFINE_ENUM(VIF_DROP_ACK);
TRACE_DEFINE_ENUM(NETNICE_KIND_DEVICE);
TRACE_DEFINE_ENUM(NETNICE_KIND_CGROUP);
TRACE_DEFINE_ENUM(NETNICE_KIND_PROCESS);
TRACE_DEFINE_ENUM(NETNICE_KIND_THREAD);
TRACE_DEFINE_ENUM(NETNICE_KIND_SOCKET);

#define show_vif_drop(why) __print_symbolic(why,		\
	{ VIF_DROP_OVERLIMIT,	"overlimit" },			\
	{ VIF_DROP_CODEL,	"codel" },			\
	{ VIF_DROP_NOMEM,	"nomem" },			\
	{ VIF_DROP_SEGMENT,	"segment" },			\
	{ VIF_DROP_CLOSED,	"closed" },		\
	{ VIF_DROP_PROGRAM,	"program" },		\
	{ VIF_DROP_EXPIRED,	"expired" },		\
	{ VIF_DROP_ACK,		"ack" })

#define show_vif_kind(kind) __print_symbolic(kind,		\
	{ NETNICE_KIND_DEVICE,	"device" },			\
	{ NETNICE_KIND_CGROUP,	"cgroup" },			\
	{ NETNICE_KIND_PROCESS,	"process" },			\
	{ NETNICE_KIND_THREAD,	"thread" },			\
	{ NETNICE_KIND_SOCKET,	"socket" })

#define show_vif_dir(dir) ((dir) ? "ingress" : "egress")

/* A packet begins to wait. The last two fields: the bytes and packets that wait in the VIF then. */
TRACE_EVENT(netnice_enqueue,
	TP_PROTO(const struct sk_buff *skb, u64 vif, u8 dir, u32 bytes, u32 packets,
		 u64 backlog_bytes, u64 backlog_packets),
	TP_ARGS(skb, vif, dir, bytes, packets, backlog_bytes, backlog_packets),
	TP_STRUCT__entry(
		__field(const void *, skbaddr)
		__field(u64, vif)
		__field(u64, backlog_bytes)
		__field(u64, backlog_packets)
		__field(u32, bytes)
		__field(u32, packets)
		__array(char, dev, IFNAMSIZ)
		__field(u8, dir)
	),
	TP_fast_assign(
		__entry->skbaddr = skb;
		__entry->vif = vif;
		__entry->backlog_bytes = backlog_bytes;
		__entry->backlog_packets = backlog_packets;
		__entry->bytes = bytes;
		__entry->packets = packets;
		strscpy(__entry->dev, skb->dev->name, IFNAMSIZ);
		__entry->dir = dir;
	),
	TP_printk("dev=%s dir=%s vif=%llu skbaddr=%p bytes=%u packets=%u backlog_bytes=%llu backlog_packets=%llu",
		  __entry->dev, show_vif_dir(__entry->dir), __entry->vif, __entry->skbaddr,
		  __entry->bytes, __entry->packets, __entry->backlog_bytes,
		  __entry->backlog_packets)
);

/* A packet that has waited continues. */
TRACE_EVENT(netnice_dequeue,
	TP_PROTO(const struct sk_buff *skb, u64 vif, u8 dir, u32 bytes, u32 packets,
		 u64 wait_ns),
	TP_ARGS(skb, vif, dir, bytes, packets, wait_ns),
	TP_STRUCT__entry(
		__field(const void *, skbaddr)
		__field(u64, vif)
		__field(u64, wait_ns)
		__field(u32, bytes)
		__field(u32, packets)
		__array(char, dev, IFNAMSIZ)
		__field(u8, dir)
	),
	TP_fast_assign(
		__entry->skbaddr = skb;
		__entry->vif = vif;
		__entry->wait_ns = wait_ns;
		__entry->bytes = bytes;
		__entry->packets = packets;
		strscpy(__entry->dev, skb->dev->name, IFNAMSIZ);
		__entry->dir = dir;
	),
	TP_printk("dev=%s dir=%s vif=%llu skbaddr=%p bytes=%u packets=%u wait_ns=%llu",
		  __entry->dev, show_vif_dir(__entry->dir), __entry->vif, __entry->skbaddr,
		  __entry->bytes, __entry->packets, __entry->wait_ns)
);

/* A packet is dropped, instead of waiting or after it has waited. */
TRACE_EVENT(netnice_drop,
	TP_PROTO(const struct sk_buff *skb, const struct net_device *dev, u64 vif, u8 dir,
		 u32 bytes, u32 packets, enum vif_drop why),
	TP_ARGS(skb, dev, vif, dir, bytes, packets, why),
	TP_STRUCT__entry(
		__field(const void *, skbaddr)
		__field(u64, vif)
		__field(u32, bytes)
		__field(u32, packets)
		__array(char, dev, IFNAMSIZ)
		__field(u8, dir)
		__field(u8, reason)
	),
	TP_fast_assign(
		__entry->skbaddr = skb;
		__entry->vif = vif;
		__entry->bytes = bytes;
		__entry->packets = packets;
		strscpy(__entry->dev, dev->name, IFNAMSIZ);
		__entry->dir = dir;
		__entry->reason = why;
	),
	TP_printk("dev=%s dir=%s vif=%llu skbaddr=%p bytes=%u packets=%u reason=%s",
		  __entry->dev, show_vif_dir(__entry->dir), __entry->vif, __entry->skbaddr,
		  __entry->bytes, __entry->packets, show_vif_drop(__entry->reason))
);

/* The VIF of a packet has been looked up. */
TRACE_EVENT(netnice_classify,
	TP_PROTO(const struct sk_buff *skb, u64 vif, u8 dir),
	TP_ARGS(skb, vif, dir),
	TP_STRUCT__entry(
		__field(const void *, skbaddr)
		__field(u64, vif)
		__field(u32, len)
		__array(char, dev, IFNAMSIZ)
		__field(u8, dir)
	),
	TP_fast_assign(
		__entry->skbaddr = skb;
		__entry->vif = vif;
		__entry->len = skb->len;
		strscpy(__entry->dev, skb->dev->name, IFNAMSIZ);
		__entry->dir = dir;
	),
	TP_printk("dev=%s dir=%s vif=%llu skbaddr=%p len=%u", __entry->dev,
		  show_vif_dir(__entry->dir), __entry->vif, __entry->skbaddr, __entry->len)
);

/* Something is attached to a VIF, or detached from it. @pid: as its own namespace has it. */
TRACE_EVENT(netnice_attach,
	TP_PROTO(const struct net_device *dev, u64 vif, bool attached, unsigned int kind,
		 int pid, u64 number),
	TP_ARGS(dev, vif, attached, kind, pid, number),
	TP_STRUCT__entry(
		__field(u64, vif)
		__field(u64, number)
		__field(int, pid)
		__array(char, dev, IFNAMSIZ)
		__field(u8, kind)
		__field(bool, attached)
	),
	TP_fast_assign(
		__entry->vif = vif;
		__entry->number = number;
		__entry->pid = pid;
		strscpy(__entry->dev, dev ? dev->name : "", IFNAMSIZ);
		__entry->kind = kind;
		__entry->attached = attached;
	),
	TP_printk("dev=%s vif=%llu %s kind=%s pid=%d number=%llu", __entry->dev,
		  __entry->vif, __entry->attached ? "attached" : "detached",
		  show_vif_kind(__entry->kind), __entry->pid, __entry->number)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>
