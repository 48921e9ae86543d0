/*
 * tcrypt's speed modes: the algorithms that a mode number stands for.
 *
 * A number means different things in different kernels (422 was multibuffer
 * sha1 in 5.10 and is sm3 since 6.1), so a mode lists what any kernel from 5.10
 * on measures under it. What is listed and absent costs nothing: tcrypt says
 * so and goes on.
 */
#ifndef GATE_RUNNERS_MODES_H
#define GATE_RUNNERS_MODES_H

#include <stddef.h>

/*
 * Calls each() once for every component that the algorithms of `mode` are made
 * of ("gcm(aes)": gcm, aes, and ghash and ctr, which gcm asks for by itself);
 * a component may come more than once. Returns how many calls there were: 0 is
 * a mode that is no speed test.
 */
size_t gate_modes_components(unsigned mode,
			     void (*each)(void *ctx, const char *name),
			     void *ctx);
/* The same for one algorithm name as tcrypt's alg= takes it. */
size_t gate_modes_alg_components(const char *alg,
				 void (*each)(void *ctx, const char *name),
				 void *ctx);

#endif
