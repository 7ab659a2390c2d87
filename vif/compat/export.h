/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols of netnice.ko that its options use (tree/option.h), in a namespace: no other module gets
 * them by mistake. From 6.13 on the namespace is a string.
 */
#ifndef NETNICE_COMPAT_EXPORT_H
#define NETNICE_COMPAT_EXPORT_H

#include <linux/module.h>

#ifdef HAVE_NAMESPACE_STRING
#define VIF_EXPORT(symbol)	EXPORT_SYMBOL_NS_GPL(symbol, "NETNICE")
#define VIF_IMPORT		MODULE_IMPORT_NS("NETNICE")
#else
#define VIF_EXPORT(symbol)	EXPORT_SYMBOL_NS_GPL(symbol, NETNICE)
#define VIF_IMPORT		MODULE_IMPORT_NS(NETNICE)
#endif

#endif
