/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ends a program that has found something wrong, and how the good news
 * is told: KTAP, one line for each property.
 */
#ifndef LAB_CHECK_H
#define LAB_CHECK_H

/**
 * lab_fail() - say what is wrong, where, and how to see it again; then end
 * @format: as printf()'s
 */
__attribute__((noreturn, format(printf, 1, 2)))
void lab_fail(const char *format, ...);

/* What lab_fail() prints besides: how to repeat the run. */
extern void (*lab_where)(void);

#define lab_check(condition, ...) \
	do { \
		if (!(condition)) \
			lab_fail(__VA_ARGS__); \
	} while (0)

/* One more property holds. */
__attribute__((format(printf, 1, 2)))
void lab_ok(const char *format, ...);

/* All have been told. */
void lab_plan(void);

#endif
