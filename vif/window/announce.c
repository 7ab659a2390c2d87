// SPDX-License-Identifier: GPL-2.0
/*
 * Lower the receive windows that TCP sockets of this host announce to senders, if received packets
 * are limited: to the value that window.h computes.
 *
 * Only packets that leave are changed. The socket does not know: when the limit is removed, packets
 * again carry the window that the socket announces. This is at least the window that was sent, so
 * the socket accepts everything that comes. For the same reason the option can be unloaded at any
 * time. A table of windows is memory of its shaper (queue/windows.h), which frees it, or this file
 * takes it away. Tables do not hold the module:
 *
 * - vif_announce_packet() is called in an RCU read section, and only while the option is registered.
 *   vif_option_unregister() waits for the end of these sections. Only then tables are taken away.
 * - The queue uses a table under the shaper's lock, and no function of this module.
 * - vif_announce_limit() is called under the tree mutex, and by a caller that holds the module.
 *   After module_exit() has begun, it is not called any more.
 */
#include "window.h"

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/tcp.h>
#include <net/checksum.h>
#include <net/mptcp.h>
#include <net/tcp.h>

#include <linux/netnice_netlink.h>
#include "../compat/export.h"
#include "../queue/p_queue_config.h"
#include "../queue/packet.h"
#include "../queue/shaper.h"
#include "../tree/dev.h"
#include "../tree/net.h"
#include "../tree/option.h"

/* TCP-AO, where the kernel's headers have no name for it yet */
#define OPTION_AO	29

/*
 * Return the ingress limit of a VIF in bytes per second, VSCHED_RATE_MAX without one. May notice a
 * move late.
 */
static u64 vif_announce_limit_of(const struct vif *vif)
{
	u64 limit = VSCHED_RATE_MAX;

	if (READ_ONCE(vif->side[VIF_INGRESS].set.aqm.kind) == NETNICE_AQM_NONE)
		return limit;
	for (; vif; vif = READ_ONCE(vif->parent))
		limit = min(limit, READ_ONCE(vif->side[VIF_INGRESS].node.clock.rate));
	return limit;
}

/*
 * MPTCP data has its own window; a socket in repair mode must not be disturbed. On some kernels a
 * listener's answer has the listener as its socket, which has no connection.
 */
static bool vif_announce_is_ours(const struct sock *sk)
{
	unsigned char state = READ_ONCE(sk->sk_state);

	if (state == TCP_NEW_SYN_RECV)
		return !rsk_is_mptcp(inet_reqsk(sk));
	return state != TCP_TIME_WAIT && state != TCP_LISTEN && state != TCP_CLOSE &&
	       sk_is_tcp(sk) && !sk_is_mptcp(sk) && !tcp_sk(sk)->repair;
}

/* Encrypted or tunneled packets do not begin with their socket's headers. */
static struct tcphdr *vif_announce_header(struct sk_buff *skb)
{
	int offset = skb_network_offset(skb);
	bool tcp;

	if (skb->encapsulation || !skb_transport_header_was_set(skb))
		return NULL;
	if (skb->protocol == htons(ETH_P_IP)) {
		tcp = ip_hdr(skb)->protocol == IPPROTO_TCP;
		offset += ip_hdrlen(skb);
	} else {
		tcp = skb->protocol == htons(ETH_P_IPV6) &&
		      ipv6_hdr(skb)->nexthdr == IPPROTO_TCP;
		offset += sizeof(struct ipv6hdr);
	}
	if (!tcp || skb_transport_offset(skb) != offset ||
	    skb_headlen(skb) < offset + sizeof(struct tcphdr) ||
	    tcp_hdrlen(skb) < sizeof(struct tcphdr) ||
	    skb_headlen(skb) < offset + tcp_hdrlen(skb))
		return NULL;
	return tcp_hdr(skb);
}

static u8 vif_announce_scale_of(const struct sock *sk)
{
	return sk_fullsock(sk) ? tcp_sk(sk)->rx_opt.rcv_wscale :
				 inet_rsk(inet_reqsk(sk))->rcv_wscale;
}

/* An option of a header, which has a length and is whole, or NULL. */
static u8 *vif_announce_find_option(struct tcphdr *th, u8 kind)
{
	u8 *option = (u8 *)(th + 1), *end = (u8 *)th + th->doff * 4;

	while (end - option >= 2 && *option != TCPOPT_EOL) {
		if (*option == TCPOPT_NOP) {
			option++;
			continue;
		}
		if (option[1] < 2 || option[1] > end - option)
			break;
		if (*option == kind)
			return option;
		option += option[1];
	}
	return NULL;
}

/* A header that is signed (MD5, TCP-AO) is not ours to change. */
static bool vif_announce_is_signed(struct tcphdr *th)
{
	return vif_announce_find_option(th, TCPOPT_MD5SIG) ||
	       vif_announce_find_option(th, OPTION_AO);
}

/*
 * Return the bytes of data in a full packet of the sender, as far as known: some are larger than
 * the announced size, because they were announced before there was a limit.
 * @even: the announced size suits the window
 */
static u32 vif_announce_sender_mss(const struct sock *sk, bool even, u64 limit)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 told = tp->advmss;

	if (even)
		told = vif_mss_announced(told, tp->rx_opt.rcv_wscale, limit);
	return max_t(u32, inet_csk(sk)->icsk_ack.rcv_mss, told);
}

/* Only what the socket may change any time is read: it need not be locked. */
static void vif_announce_read_socket(const struct sock *sk, bool even,
				     struct vif_window_path *path)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u64 least_rtt_us = tcp_min_rtt(tp);
	u64 rtt_us = tp->rcv_rtt_est.rtt_us >> 3;

	if (least_rtt_us == ~0U)
		least_rtt_us = 0;
	path->least_rtt_ns = min(least_rtt_us * NSEC_PER_USEC, VIF_WINDOW_RTT_MOST);
	path->rtt_ns = clamp(rtt_us * NSEC_PER_USEC, path->least_rtt_ns,
			     VIF_WINDOW_RTT_MOST);
	path->mss = vif_mss(vif_announce_sender_mss(sk, even, path->limit));
}

/* Overhead of a packet with data, in bytes, on all layers that an MTU counts. */
static u32 vif_announce_headers_of(const struct sk_buff *skb)
{
	return skb_network_header_len(skb) + sizeof(struct tcphdr) +
	       TCPOLEN_TSTAMP_ALIGNED;
}

/* A listener's answer: the distance of the other end is known only later. */
static void vif_announce_read_request(const struct sock *sk, const struct sk_buff *skb,
				      struct vif_window_path *path)
{
	u32 headers = vif_announce_headers_of(skb);

	path->mss = vif_mss(vif_mss_announced(max(READ_ONCE(skb->dev->mtu), 2 * headers) - headers,
					 vif_announce_scale_of(sk), path->limit));
}

static void vif_announce_read_limit(const struct vif_shaper *shaper,
				    const struct vif_side *side, const struct sk_buff *skb,
				    struct vif_window_path *path)
{
	path->owner = side;
	vif_window_set_rate(path, vif_announce_headers_of(skb), READ_ONCE(skb->dev->mtu),
			    shaper->pool.frame_bytes);
	path->target_ns = p_queue_target_ns(&side->set, shaper->pool.frame_bytes,
					    path->limit) / 2;
}

/* @field: at an even place of the header */
static void vif_announce_set_field(struct sk_buff *skb, void *field, u16 value)
{
	__be16 *place = field, old = *place;

	if (old == htons(value))
		return;
	*place = htons(value);
	inet_proto_csum_replace2(&tcp_hdr(skb)->check, skb, old, *place, false);
}

static void vif_announce_limit_mss(struct sk_buff *skb, struct tcphdr *th, u8 scale, u64 limit)
{
	u8 *option = vif_announce_find_option(th, TCPOPT_MSS);
	u32 stamps = vif_announce_find_option(th, TCPOPT_TIMESTAMP) ? TCPOLEN_TSTAMP_ALIGNED : 0;
	u32 mss;

	if (!option || option[1] != TCPOLEN_MSS || (option - (u8 *)th) % 2)
		return;
	mss = option[2] << 8 | option[3];
	if (mss > TCP_MSS_DEFAULT)
		vif_announce_set_field(skb, option + 2,
				       vif_mss_announced(mss - stamps, scale, limit) + stamps);
}

/*
 * Nothing has come, nor could it: by TCP Fast Open that may be before the handshake's end.
 * @sent: packets before this one, which are a SYN and its copies
 */
static bool vif_announce_is_first(const struct tcp_sock *tp, u32 sent)
{
	return !tp->bytes_received && tp->segs_in <= 1 && !tp->syn_fastopen &&
	       sent == 1 + tp->total_retrans;
}

static void vif_announce_read_offer(const struct sock *sk, const struct sk_buff *skb,
				    const struct tcphdr *th, struct vif_offer *offer)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u8 scale = 0;

	*offer = (struct vif_offer) { .first = true };
	if (sk_fullsock(sk)) {
		scale = tp->rx_opt.rcv_wscale;
		offer->packets = max_t(u32, skb_shinfo(skb)->gso_segs, 1);
		offer->sent = tp->segs_out - offer->packets;
		offer->first = vif_announce_is_first(tp, offer->sent);
	}
	offer->ack = ntohl(th->ack_seq);
	offer->bytes = (u32)ntohs(th->window) << scale;
	offer->unit = 1U << scale;
}

/* Has the other end said that nothing more comes? */
static bool vif_announce_has_all(const struct sock *sk)
{
	return (1 << READ_ONCE(sk->sk_state)) &
	       (TCPF_CLOSE_WAIT | TCPF_LAST_ACK | TCPF_CLOSING);
}

static void vif_announce_limit_window(struct vif_shaper *shaper, const struct vif_side *side,
				      u64 limit, const struct sock *sk, struct sk_buff *skb,
				      struct tcphdr *th)
{
	struct vif_window_path path = { .limit = limit };
	u32 key = vif_packet_tcp_key(skb, true), bytes;
	struct vif_windows *windows;
	struct vif_window *window;
	struct vif_offer offer;

	if (!key)
		return;
	vif_announce_read_offer(sk, skb, th, &offer);
	spin_lock(&shaper->lock);
	windows = shaper->pool.windows;
	window = vif_window_find(windows, key);
	if (vif_announce_has_all(sk)) {
		if (window)
			vif_window_forget(windows, window);
		spin_unlock(&shaper->lock);
		return;
	}
	if (sk_fullsock(sk))
		vif_announce_read_socket(sk, offer.first || (window && window->even), &path);
	else
		vif_announce_read_request(sk, skb, &path);
	vif_announce_read_limit(shaper, side, skb, &path);
	bytes = vif_window_next(windows, window, key, &offer, &path, __vif_shaper_now(shaper));
	spin_unlock(&shaper->lock);
	vif_announce_set_field(skb, &th->window, bytes / offer.unit);
}

static void vif_announce_packet(struct vif *vif, const struct sock *sk, struct sk_buff *skb)
{
	struct tcphdr *th;
	u64 limit;

	if (!vif_announce_is_ours(sk))
		return;
	limit = vif_announce_limit_of(vif);
	if (limit == VSCHED_RATE_MAX)
		return;
	th = vif_announce_header(skb);
	if (!th || th->rst || vif_announce_is_signed(th) ||
	    vif_announce_scale_of(sk) > VIF_WINDOW_SCALE_MOST ||
	    skb_ensure_writable(skb, skb_transport_offset(skb) + tcp_hdrlen(skb)))
		return;
	th = tcp_hdr(skb);
	if (th->syn)
		vif_announce_limit_mss(skb, th, vif_announce_scale_of(sk), limit);
	/* the SYN of a client does not contain yet what it will acknowledge */
	if (th->ack && th->syn == !sk_fullsock(sk))
		vif_announce_limit_window(&vif->dev->shaper[VIF_INGRESS], &vif->side[VIF_INGRESS],
					  limit, sk, skb, th);
}

/* Give a device's ingress shaper a table, if it is to have one. Caller holds the tree mutex. */
static void vif_announce_limit(struct vif_dev *vdev)
{
	struct vif_shaper *shaper = &vdev->shaper[VIF_INGRESS];

	lockdep_assert_held(&vdev->net->lock);
	if (vdev->limited && !shaper->pool.windows)
		vif_windows_free(vif_shaper_set_windows(shaper, vif_windows_alloc()));
}

static void vif_announce_forget(struct vif_dev *vdev)
{
	vif_windows_free(vif_shaper_set_windows(&vdev->shaper[VIF_INGRESS], NULL));
}

static const struct vif_window_ops vif_window_option_ops = {
	.option = {
		.id = VIF_OPTION_WINDOW,
		.owner = THIS_MODULE,
	},
	.limit = vif_announce_limit,
	.announce = vif_announce_packet,
};

/* Devices may have been limited without the option. */
static int __init vif_announce_init(void)
{
	int err = vif_option_register(&vif_window_option_ops.option);

	if (!err)
		vif_dev_for_each(vif_announce_limit);
	return err;
}

static void __exit vif_announce_exit(void)
{
	vif_option_unregister(&vif_window_option_ops.option);
	vif_dev_for_each(vif_announce_forget);
}

module_init(vif_announce_init);
module_exit(vif_announce_exit);

MODULE_DESCRIPTION("Option of netnice: announced TCP windows");
MODULE_VERSION(NETNICE_VERSION);
MODULE_LICENSE("GPL");
VIF_IMPORT;
