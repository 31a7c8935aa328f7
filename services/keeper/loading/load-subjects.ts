// Loader of the subjects of a round: their documents, merged with newer readings. After a rebind, readings are computed again from the
// stored Observations for the rules of the new revision (v3 4.6).

import type { SeriesDocument } from '#shared/contracts/observations/observation.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { hear, nothingHeard } from '#shared/judging/heard-signal.ts'
import { limits } from '#shared/limits/limits.ts'
import { baselineDaysOn, countedOn } from '#shared/manifest/decision-reads.ts'
import { pushedPrefix } from '#shared/text/ids.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { aheadOfWall } from '#shared/time/clock.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import { type Merged, mergeNewer, mergeNewerSeries, mergeUnjudged } from '../partition/freshness.ts'
import type { Waiting } from '../partition/inbox.ts'
import { markFresh, type Partition } from '../partition/partition.ts'
import { heldSilence, momentOf } from '../partition/silence.ts'
import { stillAwaited } from '../step/commands/idempotency.ts'
import { baselineFromUs, withBaselines } from '../step/judging/baselines.ts'
import { SignalNumbers } from '../step/judging/signal-numbers.ts'
import { recall } from '../step/recall.ts'
import { readNewest, readNumbers } from './rebind-history.ts'
import { noReports } from './stored-reports.ts'
import { revisionIdOf } from './template-revisions.ts'

/** Work of a round on one partition. */
export interface Work {
  partition: Partition
  inputs: readonly Waiting[]
  /** Ids of subjects that are written although no input changes them. */
  flush: string[]
}

/** Reads the subjects of a round that are not in the cache. Adds to `flush` the ids of subjects that must be written after this read. */
export async function loadSubjects(context: KeeperContext, work: readonly Work[], mayGoOn: () => boolean): Promise<void> {
  const missing = new Map<string, Work>()
  for (const one of work) {
    for (const { input } of one.inputs) if (context.cache.get(input.subjectId) === undefined) missing.set(input.subjectId, one)
    for (const id of one.flush) if (context.cache.get(id) === undefined) missing.set(id, one)
  }
  const read = <T>(attempt: () => Promise<T>) => retryWhile(context, mayGoOn, 'read subjects', attempt)
  const ids = [...missing.keys()]
  context.metrics.misses.inc(ids.length)
  const found = ids.length === 0 ? [] : await read(() => context.store.get('subjects', ids))
  const revisions = revisionsWanted(context, work, found)
  if (revisions.length > 0) await read(() => context.templates.load(context.store, revisions))
  const newer = await Promise.all(found.map(subject => (subject === null ? [] : read(() => newerSeries(context, subject)))))
  ids.forEach((id, i) => {
    takeIntoCache(context, missing.get(id) as Work, id, { document: found[i] ?? null, series: newer[i] ?? [] })
  })
}

/** Returns the ids of the Template revisions that the steps of this round need. */
function revisionsWanted(context: KeeperContext, work: readonly Work[], found: readonly (SubjectDocument | null)[]): string[] {
  const inputs = work.flatMap(one => one.inputs.map(({ input }) => input))
  const ids = [...inputs.map(input => input.subjectId), ...work.flatMap(({ flush }) => flush)]
  const subjects = [...found, ...ids.map(id => context.cache.get(id)?.subject ?? null)]
  const bound = subjects.map(subject => subject && revisionIdOf(subject)).filter(id => id !== null)
  const named = inputs.flatMap(input => {
    if (input.kind !== 'command') return []
    const { command } = input
    const isNaming = command.kind === 'create-resource' || command.kind === 'first-report' || command.kind === 'rebind-resource'
    return isNaming ? [`${command.workspaceId}/${command.template}`] : []
  })
  return [...bound, ...named]
}

/**
 * Reads the series of the document's revision and of the revision before. The document may lack the reports of these series: a keeper that
 * had lost the partition may have written the document late. Series of signals that no rule reads are included, because all accepted
 * reports are counted. A series made for another Template revision is computed again, if the present revision is in memory.
 */
async function newerSeries(context: KeeperContext, subject: SubjectDocument): Promise<SeriesDocument[]> {
  const { id, rev, custom } = subject
  if (custom === null || custom.signals.length === 0) return []
  const where = { subjectId: id, subjectRev: { gte: rev - 1 } }
  const series = await context.store.find('series', { where, limit: limits.store.findMax })
  const template = subject.templated === null ? null : context.templates.find(subject)
  const isOfAnother = (one: SeriesDocument) => one.heard !== undefined && one.template !== subject.template
  return await Promise.all(
    series.map(one => (template !== null && isOfAnother(one) ? heardFor(context, subject, template, one) : one)),
  )
}

/** Puts a document into the cache, merged with the readings newer than the document. */
function takeIntoCache(
  context: KeeperContext,
  { partition, flush }: Work,
  id: string,
  { document, series }: { document: SubjectDocument | null; series: readonly SeriesDocument[] },
): void {
  const freshness = partition.fresh.checkpointed.get(id)
  partition.fresh.checkpointed.delete(id)
  if (document === null) {
    context.cache.set(id, { subject: null, dirty: false, reports: null })
    return
  }
  const now = context.clock.now()
  document.idempotency = stillAwaited(document.idempotency, now)
  context.cache.shareValues(document)
  const { confirmAfterMs, closeAfterMs, templates } = context
  const held = heldSilence(partition.silence, momentOf(context.clock))
  const aheadMs = aheadOfWall(context.clock)
  const stepContext = { now, aheadMs, held, confirmAfterMs, closeAfterMs, templateOf: templates.of, stored: noReports }
  const nothing: Merged = { subject: document, change: 'nothing' }
  const lay = (): Merged => {
    try {
      const checked = freshness === undefined ? nothing : mergeNewer(document, freshness, stepContext)
      return mergeNewerSeries(checked, series, stepContext)
    } catch (error) {
      // A subject that cannot be judged must not stop the work on its partition.
      context.logger.error({ err: error, subjectId: id }, 'subject could not be judged as it was read')
      return { subject: mergeUnjudged(document, series), change: 'commit' }
    }
  }
  const { subject, change } = lay()
  context.cache.set(id, { subject, dirty: change !== 'nothing', reports: null })
  if (change !== 'nothing') markFresh(partition.fresh, id)
  if (change === 'commit') flush.push(id)
}

/**
 * Returns the series computed again for the Resource's present revision. Returns the series unchanged if this revision does not declare the
 * series' signal.
 */
async function heardFor(
  { store }: KeeperContext,
  { id, custom, templated, template: revision }: SubjectDocument,
  template: Template,
  series: SeriesDocument,
): Promise<SeriesDocument> {
  const { signalKey } = series
  const slug = custom?.signals.find(({ key }) => key === signalKey)?.slug
  if (slug === undefined || !template.signals.some(({ key }) => key === slug)) return series
  const prefix = pushedPrefix(id, signalKey)
  const keep = countedOn(template, slug)
  const ofDocument = ownMember(templated?.heard ?? {}, slug)?.recent ?? []
  const byArrival = [...ofDocument, ...(series.heard?.recent ?? [])].toSorted((one, other) => one.number - other.number)
  const known = byArrival.reduce((heard, one) => hear(heard, one, byArrival.length), nothingHeard)
  const recent = recall(known, [...(await readNewest(store, prefix, keep)).values()], keep) ?? nothingHeard
  const newestUs = recent.recent[0]?.atUs ?? 0
  const days = baselineDaysOn(template, slug)
  const numbers =
    days.length === 0 ? new SignalNumbers() : await readNumbers(store, prefix, baselineFromUs(newestUs, Math.max(...days)))
  const stored = { ...noReports, numbers: () => numbers }
  const heard = withBaselines(recent, { subjectId: id, signalKey, days }, stored, null)
  return { ...series, heard, template: revision }
}
