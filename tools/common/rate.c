// SPDX-License-Identifier: GPL-2.0
#include "rate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "netdev.h"
#include "path.h"

/* Of a whole in percent, with as many digits as the grammar reads behind "m" */
#define MILLION		1000000ULL

u64 rate_of(const struct nnfs *fs, const char *vif, enum vif_dir dir)
{
	char *text = nnfs_read_vif(fs, vif, params[PARAM_BANDWIDTH].name);
	struct vif_params set[VIF_DIRS];
	bool is_read = text && !param_parse(PARAM_BANDWIDTH, text, set);

	free(text);
	return is_read ? set[dir].bandwidth : 0;
}

u64 rate_above(const struct nnfs *fs, const char *path, enum vif_dir dir)
{
	char *vif = strdup(path), *slash;
	u64 least = vif ? VIF_RATE_MAX : 0, rate;

	while (least && (slash = strrchr(vif, '/'))) {
		*slash = '\0';
		rate = rate_of(fs, vif, dir);
		if (rate < least)
			least = rate;
	}
	free(vif);
	return least;
}

/* Bytes per second that are 100%; 0 after a message. */
static u64 whole_of(const struct nnfs *fs, const char *path, const char *word,
		    enum vif_dir dir)
{
	u64 whole = rate_above(fs, path, dir);
	char dev[IF_NAMESIZE];

	if (!whole)
		complain_errno("%s: %s of what? The bandwidth of a VIF above cannot be read",
			       path, word);
	if (whole != VIF_RATE_MAX)
		return whole;
	path_device(path, dev);
	whole = netdev_speed_bytes_per_s(dev);
	if (!whole)
		complain("%s: %s of what? No VIF above has a bandwidth for %s, and %s does not report its link speed: give a rate",
			 path, word, vif_dir_name[dir], dev);
	return whole;
}

static bool is_percent(const char *word)
{
	return *word && word[strlen(word) - 1] == '%';
}

/* In millionths of a percent; 0 after a message. */
static u64 share_of(const char *path, const char *word)
{
	char text[32];
	struct vif_word number;
	u64 share;

	if (snprintf(text, sizeof(text), "%.*sm", (int)strlen(word) - 1, word) <
	    (int)sizeof(text)) {
		number = vif_word_of(text);
		if (!vif_parse_bits(&number, &share) && share && share <= 100 * MILLION)
			return share;
	}
	complain("%s: '%s' is not valid: use more than 0%% and up to 100%%", path, word);
	return 0;
}

/* Return: whether it could be printed. */
static bool put_percent(FILE *out, const struct nnfs *fs, const char *path,
			const char *word, enum vif_dir dir)
{
	const u64 share = share_of(path, word);
	const u64 whole = share ? whole_of(fs, path, word, dir) : 0;
	char text[VIF_PRINT_MAX];

	if (!whole)
		return false;
	/* at most 10^8 each; whole * share does not fit from 1.5 Tbit/s on */
	vif_print_bits(text, (whole / (100 * MILLION) * share +
			      whole % (100 * MILLION) * share / (100 * MILLION)) * 8);
	fprintf(out, "%s ", text);
	return true;
}

/* VIF_DIRS: neither */
static enum vif_dir find_dir(const char *word)
{
	enum vif_dir dir = VIF_EGRESS;

	while (dir < VIF_DIRS && strcasecmp(word, vif_dir_name[dir]))
		dir++;
	return dir;
}

/* A percentage without a direction is one of each direction's own. */
static bool put_words(FILE *out, const struct nnfs *fs, const char *path, char *words)
{
	enum vif_dir dir = VIF_DIRS;
	char *save, *word;

	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (!is_percent(word)) {
			fprintf(out, "%s ", word);
			dir = find_dir(word);
			continue;
		}
		for (enum vif_dir i = 0; i < VIF_DIRS; i++) {
			if (dir != VIF_DIRS && dir != i)
				continue;
			if (dir == VIF_DIRS)
				fprintf(out, "%s ", vif_dir_name[i]);
			if (!put_percent(out, fs, path, word, i))
				return false;
		}
		dir = VIF_DIRS;
	}
	return true;
}

char *rate_absolute(const struct nnfs *fs, const char *path, const char *value)
{
	char *words = strdup(value), *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool is_done;

	if (!words || !out)
		complain("%s: out of memory", path);
	is_done = words && out && put_words(out, fs, path, words);
	if (out)
		fclose(out);
	free(words);
	if (is_done && size) {
		text[size - 1] = '\0';	/* a space */
		return text;
	}
	free(text);
	return is_done ? strdup(value) : NULL;
}

/* Return: whether something was said. */
static bool remark(const char *word)
{
	const struct vif_word rate = vif_word_of(word);
	const int len = (int)rate.len - 3;
	char text[VIF_PRINT_MAX];
	u64 bits;

	if (len < 1 || strcasecmp(word + len, "bps") || vif_parse_bits(&rate, &bits))
		return false;
	vif_print_bits(text, bits);
	complain("%s is %s: bps are bytes per second, as to tc(8); bits are %.*sbit", word, text,
		 len, word);
	return true;
}

void rate_remark(const char *value)
{
	static bool is_said;
	char *words, *save, *word;

	if (is_said || !isatty(STDERR_FILENO))
		return;
	words = strdup(value);
	for (word = words ? strtok_r(words, " ", &save) : NULL; word && !is_said;
	     word = strtok_r(NULL, " ", &save))
		is_said = remark(word);
	free(words);
}
