// SPDX-License-Identifier: GPL-2.0
/*
 * wiremeter - judges what really passes an interface
 *
 * Records time (the kernel's) and length of every packet that an interface
 * receives or sends, from its link-layer header on, and says at the end how
 * much it was, how fast, and how far ahead of a given rate. What is not counted
 * because of the direction or port asked for is counted separately, and so is
 * what the kernel could not deliver (drops must be 0 for the rest to be true)
 * and packets larger than the interface's MTU (not yet single wire packets).
 *
 * A tap sees received packets before tc and netfilter's ingress hooks do. With
 * --delivered what the interface hands to IP is counted instead: a packet
 * socket that asks for one protocol gets its packets when IP does, after
 * everything that may delay or drop them on the way. early_stamps must be 0 for
 * that: it counts packets whose time was taken when they were received, because
 * a program on this host wants such times.
 *
 * packets bytes		all that was counted
 * first_ns last_ns		times of the first and last packet (real time)
 * seconds			between these
 * max_gap_ns			the longest time between two packets that follow each other
 * first_second_bytes		in the second that begins with the first packet
 * rate_bit_per_s		after the first second: bytes after the first packet
 *				there, by the time between first and last there
 * window_packets window_bytes window_seconds	what that rate was made of
 * max_1s_bytes			the most in any sliding window of one second
 * with --window:
 * max_window_bytes		the most in any sliding window of that length
 * with several --port:
 * port_N_packets port_N_bytes	of all that was counted
 * port_N_window_bytes		of window_bytes
 * with --rate:
 * excess_1s_bytes		max_1s_bytes minus what the rate gives in a second
 * burst_bytes			the smallest burst of a token bucket of that rate
 *				that lets all packets pass at their times: the most,
 *				over any interval, of bytes minus rate * time
 *
 * --span S judges S seconds from the first packet on; packets, bytes and the
 * bins still count all. The rate's last packet is then the first one after the
 * span, or, if there is none, the span's end: a sender that has stopped early
 * does not look faster than it was.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

/* Being woken up for each packet would cost more than the packets do. */
#define GATHER_US 2000

/* The ring: room for the headers of 4 Ki packets a block, by default 128 Ki, of
 * which none is lost while this process waits for the CPU
 */
#define FRAME_BYTES 256
#define BLOCK_BYTES (1 << 20)
#define BLOCKS 32
#define BLOCK_FRAMES (BLOCK_BYTES / FRAME_BYTES)

#define MAX_PORTS 80

enum direction { BOTH, IN, OUT, DELIVERED };

struct options {
	const char *interface;
	enum direction direction;
	unsigned int ports[MAX_PORTS];
	unsigned int n_ports;	/* 0: any */
	double rate_bit;	/* 0: none given */
	double seconds;		/* 0: until a signal */
	uint64_t span_ns;	/* 0: all is judged */
	uint64_t window_ns;	/* 0: none asked for */
	uint64_t bin_ns;
	const char *csv;
	unsigned int blocks;
};

struct packet {
	uint64_t ns;
	uint32_t bytes;
	uint32_t port;		/* index in the options */
};

/* a packet socket and the memory it shares with the kernel */
struct ring {
	int fd;
	uint8_t *frames;
	unsigned int n_frames;
	unsigned int next;
};

static struct packet *packets;	/* all; those before n_judged are judged */
static uint64_t n_packets, n_judged, max_packets;
static uint64_t total_bytes, other_packets, other_bytes, oversize, losing, early_stamps;
static unsigned int wire_mtu;

static void usage(void)
{
	fputs("usage: wiremeter INTERFACE [--in|--out|--delivered] [--port N]...\n"
	      "                 [--rate BITS] [--window TIME] [--span S] [--seconds S]\n"
	      "                 [--bin TIME --csv FILE] [--ring MIB]\n"
	      "Counts until S seconds have passed, or SIGINT or SIGTERM; prints\n"
	      "`ready` when it has begun. --in counts what the interface receives,\n"
	      "--out what it sends, --delivered what IP gets from it; only from or to\n"
	      "port N, if given. --span judges the S seconds after the first packet.\n"
	      "BITS may end in k, m or g (powers of 1000), TIME in s, ms or us. FILE\n"
	      "gets a line for each bin: seconds since the first packet, packets,\n"
	      "bytes, and with several ports the bytes of each. The kernel keeps 4096\n"
	      "packets for each MIB while they are not read, by default 32 MiB.\n",
	      stderr);
	exit(2);
}

static double number(const char *text, const char *const *suffixes, const double *factors)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || value < 0)
		usage();
	if (!*end)
		return value;
	for (; *suffixes; suffixes++, factors++)
		if (!strcasecmp(end, *suffixes))
			return value * *factors;
	usage();
	return 0;
}

static double parse_rate(const char *text)
{
	static const char *const suffixes[] = { "k", "m", "g", "kbit", "mbit", "gbit", "bit", NULL };
	static const double factors[] = { 1e3, 1e6, 1e9, 1e3, 1e6, 1e9, 1 };

	return number(text, suffixes, factors);
}

static uint64_t parse_time_ns(const char *text)
{
	static const char *const suffixes[] = { "s", "ms", "us", NULL };
	static const double factors[] = { 1, 1e-3, 1e-6 };

	return number(text, suffixes, factors) * NSEC_PER_SEC;
}

static void open_ring(const struct options *o, struct ring *ring, uint16_t protocol)
{
	int version = TPACKET_V2, fd;
	struct tpacket_req request = {
		.tp_block_size = BLOCK_BYTES,
		.tp_block_nr = o->blocks,
		.tp_frame_size = FRAME_BYTES,
		.tp_frame_nr = o->blocks * BLOCK_FRAMES,
	};
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
	};
	struct ifreq ifr = {};

	/* no protocol yet: nothing arrives before the ring is bound */
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0)
		die("socket");
	address.sll_ifindex = if_nametoindex(o->interface);
	if (!address.sll_ifindex)
		die(o->interface);
	strncpy(ifr.ifr_name, o->interface, sizeof(ifr.ifr_name) - 1);
	if (ioctl(fd, SIOCGIFMTU, &ifr))
		die("SIOCGIFMTU");
	wire_mtu = ifr.ifr_mtu + ETH_HLEN + 4;
	if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)))
		die("ring");
	ring->frames = mmap(NULL, (size_t)BLOCK_BYTES * o->blocks, PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
	if (ring->frames == MAP_FAILED)
		die("mmap");
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		die("bind");
	ring->fd = fd;
	ring->n_frames = request.tp_frame_nr;
}

/* Which of the ports is the packet's source or destination? -1: none. Of
 * fragments only the first one is known to; later ones count as others.
 */
static int find_port(const struct options *o, const uint8_t *data, unsigned int len)
{
	unsigned int at = ETH_HLEN, type, protocol;

	if (len < ETH_HLEN)
		return -1;
	type = data[12] << 8 | data[13];
	while ((type == ETH_P_8021Q || type == ETH_P_8021AD) && len >= at + 4) {
		type = data[at + 2] << 8 | data[at + 3];
		at += 4;
	}
	if (type == ETH_P_IP && len >= at + 20) {
		if ((data[at + 6] & 0x1f) || data[at + 7])
			return -1;
		protocol = data[at + 9];
		at += (data[at] & 15) * 4;
	} else if (type == ETH_P_IPV6 && len >= at + 40) {
		protocol = data[at + 6];
		at += 40;
	} else {
		return -1;
	}
	if ((protocol != IPPROTO_TCP && protocol != IPPROTO_UDP) || len < at + 4)
		return -1;
	for (unsigned int i = 0; i < o->n_ports; i++)
		if ((unsigned int)(data[at] << 8 | data[at + 1]) == o->ports[i] ||
		    (unsigned int)(data[at + 2] << 8 | data[at + 3]) == o->ports[i])
			return i;
	return -1;
}

static void record(uint64_t ns, uint32_t bytes, uint32_t port)
{
	if (n_packets == max_packets) {
		max_packets = max_packets ? 2 * max_packets : 1 << 16;
		packets = realloc(packets, max_packets * sizeof(*packets));
		if (!packets)
			die("memory");
	}
	packets[n_packets].ns = ns;
	packets[n_packets].bytes = bytes;
	packets[n_packets].port = port;
	n_packets++;
	total_bytes += bytes;
}

static void take(const struct options *o, const struct tpacket2_hdr *h)
{
	const struct sockaddr_ll *from = (const void *)((const uint8_t *)h +
							TPACKET_ALIGN(sizeof(*h)));
	bool out = from->sll_pkttype == PACKET_OUTGOING;
	/* a VLAN tag that the kernel keeps beside the packet is on the wire too */
	uint32_t bytes = h->tp_len + (h->tp_status & TP_STATUS_VLAN_VALID ? 4 : 0);
	int port = 0;

	if (h->tp_status & TP_STATUS_LOSING)
		losing++;
	if (o->n_ports)
		port = find_port(o, (const uint8_t *)h + h->tp_mac, h->tp_snaplen);
	if ((o->direction == IN && out) || (o->direction == OUT && !out) || port < 0) {
		other_packets++;
		other_bytes += bytes;
		return;
	}
	if (bytes > wire_mtu)
		oversize++;
	if (o->direction == DELIVERED && (h->tp_status & TP_STATUS_TS_SOFTWARE))
		early_stamps++;
	record(h->tp_sec * NSEC_PER_SEC + h->tp_nsec, bytes, port);
}

/* what is there, once around at most */
static void drain(const struct options *o, struct ring *ring)
{
	for (unsigned int left = ring->n_frames; left; left--) {
		struct tpacket2_hdr *h = (void *)(ring->frames + (size_t)ring->next * FRAME_BYTES);

		if (!(__atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
			return;
		take(o, h);
		__atomic_store_n(&h->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		ring->next = (ring->next + 1) % ring->n_frames;
	}
}

static void capture(const struct options *o, struct ring *rings, unsigned int n_rings)
{
	struct pollfd poll_fds[2];
	bool last;

	for (unsigned int i = 0; i < n_rings; i++)
		poll_fds[i] = (struct pollfd){ .fd = rings[i].fd, .events = POLLIN };
	/* what waits at the end is still taken, what comes then is not */
	do {
		last = stopped;
		if (!last && poll(poll_fds, n_rings, -1) < 0 && errno != EINTR)
			die("poll");
		if (!last)
			usleep(GATHER_US);
		for (unsigned int i = 0; i < n_rings; i++)
			drain(o, &rings[i]);
	} while (!last);
}

/* two CPUs may have stamped in another order than they delivered */
static int by_time(const void *a, const void *b)
{
	const struct packet *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static uint64_t max_window_bytes(uint64_t window_ns)
{
	uint64_t begin = 0, sum = 0, max = 0;

	for (uint64_t i = 0; i < n_judged; i++) {
		sum += packets[i].bytes;
		while (packets[i].ns - packets[begin].ns >= window_ns)
			sum -= packets[begin++].bytes;
		if (sum > max)
			max = sum;
	}
	return max;
}

/* the fill of a bucket that leaks at the rate, at its highest */
static double burst_bytes(double bytes_per_ns)
{
	double fill = 0, max = 0;

	for (uint64_t i = 0; i < n_judged; i++) {
		if (i)
			fill -= (packets[i].ns - packets[i - 1].ns) * bytes_per_ns;
		if (fill < 0)
			fill = 0;
		fill += packets[i].bytes;
		if (fill > max)
			max = fill;
	}
	return max;
}

static uint64_t max_gap_ns(void)
{
	uint64_t max = 0;

	for (uint64_t i = 1; i < n_judged; i++)
		if (packets[i].ns - packets[i - 1].ns > max)
			max = packets[i].ns - packets[i - 1].ns;
	return max;
}

static void judge_span(const struct options *o)
{
	n_judged = n_packets;
	if (o->span_ns)
		while (n_judged && packets[n_judged - 1].ns - packets[0].ns >= o->span_ns)
			n_judged--;
}

static void print_ports(const struct options *o, uint64_t from, uint64_t to)
{
	for (unsigned int p = 0; p < o->n_ports; p++) {
		uint64_t count = 0, bytes = 0, window_bytes = 0;

		for (uint64_t i = 0; i < n_packets; i++) {
			if (packets[i].port != p)
				continue;
			count++;
			bytes += packets[i].bytes;
			if (i >= from && i < to)
				window_bytes += packets[i].bytes;
		}
		printf("port_%u_packets=%llu\nport_%u_bytes=%llu\nport_%u_window_bytes=%llu\n",
		       o->ports[p], (unsigned long long)count, o->ports[p],
		       (unsigned long long)bytes, o->ports[p], (unsigned long long)window_bytes);
	}
}

static void print_rate(const struct options *o)
{
	uint64_t first = 0, end = n_judged, bytes = 0, early = 0, ns = 0;

	while (first < n_judged && packets[first].ns - packets[0].ns < NSEC_PER_SEC)
		early += packets[first++].bytes;
	printf("first_second_bytes=%llu\n", (unsigned long long)early);
	if (o->span_ns && end < n_packets)
		end++;
	for (uint64_t i = first + 1; i < end; i++)
		bytes += packets[i].bytes;
	if (first < end)
		ns = packets[end - 1].ns - packets[first].ns;
	if (first < end && o->span_ns && end == n_judged)
		ns = packets[0].ns + o->span_ns - packets[first].ns;
	printf("window_packets=%llu\nwindow_bytes=%llu\nwindow_seconds=%.9f\n",
	       (unsigned long long)(ns ? end - first - 1 : 0),
	       (unsigned long long)bytes, ns / 1e9);
	printf("rate_bit_per_s=%.0f\n", ns ? bytes * 8e9 / ns : 0);
	if (o->n_ports > 1)
		print_ports(o, first + 1, end);
}

static void print_results(const struct options *o, uint64_t drops)
{
	uint64_t max;

	printf("packets=%llu\nbytes=%llu\nother_packets=%llu\nother_bytes=%llu\n",
	       (unsigned long long)n_packets, (unsigned long long)total_bytes,
	       (unsigned long long)other_packets, (unsigned long long)other_bytes);
	printf("oversize=%llu\ndrops=%llu\n", (unsigned long long)oversize,
	       (unsigned long long)drops + losing);
	if (o->direction == DELIVERED)
		printf("early_stamps=%llu\n", (unsigned long long)early_stamps);
	if (n_packets)
		printf("first_ns=%llu\nlast_ns=%llu\nseconds=%.9f\nmax_gap_ns=%llu\n",
		       (unsigned long long)packets[0].ns,
		       (unsigned long long)packets[n_packets - 1].ns,
		       (packets[n_packets - 1].ns - packets[0].ns) / 1e9,
		       (unsigned long long)max_gap_ns());
	print_rate(o);
	max = max_window_bytes(NSEC_PER_SEC);
	printf("max_1s_bytes=%llu\n", (unsigned long long)max);
	if (o->window_ns)
		printf("max_window_bytes=%llu\n",
		       (unsigned long long)max_window_bytes(o->window_ns));
	if (o->rate_bit) {
		printf("excess_1s_bytes=%.0f\n", max - o->rate_bit / 8);
		printf("burst_bytes=%.0f\n", burst_bytes(o->rate_bit / 8e9));
	}
}

static void write_bins(const struct options *o)
{
	unsigned int columns = o->n_ports > 1 ? o->n_ports : 0;
	FILE *file = fopen(o->csv, "w");
	uint64_t i = 0;

	if (!file)
		die(o->csv);
	fputs("seconds,packets,bytes", file);
	for (unsigned int p = 0; p < columns; p++)
		fprintf(file, ",port_%u_bytes", o->ports[p]);
	fputs("\n", file);
	for (uint64_t bin = 0; i < n_packets; bin++) {
		uint64_t end_ns = packets[0].ns + (bin + 1) * o->bin_ns;
		uint64_t count = 0, bytes = 0, port_bytes[MAX_PORTS] = {};

		for (; i < n_packets && packets[i].ns < end_ns; i++) {
			count++;
			bytes += packets[i].bytes;
			port_bytes[packets[i].port] += packets[i].bytes;
		}
		fprintf(file, "%.6f,%llu,%llu", bin * o->bin_ns / 1e9,
			(unsigned long long)count, (unsigned long long)bytes);
		for (unsigned int p = 0; p < columns; p++)
			fprintf(file, ",%llu", (unsigned long long)port_bytes[p]);
		fputs("\n", file);
	}
	if (fclose(file))
		die(o->csv);
}

static void parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "in", no_argument, NULL, 'i' },
		{ "out", no_argument, NULL, 'o' },
		{ "delivered", no_argument, NULL, 'd' },
		{ "span", required_argument, NULL, 'S' },
		{ "window", required_argument, NULL, 'w' },
		{ "port", required_argument, NULL, 'p' },
		{ "rate", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "bin", required_argument, NULL, 'b' },
		{ "ring", required_argument, NULL, 'R' },
		{ "csv", required_argument, NULL, 'c' },
		{}
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'i':
			o->direction = IN;
			break;
		case 'o':
			o->direction = OUT;
			break;
		case 'd':
			o->direction = DELIVERED;
			break;
		case 'R':
			o->blocks = atoi(optarg);
			break;
		case 'S':
			o->span_ns = strtod(optarg, NULL) * NSEC_PER_SEC;
			break;
		case 'w':
			o->window_ns = parse_time_ns(optarg);
			break;
		case 'p':
			if (o->n_ports == MAX_PORTS)
				usage();
			o->ports[o->n_ports++] = atoi(optarg);
			break;
		case 'r':
			o->rate_bit = parse_rate(optarg);
			break;
		case 's':
			o->seconds = strtod(optarg, NULL);
			break;
		case 'b':
			o->bin_ns = parse_time_ns(optarg);
			break;
		case 'c':
			o->csv = optarg;
			break;
		default:
			usage();
		}
	}
	if (optind != argc - 1 || !o->blocks || !o->bin_ns != !o->csv)
		usage();
	o->interface = argv[optind];
}

/* what the kernel could not put into the ring */
static uint64_t ring_drops(const struct ring *ring)
{
	struct tpacket_stats stats = {};
	socklen_t len = sizeof(stats);

	if (getsockopt(ring->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len))
		die("PACKET_STATISTICS");
	return stats.tp_drops;
}

int main(int argc, char **argv)
{
	struct options o = { .blocks = BLOCKS };
	struct ring rings[2] = {};
	unsigned int n_rings = 1;
	uint64_t drops = 0;

	parse(argc, argv, &o);
	if (o.direction == DELIVERED) {
		n_rings = 2;
		open_ring(&o, &rings[0], ETH_P_IP);
		open_ring(&o, &rings[1], ETH_P_IPV6);
	} else {
		open_ring(&o, &rings[0], ETH_P_ALL);
	}
	stop_on_signals(o.seconds);
	puts("ready");
	fflush(stdout);
	capture(&o, rings, n_rings);
	for (unsigned int i = 0; i < n_rings; i++)
		drops += ring_drops(&rings[i]);
	qsort(packets, n_packets, sizeof(*packets), by_time);
	judge_span(&o);
	print_results(&o, drops);
	if (o.csv)
		write_bins(&o);
	return 0;
}
