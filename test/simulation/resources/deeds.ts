// Plan of one simulated Resource: its senders report in phases; people change, bind and archive it, plan maintenance and acknowledge
// incidents. The plan is made before the run begins, so that the same seed gives the same run.
import type { ObservationState } from '#shared/contracts/observations/heard-signal.ts'
import type { Random } from '../random.ts'
import { revisionNames, simulatedSignals } from './templates.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export interface Sent {
  signal: string
  state: ObservationState
  value: number | null
  /**
   * Age of the Observation when it is sent, ms; negative: the sender's clock is ahead. Null: the sender states no instant, and the keeper
   * sets it.
   */
  ageMs: number | null
  /** Id that the sender gives the report; `again`: the id of an earlier report. */
  sentId: 'none' | 'own' | 'again'
  labels: Record<string, string>
  signalKind: 'event' | null
  /** Repetition of an earlier report of this signal: unchanged (`as it was`) or with other content (`otherwise`). */
  repeats: 'nothing' | 'as it was' | 'otherwise'
}

export type Deed = { at: number } & (
  | { kind: 'observe'; observations: Sent[] }
  | { kind: 'update'; answers: Record<string, unknown> }
  | { kind: 'rebind'; template: string; answers: Record<string, unknown> }
  | { kind: 'maintain'; minutes: number }
  | { kind: 'end maintenance' }
  | { kind: 'acknowledge' }
  | { kind: 'archive' }
)

export function makeDeeds(random: Random, start: number, lengthMs: number): Deed[] {
  const end = start + lengthMs
  const deeds: Deed[] = simulatedSignals.flatMap(signal => reportsOn(random, signal, start, end))
  if (random.chance(0.5)) deeds.push(...history(random, start))
  const at = () => start + random.integer(minute, lengthMs)
  for (let i = random.integer(0, 4); i > 0; i--) deeds.push({ at: at(), kind: 'update', answers: answers(random) })
  for (let i = random.integer(0, 3); i > 0; i--)
    deeds.push({
      at: at(),
      kind: 'rebind',
      template: random.pick(revisionNames),
      answers: random.chance(0.5) ? answers(random) : {},
    })
  for (let i = random.integer(0, 4); i > 0; i--) deeds.push({ at: at(), kind: 'maintain', minutes: random.integer(5, 150) })
  for (let i = random.integer(0, 2); i > 0; i--) deeds.push({ at: at(), kind: 'end maintenance' })
  for (let i = random.integer(0, 4); i > 0; i--) deeds.push({ at: at(), kind: 'acknowledge' })
  if (random.chance(0.4)) {
    const archivedAt = end - random.integer(0, 5 * hour)
    deeds.push({ at: archivedAt, kind: 'archive' })
    if (random.chance(0.3)) deeds.push({ at: archivedAt + random.integer(1, 60) * minute, kind: 'archive' })
  }
  return deeds.filter(deed => deed.at < end).sort((one, other) => one.at - other.at)
}

const answers = (random: Random): Record<string, unknown> => ({
  ...(random.chance(0.5) ? { limit: random.pick([0, 3, 5, 6, 8, 9, null]) } : {}),
  ...(random.chance(0.4) ? { factor: random.pick([0.5, 1, 2, 3, null]) } : {}),
  ...(random.chance(0.4) ? { hold: random.pick([0, 60, 900, 3_600, null]) } : {}),
  // The keeper must refuse all three: the first two values are out of bounds, and the third has an unknown field.
  ...(random.chance(0.1) ? random.pick([{ limit: 99 }, { hold: -1 }, { strange: 1 }]) : {}),
})

type Mode = 'well' | 'bad' | 'mixed' | 'silent' | 'no data' | 'busy'

/**
 * Returns reports on one signal. If the bound revision does not declare the signal, a report is refused unless its sender declares the
 * signal.
 */
function reportsOn(random: Random, signal: string, start: number, end: number): Deed[] {
  const deeds: Deed[] = []
  const every = { beat: 5 * minute, load: 10 * minute, push: 25 * minute, disk: 30 * minute }[signal] ?? hour
  for (let at = start + random.integer(1, every); at < end; ) {
    const mode = random.pick<Mode>(['well', 'well', 'bad', 'bad', 'mixed', 'silent', 'no data', 'busy'])
    const until = at + random.integer(10 * minute, 3 * hour)
    if (mode === 'silent') at = until
    for (; at < until; at += Math.floor(every * (mode === 'busy' ? 0.2 : 0.5 + random.next()))) {
      const count = random.chance(0.1) ? random.integer(2, 4) : 1
      deeds.push({ at, kind: 'observe', observations: Array.from({ length: count }, () => sentIn(random, signal, mode)) })
    }
  }
  return deeds
}

function sentIn(random: Random, signal: string, mode: Mode): Sent {
  const isBad = mode === 'bad' || ((mode === 'mixed' || mode === 'busy') && random.chance(0.5))
  const state = mode === 'no data' && random.chance(0.7) ? 'no_data' : isBad ? 'problem' : 'ok'
  const value = random.chance(0.1) ? null : random.integer(isBad ? 4 : 0, isBad ? 9 : 5)
  return { signal, state, value, ...timing(random), ...identity(random), signalKind: random.chance(0.02) ? 'event' : null }
}

function timing(random: Random): Pick<Sent, 'ageMs'> {
  const kind = random.integer(0, 19)
  if (kind < 6) return { ageMs: null }
  if (kind < 15) return { ageMs: random.integer(0, 3_000) }
  if (kind === 15) return { ageMs: -random.integer(1, 55) * second }
  if (kind === 16) return { ageMs: random.integer(1, 26 * 60) * minute }
  // An Observation 5 minutes in the future is refused.
  if (kind === 17) return { ageMs: random.chance(0.3) ? -5 * minute : random.integer(1, 90) * second }
  return { ageMs: random.integer(5, 1_200) * second }
}

function identity(random: Random): Pick<Sent, 'sentId' | 'labels' | 'repeats'> {
  const sentId = random.pick(['none', 'none', 'none', 'own', 'own', 'again'] as const)
  const repeats = sentId === 'none' && random.chance(0.1) ? random.pick(['as it was', 'otherwise'] as const) : 'nothing'
  return { sentId, repeats, labels: random.chance(0.2) ? { zone: random.pick(['a', 'b']) } : {} }
}

/** Returns reports with days of history from another system. These reports arrive late, in batches, in any order. */
const history = (random: Random, start: number): Deed[] =>
  Array.from({ length: random.integer(1, 3) }, (_, i) => ({
    at: start + (i + 1) * 90 * second,
    kind: 'observe' as const,
    observations: Array.from({ length: random.integer(3, 15) }, () => ({
      ...sentIn(random, random.pick(['beat', 'load', 'load', 'push']), 'mixed'),
      ageMs: random.integer(30, 3 * 24 * 60) * minute,
    })),
  }))
