/* SPDX-License-Identifier: GPL-2.0 */
/* Parse the parts of a DNS message that concern the addresses of a name. */
#ifndef NETNICED_DNS_H
#define NETNICED_DNS_H

#include <arpa/nameser.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of addresses that are used of one answer */
#define DNS_ADDRESSES	64

/**
 * struct dns - a message
 * @is_answer: it is an answer, not a question
 * @id: its number
 * @type: type of the question: A or AAAA
 * @name: name in the question, as it is written there
 * @message: the library's state
 */
struct dns {
	bool is_answer;
	uint16_t id;
	uint16_t type;
	char name[NS_MAXDNAME];
	ns_msg message;
};

/*
 * Parse a message from an untrusted sender. @bytes must stay valid. Return: false if it is invalid,
 * of another kind, or an answer without data.
 */
bool dns_read(struct dns *dns, const uint8_t *bytes, size_t count);

/*
 * Called with an address (IPv4 as ::ffff:a.b.c.d) and the number of seconds for which it is valid.
 */
typedef void (*dns_found)(const uint8_t address[16], uint32_t seconds, void *arg);

/* Call @f for the addresses that an answer has for the name, and for its aliases (CNAME). */
void dns_addresses(const struct dns *dns, dns_found f, void *arg);

#endif
