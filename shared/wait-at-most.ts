// Waiting that must not hang: for work whose end is wanted, but not at any price.
import type { Clock } from '#shared/clock.ts'

/** Resolves when `work` has ended, well or not, or after `graceMs`, whichever is first; what is not done by then goes on unheard. */
export async function waitAtMost(clock: Clock, graceMs: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(graceMs, resolve)
  await Promise.race([
    promise,
    work.then(
      () => undefined,
      () => undefined,
    ),
  ])
  cancel()
}
