// A second evaluator of generation 2's policies, written from the words of spec B and D as directly as they can be: for each instant
// it looks at the whole history again. Slow and plain on purpose; the real one must say the same.
import type { Policy, PolicyInput } from '#shared/contracts/policy.ts'
import type { Verdict } from '#shared/contracts/verdict.ts'

export interface NaiveReport {
  signal: string
  /** When the sender saw it, and when it came, ms. */
  observedAt: number
  arrivedAt: number
  ok: boolean
  value: number | null
  labels: Record<string, string>
}

export interface NaiveWorld {
  signals: Record<string, 'heartbeat' | 'event'>
  rules: Record<string, Policy>
  /** Accepted ones, in the order in which they arrived. */
  reports: NaiveReport[]
  /** When each rule's inputs were added, ms. */
  addedAt: number
}

/** What the rule says at `at`, ms. */
export function naiveVerdict(world: NaiveWorld, rule: string, at: number): Verdict {
  const policy = world.rules[rule] as Policy
  const n = policy.inputs.length
  if (n === 0) return 'no_data'
  const inputs = policy.inputs.map(input => naiveReading(world, input, at))
  const k = { any: 1, majority: Math.floor(n / 2) + 1, all: n, at_least: policy.atLeast ?? 0 }[policy.need]
  const said = count(inputs, k)
  if (said !== 'no_data') return said
  const asIfOk = inputs.map(input => (input === 'young' ? 'ok' : input))
  return asIfOk.some((input, i) => input !== inputs[i]) && count(asIfOk, k) === 'ok' ? 'not_judged' : 'no_data'
}

type Reading = 'problem' | 'ok' | 'unknown' | 'young'

function count(inputs: Reading[], k: number): Verdict {
  const t = inputs.filter(input => input === 'problem').length
  const u = inputs.filter(input => input === 'unknown' || input === 'young').length
  if (t >= k) return 'problem'
  return t + u >= k ? 'no_data' : 'ok'
}

function naiveReading(world: NaiveWorld, input: PolicyInput, at: number): Reading {
  if (input.from !== null) {
    const verdict = naiveVerdict(world, input.from, at)
    return verdict === 'not_judged' ? 'young' : verdict === 'no_data' ? 'unknown' : verdict
  }
  const isEvent = world.signals[input.signal as string] === 'event'
  const silentAfter = input.noDataAfterMs ?? 300_000
  let newest: NaiveReport | null = null
  for (const report of world.reports) {
    if (report.signal !== input.signal || report.arrivedAt > at) continue
    const fits = Object.entries(input.match ?? {}).every(([key, value]) =>
      value === '*' ? report.labels[key] !== undefined : report.labels[key] === value,
    )
    if (fits && (newest === null || report.observedAt >= newest.observedAt)) newest = report
  }
  if (newest === null) {
    if (isEvent) return 'ok'
    return at - world.addedAt > silentAfter ? 'unknown' : 'young'
  }
  if (!isEvent && at - newest.observedAt > silentAfter) return 'unknown'
  if (input.mode === 'status') return newest.ok ? 'ok' : 'problem'
  if (newest.value === null) return 'unknown'
  const isProblem = input.compare === '<' ? newest.value < (input.threshold ?? 0) : newest.value > (input.threshold ?? 0)
  return isProblem ? 'problem' : 'ok'
}
