// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of DNS as netniced(8) reads them, as a fuzzer's input: whatever it is, it is read to
 * the end, and what is found is what was asked for. The first byte says which way it goes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/netniced/dns.h"
#include "../../tools/netniced/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct found {
	const struct dns *dns;
	int count;
};

static void found(const uint8_t address[16], uint32_t seconds, void *arg)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct found *found = arg;

	(void)seconds;
	if (++found->count > DNS_ADDRESSES)
		abort();
	if (found->dns->type == ns_t_a && memcmp(address, mapped, sizeof(mapped)))
		abort();
}

static void read_message(const uint8_t *bytes, size_t count)
{
	struct dns dns;
	struct found all = { .dns = &dns };

	if (!dns_read(&dns, bytes, count))
		return;
	if ((dns.type != ns_t_a && dns.type != ns_t_aaaa) || strlen(dns.name) >= NS_MAXDNAME)
		abort();
	dns_addresses(&dns, found, &all);
}

/* In memory of its own, so that a read beyond the end is seen. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *message;
	struct packet_ends ends;
	uint8_t *bytes;
	size_t count;

	if (!size)
		return 0;
	bytes = malloc(size - 1 ?: 1);
	memcpy(bytes, data + 1, size - 1);
	count = packet_read(bytes, size - 1, data[0] & 1, &ends, &message);
	if (count && (message < bytes || message + count > bytes + size - 1))
		abort();
	if (count)
		read_message(message, count);
	read_message(bytes, size - 1);
	free(bytes);
	return 0;
}
