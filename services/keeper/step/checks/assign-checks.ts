// Checked signals of a Resource after a change of its Template or its answers. Pure. Reference: docs/reference/v3.md, 3.21 and 4.15.

import { timeoutSeconds } from '#shared/checks/connection-fields.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { Reading, SubjectDocument, TemplateState } from '#shared/contracts/subjects/subject.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { type BoundCheck, checksOf, usualAnswers } from '#shared/manifest/check-options.ts'
import { sourceAt, suffixes } from '#shared/subjects/sources.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import { UnusableTemplate } from '../judging/resource-template.ts'
import { neverReported } from '../observations/never-reported.ts'
import type { TemplateOf } from '../types.ts'
import { checkLists, isOf } from './check-lists.ts'
import { putEntries } from './put-entries.ts'

type Templated = SubjectDocument & { templated: TemplateState }

/** Returns the checks of a Resource; none if its Template cannot be used. */
export function presentChecks(subject: SubjectDocument, templateOf: TemplateOf): BoundCheck[] {
  const { templated } = subject
  if (templated?.checks === undefined) return []
  try {
    return checksOf(templateOf(subject), templated.answers)
  } catch (error) {
    if (error instanceof UnusableTemplate) return []
    throw error
  }
}

/**
 * Returns the Resource with the checks of its Template and its answers. `before`: its checks until now. Readings of kept locations stay, but
 * for a signal that watches something else now. Changed entries are written. Returns `no_room` if the Resource has had too many signals.
 */
export function withChecks(
  subject: Templated,
  template: Pick<Template, 'signals'>,
  before: readonly BoundCheck[],
  at: number,
): SubjectDocument | 'no_room' {
  const { templated } = subject
  const checks = checksOf(template, templated.answers)
  const known = templated.checks ?? []
  if (checks.length === 0 && known.length === 0) return subject
  const checked = checkedSignals(checks, known)
  if (checked === null) return 'no_room'
  const readings = readingsOf(subject, checks, checked, { before, at })
  const next: SubjectDocument = { ...subject, readings, templated: { ...templated, checks: checked } }
  const lists = checkLists(checks, checked, 0)
  const isUnchanged = subject.checkRev !== null && isSame([...lists], [...checkLists(before, known, 0)])
  if (isUnchanged) return next
  return putEntries(next, [...lists.keys()], (location, rev) => ({ ...listAt(lists, location), rev }))
}

function listAt(lists: ReturnType<typeof checkLists>, location: string) {
  const list = lists.get(location)
  if (list === undefined) throw new Error(`no check at ${location}`)
  return list
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Returns the checked signals in the order of the Template, then those that it lacks. Null: no suffix is left for a new one. */
function checkedSignals(checks: readonly BoundCheck[], known: readonly CheckedSignal[]): CheckedSignal[] | null {
  const used = new Set(known.map(({ suffix }) => suffix))
  const present: CheckedSignal[] = []
  for (const check of checks) {
    const suffix = known.find(one => isOf(one, check))?.suffix ?? suffixes.find(one => !used.has(one))
    if (suffix === undefined) return null
    used.add(suffix)
    const { signal, kind, everySeconds, locations, agreement, options } = check
    const shown = kind.shown(usualAnswers(kind, options))
    present.push({ signal, type: kind.key, suffix, everySeconds, graceMs: graceOf(check), locations, agreement, shown })
  }
  const gone = known.filter(one => !checks.some(check => isOf(one, check)))
  return [...present, ...gone.map(one => ({ ...one, locations: [] }))]
}

/** A first result needs a prober that takes the check over, or twice the longest duration of a check. */
function graceOf({ kind, options }: BoundCheck): number {
  const longest = usualAnswers(kind, options)[timeoutSeconds.key]
  return Math.max(limits.judging.websiteGraceMs, typeof longest === 'number' ? 2 * longest * second : 0)
}

function readingsOf(
  { readings: stored }: SubjectDocument,
  checks: readonly BoundCheck[],
  checked: readonly CheckedSignal[],
  { before, at }: { before: readonly BoundCheck[]; at: number },
): Record<string, Reading> {
  const readings: Record<string, Reading> = {}
  for (const check of checks) {
    const { suffix = '' } = checked.find(one => isOf(one, check)) ?? {}
    const earlier = before.find(({ signal, kind }) => signal === check.signal && kind === check.kind)
    const isSameTarget = earlier === undefined || isTargetSame(earlier, check)
    for (const location of check.locations) {
      const source = sourceAt(location, suffix)
      readings[source] = (isSameTarget ? stored[source] : undefined) ?? neverReported(at)
    }
  }
  return readings
}

/** Whether two checks of one kind watch the same. */
function isTargetSame(one: BoundCheck, other: BoundCheck): boolean {
  const [was, is] = [one, other].map(({ kind, options }) => usualAnswers(kind, options)) as [object, object]
  const valueIn = (options: object, key: string): unknown => (options as Readonly<Record<string, unknown>>)[key]
  return one.kind.fields.every(({ key, isTarget }) => !isTarget || isSameValue(valueIn(was, key), valueIn(is, key)))
}

/** Sentence for a Resource that has had as many checked signals as it may. */
export const noRoom = `A Resource has at most ${suffixes.length} checked signals over all its revisions: create a new one`
