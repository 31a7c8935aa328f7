// Bounded polling, and calls at a fixed rate.
import { setTimeout as pause } from 'node:timers/promises'

/** Polls until the result suffices; throws an Error that names `what` after `timeoutMs`. A failed poll counts as no result. */
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

/** Runs `work` for 0 … count-1, at most `atOnce` at a time; the first failure ends the run. */
export async function runAtOnce(count: number, atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane))
}

/**
 * Starts `perSecond` calls a second for `seconds`, like independent clients: without waiting for earlier responses. Resolves when all calls
 * have ended; the first failure ends the run.
 */
export async function atPace(perSecond: number, seconds: number, call: (index: number) => Promise<unknown>): Promise<void> {
  const running = new Set<Promise<unknown>>()
  const failures: unknown[] = []
  const startedAt = performance.now()
  const count = Math.round(perSecond * seconds)
  for (let next = 0; next < count && failures.length === 0; ) {
    const due = Math.min(count, Math.floor(((performance.now() - startedAt) * perSecond) / 1_000) + 1)
    for (; next < due; next++) {
      const work = call(next).catch(error => failures.push(error))
      running.add(work)
      void work.finally(() => running.delete(work))
    }
    await pause(Math.max(1, startedAt + (next * 1_000) / perSecond - performance.now()))
  }
  await Promise.all(running)
  if (failures.length > 0) throw failures[0]
}
