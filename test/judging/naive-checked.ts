// A second evaluator of comparisons of checked signals, written directly from the words of docs/reference/v3.md, 4.15. Slow and simple on
// purpose; the real evaluator must agree with it.
import type { Comparison } from '#shared/contracts/resources/template.ts'
import type { CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { Reading } from '#shared/contracts/subjects/subject.ts'

type Place = 'true' | 'false' | 'unknown' | 'young'

export interface NaiveChecked {
  comparison: Comparison
  checked: CheckedSignal
  /** By location. */
  readings: Readonly<Record<string, Reading>>
  silenceAt: number
}

/** Returns the truth over all locations. Operands are numbers. */
export function naiveChecked({ comparison, checked, readings, silenceAt }: NaiveChecked): true | false | 'unknown' {
  const places = checked.locations
    .map(location => readings[location] as Reading)
    .filter(reading => !(reading.at === null && reading.cannot !== undefined))
    .map(reading => placeOf(comparison, checked, reading, silenceAt))
  const n = places.length
  const count = (...words: Place[]) => places.filter(place => words.includes(place)).length
  const u = count('unknown', 'young')
  if (n === 0) return 'unknown'
  if (comparison.field === 'known') {
    if (2 * u < n) return true
    return 2 * count('unknown') < n ? 'unknown' : false
  }
  const t = count('true')
  const k = { any: 1, majority: Math.floor(n / 2) + 1, all: n }[checked.agreement]
  if (t >= k) return true
  if (2 * u >= n) return 'unknown'
  return t + u >= k ? 'unknown' : false
}

function placeOf(comparison: Comparison, checked: CheckedSignal, reading: Reading, silenceAt: number): Place {
  const { at, ok, totalMs } = reading
  if (at === null) return silenceAt <= reading.addedAt + checked.graceMs ? 'young' : 'unknown'
  const age = silenceAt - at
  if (age > Math.max(3 * checked.everySeconds, 60) * 1_000) return 'unknown'
  if (comparison.field === 'known')
    return comparison.within_seconds != null && age > comparison.within_seconds * 1_000 ? 'unknown' : 'true'
  if (comparison.field === 'status') {
    const isState = (comparison.operand === 'ok') === ok
    return String(comparison.operator === 'eq' ? isState : !isState) as Place
  }
  if (comparison.field === 'missed') throw new Error('checks are never missed')
  if (totalMs === null) return 'unknown'
  const operand = comparison.operand as number
  const holds = {
    eq: totalMs === operand,
    neq: totalMs !== operand,
    gt: totalMs > operand,
    gte: totalMs >= operand,
    lt: totalMs < operand,
    lte: totalMs <= operand,
  }
  return String(holds[comparison.operator]) as Place
}
