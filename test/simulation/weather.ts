// Weather: the injected failures and delays of calls to the store and the bus. A call can fail before or after it takes effect.
import type { Life } from './life.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Conditions of the calls to one target. Shares are probabilities for one call. */
export interface Sky {
  /** Share of calls that reject with `unavailable`, before or after they take effect, or in the middle of a bulk write. */
  failures: number
  /** Share of calls that reject with `unavailable` and take effect seconds later. */
  late: number
  /** Longest duration of a call, ms. */
  latencyMs: number
  /** True: no call reaches its target. */
  isGone: boolean
}

export interface Weather {
  store: Sky
  /** Conditions of the keepers' calls to buckets and stream. */
  bus: Sky
  /** Shares of commands lost on their way to a keeper, of lost replies, and of commands delivered twice. */
  lostCommands: number
  lostReplies: number
  doubledCommands: number
  /** Longest time from the stream to a keeper, ms. */
  feedMs: number
}

export const clearSky = (): Sky => ({ failures: 0, late: 0, latencyMs: 0, isGone: false })

export const clearWeather = (): Weather => ({
  store: clearSky(),
  bus: clearSky(),
  lostCommands: 0,
  lostReplies: 0,
  doubledCommands: 0,
  feedMs: 0,
})

export interface Outside {
  time: VirtualTime
  random: Random
  note(text: string): void
}

export interface Call<T> {
  sky: Sky
  act: () => Promise<T>
  /** Carries out a part of a bulk write. */
  actInPart?: () => Promise<unknown>
  failure: () => Error
}

/** Calls the store or the bus for a process, with injected failures and delays. The call always ends unless the process dies. */
export function reach<T>(life: Life, outside: Outside, call: Call<T>): Promise<T> {
  return life.pass(travel(life, outside, call))
}

async function travel<T>(life: Life, { time, random }: Outside, { sky, act, actInPart, failure }: Call<T>): Promise<T> {
  const end = life.call()
  if (end === 'dies before') return new Promise(() => undefined)
  if (sky.latencyMs > 0) await time.pass(random.next() * sky.latencyMs)
  if (sky.isGone) {
    await time.pass(random.integer(0, 3) * 300)
    throw failure()
  }
  if (random.chance(sky.late)) {
    time.schedule(random.integer(100, 9_000), () => void act().catch(() => undefined))
    await time.pass(random.integer(0, 500))
    throw failure()
  }
  if (random.chance(sky.failures)) {
    const fate = random.integer(0, 2)
    if (fate === 1) await act()
    if (fate === 2) await actInPart?.()
    throw failure()
  }
  const result = await act()
  if (sky.latencyMs > 0) await time.pass(random.next() * sky.latencyMs)
  return result
}
