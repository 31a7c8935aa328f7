// Waiting for something that can only be asked for, bounded in time.
import { setTimeout as pause } from 'node:timers/promises'

/** Asks again until the answer is enough; throws an Error that names `what` after `timeoutMs`. A failing question counts as no answer. */
export async function pollUntil<T>(
  what: string,
  ask: () => Promise<T>,
  isEnough: (answer: T) => boolean,
  { timeoutMs, pauseMs }: { timeoutMs: number; pauseMs: number },
): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs
  let last: unknown = 'nothing'
  for (;;) {
    try {
      const answer = await ask()
      if (isEnough(answer)) return answer
      last = answer
    } catch (error) {
      last = (error as Error).message
    }
    if (performance.now() > giveUpAt) {
      throw new Error(`Waited ${timeoutMs / 1_000} s in vain for ${what}; last: ${JSON.stringify(last).slice(0, 1_500)}`)
    }
    await pause(pauseMs)
  }
}

/** Runs `work` over 0 … count-1 with at most `atOnce` of them under way; the first failure ends it. */
export async function runAtOnce(count: number, atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane))
}
