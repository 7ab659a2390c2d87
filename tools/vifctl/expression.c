// SPDX-License-Identifier: GPL-2.0
/*
 * libpcap is loaded rather than linked to: who sets limits on a server need not install it, and its
 * headers are of no use for four functions that have been as they are for decades.
 */
#include "expression.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "complain.h"

#define LINK_RAW	12	/* DLT_RAW: packets begin with their IP header */
#define SNAPLEN		262144
#define ANY_NETMASK	0xffffffffU

/* Its struct bpf_program: the instructions are the kernel's. */
struct compiled {
	unsigned int count;
	struct sock_filter *insn;
};

struct pcap {
	void *library;
	void *(*open_dead)(int link, int snaplen);
	int (*compile)(void *pcap, struct compiled *compiled, const char *text, int optimize,
		       unsigned int netmask);
	char *(*geterr)(void *pcap);
	void (*freecode)(struct compiled *compiled);
	void (*close)(void *pcap);
};

static int load(struct pcap *pcap)
{
	static const char *const names[] = { "libpcap.so.0.8", "libpcap.so.1", "libpcap.so" };

	for (size_t i = 0; !pcap->library && i < sizeof(names) / sizeof(*names); i++)
		pcap->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!pcap->library) {
		complain("program: expressions take libpcap, which is not installed (on Debian: apt install libpcap0.8)");
		return -1;
	}
	*(void **)&pcap->open_dead = dlsym(pcap->library, "pcap_open_dead");
	*(void **)&pcap->compile = dlsym(pcap->library, "pcap_compile");
	*(void **)&pcap->geterr = dlsym(pcap->library, "pcap_geterr");
	*(void **)&pcap->freecode = dlsym(pcap->library, "pcap_freecode");
	*(void **)&pcap->close = dlsym(pcap->library, "pcap_close");
	if (pcap->open_dead && pcap->compile && pcap->geterr && pcap->freecode && pcap->close)
		return 0;
	complain("program: libpcap: a function is missing");
	dlclose(pcap->library);
	return -1;
}

/* --- DSCP, which pcap has no word for --- */

/* "46", "ef", "af21", "cs3"; -1 */
static int dscp_of(const char *word, size_t len)
{
	char text[8], *end;
	long value;

	if (!len || len >= sizeof(text))
		return -1;
	memcpy(text, word, len);
	text[len] = '\0';
	if (!strcasecmp(text, "ef"))
		return 46;
	if (!strncasecmp(text, "cs", 2) && text[2] >= '0' && text[2] <= '7' && !text[3])
		return 8 * (text[2] - '0');
	if (!strncasecmp(text, "af", 2) && text[2] >= '1' && text[2] <= '4' &&
	    text[3] >= '1' && text[3] <= '3' && !text[4])
		return 8 * (text[2] - '0') + 2 * (text[3] - '0');
	value = strtol(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end && value < 64 ? value : -1;
}

static size_t word_length(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return len;
}

static bool is_word(const char *text, const char *word)
{
	return word_length(text) == strlen(word) && !strncmp(text, word, strlen(word));
}

/* Behind a word, and the blanks that follow */
static const char *behind(const char *text)
{
	text += word_length(text);
	return text + strspn(text, " \t");
}

static int put_dscp(FILE *out, const char *value, bool ip, bool ip6)
{
	const int dscp = dscp_of(value, word_length(value));

	if (dscp < 0) {
		complain("program: dscp: '%.*s' is not valid: a number up to 63, ef, af11 to af43 or cs0 to cs7 is wanted",
			 (int)word_length(value), value);
		return -1;
	}
	putc('(', out);
	if (ip)
		fprintf(out, "ip[1] & 0xfc = %d", dscp << 2);
	if (ip6)
		fprintf(out, "%sip6[0:2] & 0xfc0 = %d", ip ? " or " : "", dscp << 6);
	putc(')', out);
	return 0;
}

/* Where a word begins. Moves @text behind what it has put. */
static int put_word(FILE *out, const char **text)
{
	const char *word = *text, *next = behind(word);
	const bool ip = is_word(word, "ip"), ip6 = is_word(word, "ip6");
	const char *value = (ip || ip6) && is_word(next, "dscp") ? behind(next) :
			    is_word(word, "dscp") ? next : NULL;

	*text = value ? value + word_length(value) : word + word_length(word);
	if (value)
		return put_dscp(out, value, !ip6, !ip);
	fwrite(word, 1, *text - word, out);
	return 0;
}

/* To be freed, or NULL after a message. */
static char *without_dscp(const char *text)
{
	char *result = NULL;
	size_t len;
	FILE *out = open_memstream(&result, &len);
	int ret = out ? 0 : -1;

	while (!ret && *text)
		if (word_length(text))
			ret = put_word(out, &text);
		else
			putc(*text++, out);
	if (out && !fclose(out) && !ret)
		return result;
	free(result);
	return NULL;
}

/* --- translating --- */

static int copy(struct insns *insns, const struct compiled *compiled)
{
	insns->count = compiled->count;
	insns->insn = calloc(compiled->count + 1, sizeof(*insns->insn));
	if (!insns->insn) {
		complain("program: out of memory");
		return -1;
	}
	memcpy(insns->insn, compiled->insn, compiled->count * sizeof(*insns->insn));
	return 0;
}

static int compile(const struct pcap *pcap, const char *text, const char *shown,
		   struct insns *insns)
{
	void *dead = pcap->open_dead(LINK_RAW, SNAPLEN);
	struct compiled compiled = { 0 };
	int ret;

	if (!dead) {
		complain("program: out of memory");
		return -1;
	}
	ret = pcap->compile(dead, &compiled, text, 1, ANY_NETMASK);
	if (ret) {
		complain("program: '%s': %s", shown, pcap->geterr(dead));
	} else {
		ret = copy(insns, &compiled);
		pcap->freecode(&compiled);
	}
	pcap->close(dead);
	return ret;
}

int expression_compile(const char *text, struct insns *insns)
{
	char *plain = without_dscp(text);
	struct pcap pcap = { 0 };
	int ret = plain ? load(&pcap) : -1;

	*insns = (struct insns) { 0 };
	if (!ret) {
		ret = compile(&pcap, plain, text, insns);
		dlclose(pcap.library);
	}
	free(plain);
	return ret;
}
