// Earlier Observations that a round reads because a Resource is bound to another revision: those that the new rules need and the old ones did
// not (docs/reference/v3.md, 4.6).
import type { CommandOf } from '#shared/contracts/command.ts'
import type { PushedObservationDocument } from '#shared/contracts/observation.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Template } from '#shared/contracts/template.ts'
import { endOfPrefix, parsePushedObservationId, pushedPrefix } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { baselineDaysOn, countedOn } from '#shared/manifest/counted-on.ts'
import { ownMember } from '#shared/own-member.ts'
import type { Store } from '#shared/store/port.ts'
import type { Core } from './core.ts'
import { baselineFromUs } from './step/baselines.ts'
import { SignalNumbers } from './step/signal-numbers.ts'

/** By what the ids of a signal's rows begin with. */
export interface WantedHistory {
  /** How many of its newest rows. */
  newest: Map<string, number>
  /** From which instant its numbers, µs. */
  numbers: Map<string, number>
  /** Revisions to which commands of this round bind a Resource, by its id. */
  bound: Map<string, Template[]>
}

export function addHistory(
  core: Core,
  subject: SubjectDocument,
  command: CommandOf<'rebind-resource'>,
  wanted: WantedHistory,
): void {
  const { templated, custom, workspaceId } = subject
  const from = core.templates.find(subject)
  const to = core.templates.find({ workspaceId, template: command.template })
  if (templated === null || custom === null || from === null || to === null) return
  const bound = wanted.bound.get(subject.id) ?? []
  wanted.bound.set(subject.id, [...bound, to])
  // An earlier rebind of this round may have forgotten what the stored document still knows.
  const isFirst = bound.length === 0
  for (const { key, slug } of custom.signals) {
    if (!to.signals.some(signal => signal.key === slug)) continue
    const prefix = pushedPrefix(subject.id, key)
    const counted = countedOn(to, slug)
    // Of a signal that only a sender declared, no rule has kept anything.
    const kept = isFirst && from.signals.some(signal => signal.key === slug) ? countedOn(from, slug) : 0
    if (counted > kept) wanted.newest.set(prefix, Math.max(counted, wanted.newest.get(prefix) ?? 0))
    const heard = ownMember(templated.heard, slug)
    const days = baselineDaysOn(to, slug).filter(length => !isFirst || heard?.baselines[length] === undefined)
    if (days.length === 0) continue
    const newestUs = heard?.recent[0]?.atUs
    const fromUs = newestUs === undefined ? 0 : baselineFromUs(newestUs, Math.max(...days))
    wanted.numbers.set(prefix, Math.min(fromUs, wanted.numbers.get(prefix) ?? fromUs))
  }
}

/** By id, the newest first. */
export async function readNewest(store: Store, prefix: string, limit: number): Promise<Map<string, PushedObservationDocument>> {
  const where = { id: { gte: prefix, lt: endOfPrefix(prefix) } }
  const rows = await store.find('pushedObservations', { where, sort: [['id', 'desc']], limit })
  return new Map(rows.map(row => [row.id, row]))
}

/** The newest numbers since `fromUs` that a baseline may take. */
export async function readNumbers(store: Store, prefix: string, fromUs: number): Promise<SignalNumbers> {
  const { subjectId, signalKey } = parsePushedObservationId(prefix)
  const { places, values } = await store.numbers('pushedObservations', {
    from: pushedPrefix(subjectId, signalKey, fromUs),
    to: endOfPrefix(prefix),
    digitsAt: prefix.length,
    column: 'value',
    limit: limits.intake.baselineNumbers,
  })
  return new SignalNumbers(places, values)
}
