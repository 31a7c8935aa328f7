// A second evaluator of generation 2's policies, written directly from the words of reference/judging 1 and 3. For each instant it reads
// the whole history again. Slow and simple on purpose; the real evaluator must agree with it.
import type { Policy, PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { Verdict } from '#shared/contracts/subjects/verdict.ts'

export interface NaiveReport {
  signal: string
  /** Instant that the sender gives the observation, and instant of its arrival (`arrivedAt`), ms. */
  observedAt: number
  arrivedAt: number
  ok: boolean
  value: number | null
  labels: Record<string, string>
}

export interface NaiveWorld {
  signals: Record<string, 'heartbeat' | 'event'>
  rules: Record<string, Policy>
  /** Accepted observations in order of arrival. */
  reports: NaiveReport[]
  /** Instant at which each rule was first saved, ms. */
  addedAt: number
  /** Later versions of rules in order; null: the rule was deleted. */
  saved: { rule: string; at: number; policy: Policy | null }[]
  /**
   * Periods in which no input becomes silent, because reports could not be accepted or may still arrive; absent: none. `takesOld`: an old
   * report that arrives in the period also keeps its input from becoming silent.
   */
  blind?: { from: number; until: number; takesOld?: boolean }[]
}

/** The policy in force at `at`; null: the rule is deleted. */
export function policyAt(world: NaiveWorld, rule: string, at: number): Policy | null {
  return versionsAt(world, rule, at).at(-1)?.policy ?? null
}

/** Returns the verdict of the rule at `at`, ms. Throws if the rule is deleted. */
export function naiveVerdict(world: NaiveWorld, rule: string, at: number): Verdict {
  const policy = policyAt(world, rule, at)
  if (policy === null) throw new Error(`the rule ${rule} is deleted`)
  const n = policy.inputs.length
  if (n === 0) return 'no_data'
  const inputs = policy.inputs.map(input => naiveReading(world, rule, input, at))
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

function naiveReading(world: NaiveWorld, rule: string, input: PolicyInput, at: number): Reading {
  if (input.from !== null) {
    const verdict = naiveVerdict(world, input.from, at)
    return verdict === 'not_judged' ? 'young' : verdict === 'no_data' ? 'unknown' : verdict
  }
  const isEvent = world.signals[input.signal as string] === 'event'
  const silentAfter = input.noDataAfterMs ?? 300_000
  const newest = newestReport(world, input, at)
  const blind = world.blind?.find(one => at >= one.from && at < one.until)
  if (newest === null) {
    if (isEvent) return 'ok'
    return (blind?.from ?? at) - addedAt(world, rule, input, at) > silentAfter ? 'unknown' : 'young'
  }
  const isTaken = blind?.takesOld === true && newest.arrivedAt >= blind.from
  if (!isEvent && !isTaken && (blind?.from ?? at) - newest.observedAt > silentAfter) return 'unknown'
  if (input.mode === 'status') return newest.ok ? 'ok' : 'problem'
  if (newest.value === null) return 'unknown'
  const isProblem = input.compare === '<' ? newest.value < (input.threshold ?? 0) : newest.value > (input.threshold ?? 0)
  return isProblem ? 'problem' : 'ok'
}

/** Returns the newest selected observation by its instant. Of two observations with the same instant, the later arrival counts. */
function newestReport({ reports }: NaiveWorld, input: PolicyInput, at: number): NaiveReport | null {
  let newest: NaiveReport | null = null
  for (let i = countUntil(reports, at) - 1; i >= 0; i--) {
    const report = reports[i] as NaiveReport
    // An accepted report is dated at most a minute after its arrival, so no earlier arrival can be newer.
    if (newest !== null && report.arrivedAt + 60_000 < newest.observedAt) break
    if (report.signal !== input.signal) continue
    const fits = Object.entries(input.match ?? {}).every(([key, value]) =>
      value === '*' ? report.labels[key] !== undefined : report.labels[key] === value,
    )
    if (fits && (newest === null || report.observedAt > newest.observedAt)) newest = report
  }
  return newest
}

/** Number of reports that have arrived by `at`. */
function countUntil(reports: NaiveReport[], at: number): number {
  let low = 0
  let high = reports.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((reports[middle] as NaiveReport).arrivedAt <= at) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the instant at which the input was added. An input stays the same in later versions if its signal, mode and match are equal. */
function addedAt(world: NaiveWorld, rule: string, input: PolicyInput, at: number): number {
  let added = at
  for (const version of versionsAt(world, rule, at).reverse()) {
    if (!version.policy?.inputs.some(other => isSame(input, other))) break
    added = version.at
  }
  return added
}

function versionsAt(world: NaiveWorld, rule: string, at: number): { at: number; policy: Policy | null }[] {
  const first = { at: world.addedAt, policy: world.rules[rule] ?? null }
  return [first, ...world.saved.filter(one => one.rule === rule && one.at <= at)]
}

function isSame(one: PolicyInput, other: PolicyInput): boolean {
  const text = ({ match }: PolicyInput) => JSON.stringify(Object.entries(match ?? {}).sort())
  return one.signal === other.signal && one.from === other.from && one.mode === other.mode && text(one) === text(other)
}
