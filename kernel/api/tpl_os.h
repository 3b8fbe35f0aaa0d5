/* SPDX-License-Identifier: Apache-2.0
 *
 * The name under which applications of Trampoline include the operating system, with the words of AUTOSAR's compiler
 * abstraction and platform types in which they are written.  docs/guide/porting.md says what differs.  A memory class
 * says nothing: each of these macros is its type. */
#ifndef CARILLON_TPL_OS_H
#define CARILLON_TPL_OS_H

#include <stddef.h>
#include <stdint.h>

#ifndef FUNC /* the application's own Compiler.h has them */
#define FUNC(type, class) type
#define VAR(type, class) type
#define CONST(type, class) const type
#define P2VAR(type, target, class) type *
#define P2CONST(type, target, class) const type *
#define CONSTP2VAR(type, target, class) type *const
#define CONSTP2CONST(type, target, class) const type *const
#define P2FUNC(type, class, name) type(*name)
#endif
#ifndef STATIC
#define STATIC static
#endif

#ifndef PLATFORM_TYPES_H /* so with its own Platform_Types.h */
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef int8_t sint8;
typedef int16_t sint16;
typedef int32_t sint32;
typedef float float32;
typedef unsigned char boolean;
#endif
#ifndef TRUE
#define TRUE ((boolean)1)
#endif
#ifndef FALSE
#define FALSE ((boolean)0)
#endif

/* What an ISR of Trampoline's older versions calls at its end, and where it ends. */
#define CallTerminateISR2() return

#include "carillon/osek.h" /* last: the names of objects may be any */

#endif
