// SPDX-License-Identifier: GPL-2.0
// Divisions, remainders, roundings, shifts and multiplications by what is no constant: see the list
// `bounds'.
// A disjunction that names both kinds would overlook one inside of the other.

@constant_divisor@
expression a, b;
constant c;
type T;
position p;
@@
(
  a /@p c
|
  a %@p c
|
  a /@p sizeof(b)
|
  a /@p sizeof(T)
)

@divided@
expression a, b;
position p != constant_divisor.p;
@@
(
* a /@p b
|
* a %@p b
)

@constant_shift@
expression a;
constant c;
position p;
@@
(
  a <<@p c
|
  a >>@p c
)

@shifted@
expression a, b;
position p != constant_shift.p;
@@
(
* a <<@p b
|
* a >>@p b
)

@constant_argument@
expression a, b;
constant c;
position p;
@@
(
  div_u64@p(a, c)
|
  div64_u64@p(a, c)
|
  mul_u64_u64_div_u64@p(a, b, c)
|
  DIV_ROUND_UP@p(a, c)
)

@called@
expression a, b, d;
position p != constant_argument.p;
@@
(
* div_u64@p(a, b)
|
* div_u64_rem@p(a, b, d)
|
* div64_u64@p(a, b)
|
* div64_s64@p(a, b)
|
* mul_u64_u64_div_u64@p(a, b, d)
|
* mul_u64_u32_shr@p(a, b, d)
|
* DIV_ROUND_UP@p(a, b)
|
* round_down@p(a, b)
|
* round_up@p(a, b)
|
* ALIGN@p(a, b)
)

@constant_factor@
expression a, b;
constant c;
type T;
position p;
@@
(
  a *@p c
|
  c *@p a
|
  a *@p sizeof(b)
|
  a *@p sizeof(T)
|
  sizeof(b) *@p a
|
  sizeof(T) *@p a
)

@multiplied@
expression a, b;
position p != constant_factor.p;
@@
* a *@p b

@constant_assigned@
expression a;
constant c;
position p;
@@
(
  a *=@p c
|
  a <<=@p c
|
  a >>=@p c
|
  a /=@p c
|
  a %=@p c
)

@assigned@
expression a, b;
position p != constant_assigned.p;
@@
(
* a *=@p b
|
* a <<=@p b
|
* a >>=@p b
|
* a /=@p b
|
* a %=@p b
)
