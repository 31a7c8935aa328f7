// What the outside does to calls at the moment: how often they fail, before or after they took effect, and how long they take.
import type { Life } from './life.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Shares are probabilities of one call. */
export interface Sky {
  /** Calls that answer `unavailable`: before they took effect, after it, or in the middle of a bulk. */
  failures: number
  /** Calls that answer `unavailable` and take effect seconds later. */
  late: number
  /** Every call takes between 0 and this. */
  latencyMs: number
  /** Nothing is reached. */
  isGone: boolean
}

export interface Weather {
  store: Sky
  /** The buckets and the stream, as keepers see them. */
  bus: Sky
  /** Commands that get lost on their way to a keeper, answers on their way back, and commands that come twice. */
  lostCommands: number
  lostReplies: number
  doubledCommands: number
  /** The longest that a report takes from the stream to a keeper. */
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
  /** Carries out a part of a bulk. */
  actInPart?: () => Promise<unknown>
  failure: () => Error
}

/** A call from a process to the outside, through the weather. Bounded by the weather: it always ends unless the process does. */
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
    time.after(random.integer(100, 9_000), () => void act().catch(() => undefined))
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
