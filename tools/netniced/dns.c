// SPDX-License-Identifier: GPL-2.0
/*
 * The C library (libresolv) parses messages. It returns names as text, in which a byte that is not
 * valid in a host name is escaped by a backslash, and addresses as bytes.
 */
#include "dns.h"

#include <resolv.h>
#include <string.h>
#include <strings.h>

static bool is_for_addresses(const ns_rr *rr)
{
	return ns_rr_class(*rr) == ns_c_in &&
	       (ns_rr_type(*rr) == ns_t_a || ns_rr_type(*rr) == ns_t_aaaa);
}

/* One that is cut off comes again, by TCP. */
static bool is_whole_answer(const ns_msg message)
{
	return !ns_msg_getflag(message, ns_f_tc) &&
	       ns_msg_getflag(message, ns_f_rcode) == ns_r_noerror;
}

bool dns_read(struct dns *dns, const uint8_t *bytes, size_t count)
{
	ns_rr question;

	if (ns_initparse(bytes, count, &dns->message) ||
	    ns_msg_getflag(dns->message, ns_f_opcode) != ns_o_query ||
	    ns_msg_count(dns->message, ns_s_qd) != 1 ||
	    ns_parserr(&dns->message, ns_s_qd, 0, &question) || !is_for_addresses(&question))
		return false;
	dns->is_answer = ns_msg_getflag(dns->message, ns_f_qr);
	dns->id = ns_msg_id(dns->message);
	dns->type = ns_rr_type(question);
	strcpy(dns->name, ns_rr_name(question));
	return !dns->is_answer || is_whole_answer(dns->message);
}

static bool read_alias(const struct dns *dns, const ns_rr *rr, char name[NS_MAXDNAME])
{
	return ns_name_uncompress(ns_msg_base(dns->message), ns_msg_end(dns->message),
				  ns_rr_rdata(*rr), name, NS_MAXDNAME) >= 0;
}

static bool read_address(const ns_rr *rr, uint8_t address[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (ns_rr_type(*rr) == ns_t_a && ns_rr_rdlen(*rr) == 4) {
		memcpy(address, mapped, sizeof(mapped));
		memcpy(address + sizeof(mapped), ns_rr_rdata(*rr), 4);
		return true;
	}
	if (ns_rr_type(*rr) == ns_t_aaaa && ns_rr_rdlen(*rr) == 16) {
		memcpy(address, ns_rr_rdata(*rr), 16);
		return true;
	}
	return false;
}

/* Aliases stand before what they are for, as the library's own resolver wants them. */
void dns_addresses(const struct dns *dns, dns_found f, void *arg)
{
	uint32_t seconds = UINT32_MAX;
	char name[NS_MAXDNAME];
	ns_msg message = dns->message;
	uint8_t address[16];
	int found = 0;
	ns_rr rr;

	strcpy(name, dns->name);
	for (int i = 0; found < DNS_ADDRESSES && i < ns_msg_count(message, ns_s_an); i++) {
		if (ns_parserr(&message, ns_s_an, i, &rr))
			return;
		if (ns_rr_class(rr) != ns_c_in || strcasecmp(ns_rr_name(rr), name))
			continue;
		if (ns_rr_type(rr) != ns_t_cname && ns_rr_type(rr) != dns->type)
			continue;
		if (ns_rr_ttl(rr) < seconds)
			seconds = ns_rr_ttl(rr);
		if (ns_rr_type(rr) == ns_t_cname) {
			if (!read_alias(dns, &rr, name))
				return;
		} else if (read_address(&rr, address)) {
			f(address, seconds, arg);
			found++;
		}
	}
}
