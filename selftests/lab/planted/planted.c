// SPDX-License-Identifier: GPL-2.0
/*
 * Mistakes that the laboratory must find: loading this module makes the one that
 * its parameter names. It is never part of netnice.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>

static char *bug = "";
module_param(bug, charp, 0);

static int number;
/* Read at run time, so that the compiler does not see what comes. */
static volatile unsigned int many = 40;

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static void nothing(struct timer_list *timer)
{
}

static void plant_use_after_free(void)
{
	int *p = kmalloc(sizeof(*p), GFP_KERNEL);

	kfree(p);
	number = READ_ONCE(*p);
}

static void plant_out_of_bounds(void)
{
	char *p = kmalloc(many, GFP_KERNEL);

	number = READ_ONCE(p[many]);
	kfree(p);
}

static void plant_lock_order(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void plant_sleep_in_atomic(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	msleep(1);
	spin_unlock(&lock);
}

static void plant_shift(void)
{
	number = 1 << many;
}

/* Several: a stale pointer on some stack may hide one of them. */
static void plant_leak(void)
{
	unsigned int i;

	for (i = 0; i < many; i++)
		number += !kmalloc(1000, GFP_KERNEL);
}

static void plant_active_timer(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	timer_setup(timer, nothing, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static void plant_nothing(void)
{
}

static const struct {
	const char *name;
	void (*plant)(void);
} bugs[] = {
	{ "nothing", plant_nothing },
	{ "use-after-free", plant_use_after_free },
	{ "out-of-bounds", plant_out_of_bounds },
	{ "lock-order", plant_lock_order },
	{ "sleep-in-atomic", plant_sleep_in_atomic },
	{ "shift", plant_shift },
	{ "leak", plant_leak },
	{ "active-timer", plant_active_timer },
};

static int __init planted_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (!strcmp(bugs[i].name, bug)) {
			bugs[i].plant();
			return 0;
		}
	}
	return -EINVAL;
}

static void __exit planted_exit(void)
{
}

module_init(planted_init);
module_exit(planted_exit);

MODULE_DESCRIPTION("Mistakes for the laboratory to find");
MODULE_LICENSE("GPL");
