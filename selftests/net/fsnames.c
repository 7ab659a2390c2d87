// SPDX-License-Identifier: GPL-2.0
/* the names and values that fsfuzz tries */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fsfuzz.h"

/* What has units is no multiple of the next greater one. */
const struct setting settings[SETTINGS] = {
	{ "bandwidth", "%uk", "%ukbit", 8, 99999 },
	{ "burst", "%uus", "%uus", 1, 99999 },
	{ "weight", "%u", "%u", 1, 10000 },
	{ "local_weight", "%u", "%u", 1, 10000 },
	{ "priority", "%u", "%u", 0, 7 },
	{ "local_priority", "%u", "%u", 0, 7 },
	{ "limit", "%up", "%upackets", 1, 1000000 },
	{ "aqm", "codel interval 10s target %uus", "codel target %uus interval 10s", 1, 99999 },
};

static const char *const files[] = {
	"bandwidth", "burst", "weight", "priority", "local_weight", "local_priority",
	"limit", "aqm", "fair", "autoremove", "tasks", "sockets", "stat", "stack", "ports",
};

static const char *const vifs[] = { "a", "b", "c", "d" };

const char *device_name(struct worker *w)
{
	static const char *const devices[] = { "eth0", "eth0", "eth0", "eth1", "lo" };

	return ONE_OF(w, devices);
}

/* The user has a home, which only heal() may take away. */
void vif_path(struct worker *w, char *path)
{
	bool home = once_in(w, w->user ? 2 : 4);
	unsigned int depth = home + below(w, 4);
	char *end = path;

	end += sprintf(end, TOP "/%s", home ? "eth0/home" : device_name(w));
	for (unsigned int i = home; i < depth || (home && i == 1); i++)
		end += sprintf(end, "/%s", ONE_OF(w, vifs));
}

void file_path(struct worker *w, char *path)
{
	vif_path(w, path);
	strcat(path, "/");
	strcat(path, ONE_OF(w, files));
}

/* a directory of something that can be attached, or one of those above */
void target_path(struct worker *w, char *path)
{
	const struct victim *victim = &shared->victim[below(w, VICTIMS)];
	unsigned int group = below(w, 3);

	switch (below(w, 12)) {
	case 0:
		strcpy(path, TOP "/tasks");
		break;
	case 1:
		strcpy(path, TOP "/tasks/self");
		break;
	case 2:
		sprintf(path, TOP "/tasks/%d/threads", victim->pid);
		break;
	case 3:
		sprintf(path, TOP "/tasks/%d/threads/%d", victim->pid, victim->tid);
		break;
	case 4:
		sprintf(path, TOP "/tasks/%d/sockets", victim->pid);
		break;
	case 5:
	case 6:
		sprintf(path, TOP "/tasks/%d/sockets/%d", victim->pid, victim->fd);
		break;
	case 7:
		sprintf(path, TOP "/cgroups%s", once_in(w, 3) ? "" : "/fsfuzz");
		break;
	case 8:
		sprintf(path, TOP "/cgroups/fsfuzz/%u", group);
		break;
	case 9:
		sprintf(path, TOP "/devices/%s", device_name(w));
		break;
	default:
		sprintf(path, TOP "/tasks/%d", victim->pid);
	}
}

static void odd_name(struct worker *w, char *name)
{
	static const char *const odd[] = {
		".", "..", "", "x/", "a/", "a/.", "a/..", "user-1", "user-", "\n", "a\nb", "-",
		"\xc3\xbc", "\xff\xfe", "%s%n", "eth0", "socket", "threads", "sockets", "self",
		"last_error", "0", "1", "4194305", "-1", "00", "99999999999", "...", "a b", "\x1b[2J",
	};
	static const unsigned int lengths[] = { 62, 63, 64, 254, 255, 256, 300 };
	unsigned int length;

	if (once_in(w, 3)) {
		length = ONE_OF(w, lengths);
		memset(name, 'a' + below(w, 26), length);
		name[length] = '\0';
	} else {
		strcpy(name, ONE_OF(w, odd));
	}
}

void any_name(struct worker *w, char *name)
{
	switch (below(w, 6)) {
	case 0:
		strcpy(name, device_name(w));
		break;
	case 1:
		odd_name(w, name);
		break;
	case 2:
	case 3:
		strcpy(name, ONE_OF(w, files));
		break;
	default:
		strcpy(name, ONE_OF(w, vifs));
	}
}

/* What is above is no place for this. */
static bool leaves_top(int dir, const char *name)
{
	struct stat about;

	return !strcmp(name, "..") && (dir == AT_FDCWD || (!fstat(dir, &about) && about.st_ino == shared->top_ino));
}

static void below_path(struct worker *w, char *path)
{
	char name[NAME_SIZE];

	any_name(w, name);
	strcat(path, "/");
	strcat(path, name);
}

void any_place(struct worker *w, struct place *place)
{
	place->dir = AT_FDCWD;
	switch (below(w, 10)) {
	case 0:
	case 1:
	case 2:
		vif_path(w, place->path);
		break;
	case 3:
	case 4:
		file_path(w, place->path);
		break;
	case 5:
		target_path(w, place->path);
		break;
	case 6:
		target_path(w, place->path);
		strcat(place->path, "/");
		strcat(place->path, once_in(w, 4) ? "socket" : device_name(w));
		break;
	case 7:
		(once_in(w, 2) ? vif_path : target_path)(w, place->path);
		below_path(w, place->path);
		break;
	case 8:
		/* where the worker is */
		any_name(w, place->path);
		if (leaves_top(place->dir, place->path))
			strcpy(place->path, ".");
		break;
	default:
		/* its directory may have gone meanwhile, or be no directory */
		place->dir = w->fd[below(w, SLOTS)];
		any_name(w, place->path);
		if (leaves_top(place->dir, place->path))
			strcpy(place->path, ".");
	}
}

/* what is accepted, at least somewhere */
static size_t valid_value(struct worker *w, char *text)
{
	static const char *const words[] = { "max", "auto", "none", "codel", "1", "0", "1m", "5ms", "64k" };
	static const char *const directions[] = { "", "egress ", "ingress ", " egress\t" };
	const struct setting *setting = &ONE_OF(w, settings);
	char *end = text;

	end += sprintf(end, "%s", ONE_OF(w, directions));
	if (once_in(w, 3))
		end += sprintf(end, "%s", ONE_OF(w, words));
	else
		end += sprintf(end, setting->written, setting->min + below(w, setting->max));
	if (once_in(w, 2))
		end += sprintf(end, "\n");
	return end - text;
}

static size_t bad_value(struct worker *w, char *text, size_t size)
{
	static const char *const words[] = {
		"", " ", "\n", "-1", "egress", "egress ingress", "egress 1m egress 1m", "1m 1m",
		"99999999999999999999999999", "1e9", "0x10", "1.5.5m", ".", "1..", "NaN", "\xc3\xbc",
		"1m\xff", "codel target", "codel target 1s interval 1us", "%s%s%n", "7kbit", "401gbit",
	};
	static const size_t lengths[] = { 1, 3, 255, 256, 257, 4096, 65536 };
	size_t length;

	if (once_in(w, 2)) {
		strcpy(text, ONE_OF(w, words));
		return strlen(text);
	}
	length = ONE_OF(w, lengths);
	if (length > size)
		length = size;
	for (size_t i = 0; i < length; i++)
		text[i] = below(w, 256);
	return length;
}

size_t any_value(struct worker *w, char *text, size_t size)
{
	const struct victim *victim = &shared->victim[below(w, VICTIMS)];
	size_t length;

	switch (below(w, 8)) {
	case 0:
		return sprintf(text, "%d\n", once_in(w, 4) ? 0 : victim->pid);
	case 1:
		return sprintf(text, "%d/%d", victim->pid, victim->tid);
	case 2:
	case 3:
		return bad_value(w, text, size);
	case 4:
		/* a part, or with a zero byte in it */
		length = valid_value(w, text);
		if (once_in(w, 2))
			return below(w, length + 1);
		text[below(w, length)] = '\0';
		return length;
	default:
		return valid_value(w, text);
	}
}
