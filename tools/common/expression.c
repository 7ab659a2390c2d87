// SPDX-License-Identifier: GPL-2.0
/*
 * libpcap is loaded when it is needed, not linked: a server without expressions need not install
 * it. Its headers are not needed for four functions that have not changed for decades.
 */
#include "expression.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "grammar/marks.h"

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

/* Says why. Return: -1 */
static int __attribute__((format(printf, 2, 3))) fail(char why[EXPRESSION_WHY],
						      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, EXPRESSION_WHY, fmt, ap);
	va_end(ap);
	return -1;
}

static int load(struct pcap *pcap, char *why)
{
	static const char *const names[] = { "libpcap.so.0.8", "libpcap.so.1", "libpcap.so" };

	for (size_t i = 0; !pcap->library && i < sizeof(names) / sizeof(*names); i++)
		pcap->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!pcap->library)
		return fail(why, "expressions take libpcap, which is not installed (on Debian: apt install libpcap0.8)");
	*(void **)&pcap->open_dead = dlsym(pcap->library, "pcap_open_dead");
	*(void **)&pcap->compile = dlsym(pcap->library, "pcap_compile");
	*(void **)&pcap->geterr = dlsym(pcap->library, "pcap_geterr");
	*(void **)&pcap->freecode = dlsym(pcap->library, "pcap_freecode");
	*(void **)&pcap->close = dlsym(pcap->library, "pcap_close");
	if (pcap->open_dead && pcap->compile && pcap->geterr && pcap->freecode && pcap->close)
		return 0;
	dlclose(pcap->library);
	return fail(why, "libpcap: a function is missing");
}

/* --- DSCP, which pcap has no word for --- */

/* As the file of that name takes it; -1 */
static int dscp_of(const char *word, size_t len)
{
	const struct vif_word text = { word, len };
	struct vif_mark mark;

	if (!len || vif_dscp_kind.parse(&text, &mark) || !mark.bits.mask)
		return -1;
	return mark.bits.value;
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

/* State of parsing: the text, and the result. */
struct reading {
	FILE *out;
	struct words *names;
	char *why;
};

static int put_dscp(const struct reading *to, const char *value, bool ip, bool ip6)
{
	const int dscp = dscp_of(value, word_length(value));

	if (dscp < 0)
		return fail(to->why, "dscp: '%.*s' is not valid: a number up to 63, cs0 to cs7, af11 to af43, ef, va or le is required",
			    (int)word_length(value), value);
	putc('(', to->out);
	if (ip)
		fprintf(to->out, "ip[1] & 0xfc = %d", dscp << 2);
	if (ip6)
		fprintf(to->out, "%sip6[0:2] & 0xfc0 = %d", ip ? " or " : "", dscp << 6);
	putc(')', to->out);
	return 0;
}

/* --- names, which stand for what is not in the packet: a byte where none can be --- */

static size_t name_length(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || (text[len] && strchr("_-.*", text[len])))
		len++;
	return len;
}

/* Labels of up to 63 bytes, with a dot between them; in front of these may be "*." */
static bool is_name(const char *text, size_t len)
{
	size_t label = 0;

	if (len > 2 && !strncmp(text, "*.", 2)) {
		text += 2;
		len -= 2;
	}
	if (!len || len > NAME_MAX_BYTES)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '*' || (text[i] == '.' && !label))
			return false;
		label = text[i] == '.' ? 0 : label + 1;
		if (label > 63)
			return false;
	}
	return label > 0;
}

/* Its number, or -1 without memory */
static int number_of(struct words *names, const char *text, size_t len)
{
	char **word, *copy = strndup(text, len);

	if (!copy)
		return -1;
	for (size_t i = 0; i < len; i++)
		copy[i] = tolower((unsigned char)copy[i]);
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->word[i], copy)) {
			free(copy);
			return i;
		}
	word = array_add(&names->word, &names->count, sizeof(*word));
	if (!word) {
		free(copy);
		return -1;
	}
	*word = copy;
	return names->count - 1;
}

static int put_name(const struct reading *to, const char *text, size_t len)
{
	int number;

	if (!to->names)
		return fail(to->why, "name %.*s: names are followed by netniced: they go into its rules, see netniced.conf(5)",
			    (int)len, text);
	if (!is_name(text, len))
		return fail(to->why, "name: '%.*s' is not valid: use a host name (www.example.org), or *. and a name (*.example.org)",
			    (int)len, text);
	number = number_of(to->names, text, len);
	if (number < 0)
		return fail(to->why, "out of memory");
	if (number >= NAMES_MAX)
		return fail(to->why, "more than %d names", NAMES_MAX);
	fprintf(to->out, "(link[%u] = 0)", NAME_OFFSET + number);
	return 0;
}

/* Not the end of a host's name, as in "host your-name" */
static bool is_apart(const char *word, const char *start)
{
	return word == start || strchr(" \t\n(!", word[-1]);
}

/* --- words --- */

/* Where a word begins. Moves @text behind what it has put. */
static int put_word(const struct reading *to, const char **text, const char *start)
{
	const char *word = *text, *next = behind(word);
	const bool ip = is_word(word, "ip"), ip6 = is_word(word, "ip6");
	const char *value = (ip || ip6) && is_word(next, "dscp") ? behind(next) :
			    is_word(word, "dscp") ? next : NULL;

	if (is_word(word, "name") && is_apart(word, start) && next > word + 4) {
		*text = next + name_length(next);
		return put_name(to, next, name_length(next));
	}
	*text = value ? value + word_length(value) : word + word_length(word);
	if (value)
		return put_dscp(to, value, !ip6, !ip);
	fwrite(word, 1, *text - word, to->out);
	return 0;
}

/* As pcap has it; to be freed, or NULL and @why. */
static char *translate(const char *text, struct words *names, char *why)
{
	const char *start = text;
	char *result = NULL;
	size_t len;
	struct reading to = {
		.out = open_memstream(&result, &len), .names = names, .why = why,
	};
	int ret = to.out ? 0 : fail(why, "out of memory");

	while (!ret && *text)
		if (word_length(text))
			ret = put_word(&to, &text, start);
		else
			putc(*text++, to.out);
	if (to.out && !fclose(to.out) && !ret)
		return result;
	free(result);
	return NULL;
}

/* --- translating --- */

static int copy(struct insns *insns, const struct compiled *compiled, char *why)
{
	insns->count = compiled->count;
	insns->insn = calloc(compiled->count + 1, sizeof(*insns->insn));
	if (!insns->insn)
		return fail(why, "out of memory");
	memcpy(insns->insn, compiled->insn, compiled->count * sizeof(*insns->insn));
	return 0;
}

static int compile(const struct pcap *pcap, const char *text, const char *shown,
		   struct insns *insns, char *why)
{
	void *dead = pcap->open_dead(LINK_RAW, SNAPLEN);
	struct compiled compiled = { 0 };
	int ret;

	if (!dead)
		return fail(why, "out of memory");
	ret = pcap->compile(dead, &compiled, text, 1, ANY_NETMASK);
	if (ret) {
		fail(why, "'%s': %s", shown, pcap->geterr(dead));
	} else {
		ret = copy(insns, &compiled, why);
		pcap->freecode(&compiled);
	}
	pcap->close(dead);
	return ret;
}

int expression_compile(const char *text, struct insns *insns, struct words *names,
		       char why[EXPRESSION_WHY])
{
	char *plain = translate(text, names, why);
	struct pcap pcap = { 0 };
	int ret = plain ? load(&pcap, why) : -1;

	*insns = (struct insns) { 0 };
	if (!ret) {
		ret = compile(&pcap, plain, text, insns, why);
		dlclose(pcap.library);
	}
	free(plain);
	return ret;
}

/* Numbers as "tcpdump -ddd" prints them, in one line */
char *insns_print(const char *dir, const struct insns *insns, const char *shown)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	fprintf(out, "%s%s%zu,", dir ? dir : "", dir ? " " : "", insns->count);
	for (size_t i = 0; i < insns->count; i++)
		fprintf(out, "%u %u %u %u,", insns->insn[i].code, insns->insn[i].jt,
			insns->insn[i].jf, insns->insn[i].k);
	fprintf(out, "# %s", shown);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
