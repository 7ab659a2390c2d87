// SPDX-License-Identifier: GPL-2.0
/*
 * lwip-server PORT: a server with a TCP/IP stack of its own, lwIP, at the host's addresses
 *
 *	apt install gcc liblwip-dev
 *	gcc -O2 -o lwip-server lwip-server.c -I/usr/include/lwip -llwip -pthread
 *	netnice -b 10mbit --stack --port tcp:8080 --port udp:8080 ./lwip-server 8080
 *
 * Any user may do that. Who connects and begins with "GET " gets a page; to all others it sends
 * back what they send, by TCP and UDP, IPv4 and IPv6.
 *
 * netnice --stack hands over a tap, whose other end is the host. All frames go to one Ethernet
 * address, which never changes: lwIP need not ask for any (ARP, neighbour discovery), and is
 * given IP packets, without the frames' headers.
 */
#include <lwip/api.h>
#include <lwip/ip.h>
#include <lwip/netif.h>
#include <lwip/tcpip.h>
#include <lwip/udp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* It is to the host, and from an address to which that sends then what comes. */
static unsigned char frame_out[14 + 65535] = { 2, 'n', 'n', 'i', 'c', 'e', 2, 0, 0, 0, 0, 1 };
static unsigned char frame_in[14 + 65535];
static struct netif netif;
static char page[128];
static int tap, port;

static void die(const char *what)
{
	fprintf(stderr, "lwip-server: %s\n", what);
	exit(EXIT_FAILURE);
}

static char *given(const char *name)
{
	if (!getenv(name))
		die("it is to be begun by netnice --stack");
	return getenv(name);
}

/* --- the tap --- */

/* As lwIP says, with its lock. What the host does not take is lost, as on any wire. */
static err_t send_frame(struct pbuf *packet, int type)
{
	frame_out[12] = type >> 8;
	frame_out[13] = type & 0xff;
	pbuf_copy_partial(packet, frame_out + 14, packet->tot_len, 0);
	return write(tap, frame_out, 14 + packet->tot_len) < 0 ? ERR_IF : ERR_OK;
}

static err_t send4(struct netif *, struct pbuf *packet, const ip4_addr_t *)
{
	return send_frame(packet, 0x0800);
}

static err_t send6(struct netif *, struct pbuf *packet, const ip6_addr_t *)
{
	return send_frame(packet, 0x86dd);
}

/* Not of PBUF_POOL, whose buffers are smaller than they say in Debian's 2.1.3. */
static void *receive_all(void *arg)
{
	struct pbuf *packet;
	ssize_t len;

	while ((len = read(tap, frame_in, sizeof(frame_in))) > 0) {
		packet = len > 14 ? pbuf_alloc(PBUF_RAW, len - 14, PBUF_RAM) : NULL;
		if (!packet)
			continue;
		pbuf_take(packet, frame_in + 14, len - 14);
		LOCK_TCPIP_CORE();
		ip_input(packet, &netif);
		UNLOCK_TCPIP_CORE();
	}
	die("the tap has ended");
	return arg;
}

/* --- lwIP --- */

static err_t init(struct netif *new)
{
	new->output = send4;
	new->output_ip6 = send6;
	new->mtu = new->mtu6 = atoi(given("NETNICE_MTU"));
	return ERR_OK;
}

/* lwIP has one address of IPv4 for a device, and some of IPv6 */
static void add_address(const char *text)
{
	ip_addr_t address;
	s8_t i;

	if (!ipaddr_aton(text, &address))
		die(text);
	if (IP_IS_V4(&address)) {
		if (ip4_addr_isany_val(*netif_ip4_addr(&netif)))
			netif_set_ipaddr(&netif, ip_2_ip4(&address));
	} else if (netif_add_ip6_address(&netif, ip_2_ip6(&address), &i) == ERR_OK) {
		/* the address is unique: skip detection of duplicates */
		netif_ip6_addr_set_state(&netif, i, IP6_ADDR_PREFERRED);
	}
}

static void begin(void)
{
	char *word;

	tcpip_init(NULL, NULL);
	LOCK_TCPIP_CORE();
	netif_add(&netif, IP4_ADDR_ANY4, IP4_ADDR_ANY4, IP4_ADDR_ANY4, NULL, init, ip_input);
	for (word = strtok(given("NETNICE_ADDRESSES"), " "); word; word = strtok(NULL, " "))
		add_address(word);
	netif_set_default(&netif);
	netif_set_link_up(&netif);
	netif_set_up(&netif);
	UNLOCK_TCPIP_CORE();
}

/* --- the server: a thread for each connection --- */

static void *serve(void *arg)
{
	struct netconn *with = arg;
	struct netbuf *got;
	int more = 1;
	void *data;
	u16_t len;

	while (more && netconn_recv(with, &got) == ERR_OK) {
		do {
			netbuf_data(got, &data, &len);
			more = len < 4 || memcmp(data, "GET ", 4);
			if (more)
				netconn_write(with, data, len, NETCONN_COPY);
		} while (more && netbuf_next(got) >= 0);
		if (!more)
			netconn_write(with, page, strlen(page), NETCONN_COPY);
		netbuf_delete(got);
	}
	netconn_close(with);
	netconn_delete(with);
	return NULL;
}

static void begin_thread(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg))
		die("no thread");
	pthread_detach(thread);
}

static void accept_all(void)
{
	struct netconn *listener = netconn_new(NETCONN_TCP_IPV6), *with;

	/* IPv4, too: of both there is one address for "any" */
	if (!listener || netconn_bind(listener, IP6_ADDR_ANY, port) || netconn_listen(listener))
		die("TCP: no port");
	while (netconn_accept(listener, &with) == ERR_OK)
		begin_thread(serve, with);
}

/* of UDP: for this, lwIP calls */
static void answer(void *arg, struct udp_pcb *pcb, struct pbuf *packet, const ip_addr_t *from,
		   u16_t from_port)
{
	(void)arg;
	udp_sendto(pcb, packet, from, from_port);
	pbuf_free(packet);
}

static void answer_all(void)
{
	struct udp_pcb *pcb;

	LOCK_TCPIP_CORE();
	pcb = udp_new_ip_type(IPADDR_TYPE_ANY);
	if (!pcb || udp_bind(pcb, IP_ANY_TYPE, port))
		die("UDP: no port");
	udp_recv(pcb, answer, NULL);
	UNLOCK_TCPIP_CORE();
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: netnice --stack --port tcp:PORT --port udp:PORT lwip-server PORT");
	port = atoi(argv[1]);
	tap = atoi(given("NETNICE_TAP"));
	snprintf(page, sizeof(page), "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n"
				     "This is lwIP, at port %d.\n", port);
	begin();
	answer_all();
	begin_thread(receive_all, NULL);
	accept_all();
}
