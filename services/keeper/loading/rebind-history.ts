// Earlier Observations that a round reads when a Resource is bound to another revision: only Observations that the new rules need (v3 4.6).

import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { baselineDaysOn, countedOn } from '#shared/manifest/decision-reads.ts'
import type { Store } from '#shared/store/port.ts'
import { endOfPrefix, parsePushedObservationId, pushedPrefix } from '#shared/text/ids.ts'
import { ownMember } from '#shared/text/own-member.ts'
import type { KeeperContext } from '../context.ts'
import { baselineFromUs } from '../step/judging/baselines.ts'
import { SignalNumbers } from '../step/judging/signal-numbers.ts'

/** Observations to read. The keys of `newest` and `numbers` are prefixes of a signal's row ids. */
export interface WantedHistory {
  /** Number of a signal's newest rows to read. */
  newest: Map<string, number>
  /** Instant from which a signal's numbers are read, µs. */
  numbers: Map<string, number>
  /** Template revisions to which commands of this round bind a Resource, by the Resource's id. */
  bound: Map<string, Template[]>
}

export function addHistory(
  context: KeeperContext,
  subject: SubjectDocument,
  command: CommandOf<'rebind-resource'>,
  wanted: WantedHistory,
): void {
  const { templated, custom, workspaceId } = subject
  const from = context.templates.find(subject)
  const to = context.templates.find({ workspaceId, template: command.template })
  if (templated === null || custom === null || from === null || to === null) return
  const bound = wanted.bound.get(subject.id) ?? []
  wanted.bound.set(subject.id, [...bound, to])
  // An earlier rebind of this round may already have dropped readings of the stored document.
  const isFirst = bound.length === 0
  for (const { key, slug } of custom.signals) {
    if (!to.signals.some(signal => signal.key === slug)) continue
    const prefix = pushedPrefix(subject.id, key)
    const counted = countedOn(to, slug)
    // No rule reads a signal that only a sender declared, so the Resource keeps no Observation of this signal.
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

/** More rows than are wanted, because rows with an instant in the future count as their arrival and come first by their ids (v3 7.7). */
const aheadRows = 100

/** Returns the newest rows of a signal, at least `limit`, keyed by row id. `prefix`: prefix of the signal's row ids. */
export async function readNewest(store: Store, prefix: string, limit: number): Promise<Map<string, PushedObservationDocument>> {
  const where = { id: { gte: prefix, lt: endOfPrefix(prefix) } }
  const rows = await store.find('pushedObservations', { where, sort: [['id', 'desc']], limit: limit + aheadRows })
  return new Map(rows.map(row => [row.id, row]))
}

/** Returns the newest numbers since `fromUs` that a baseline may use. */
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
