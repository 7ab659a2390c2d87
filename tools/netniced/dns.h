/* SPDX-License-Identifier: GPL-2.0 */
/* Parse the parts of a DNS message that concern the addresses of a name. */
#ifndef NETNICED_DNS_H
#define NETNICED_DNS_H

#include <arpa/nameser.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses that are taken from one answer */
#define DNS_ADDRESSES	64

/**
 * struct dns - a message
 * @is_answer: or a question
 * @id: its number
 * @type: what is asked for: A or AAAA
 * @name: whose, as it is written there
 * @message: the library's
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

/* IPv4 as ::ffff:a.b.c.d; seconds for which it is true. */
typedef void (*dns_found)(const uint8_t address[16], uint32_t seconds, void *arg);

/* The addresses that an answer has for the name, of its aliases (CNAME), too. */
void dns_addresses(const struct dns *dns, dns_found f, void *arg);

#endif
