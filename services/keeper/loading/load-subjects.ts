// Loader of the subjects of a round: their documents, merged with newer readings.
import type { SeriesDocument } from '#shared/contracts/observations/observation.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import { type Merged, mergeNewer, mergeNewerSeries, mergeUnjudged } from '../partition/freshness.ts'
import type { Waiting } from '../partition/inbox.ts'
import type { Partition } from '../partition/partition.ts'
import { heldSilence, momentOf } from '../partition/silence.ts'
import { hearAnew } from './hear-anew.ts'
import { noReports } from './stored-reports.ts'
import { revisionIdOf } from './template-revisions.ts'

/** Work of a round on one partition. */
export interface Work {
  partition: Partition
  inputs: readonly Waiting[]
  /** Ids of subjects to be written although no input changes them. */
  flush: string[]
}

/** Reads the subjects of a round that the cache lacks. Adds the subjects that this read makes due for a write to `flush`. */
export async function loadSubjects(context: KeeperContext, work: readonly Work[], mayGoOn: () => boolean): Promise<void> {
  const missing = new Map<string, Work>()
  for (const one of work) {
    for (const { input } of one.inputs) if (context.cache.get(input.subjectId) === undefined) missing.set(input.subjectId, one)
    for (const id of one.flush) if (context.cache.get(id) === undefined) missing.set(id, one)
  }
  const read = <T>(attempt: () => Promise<T>) => retryWhile(context, mayGoOn, 'read subjects', attempt)
  const ids = [...missing.keys()]
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
  const wanted: (string | null)[] = found.map(subject => subject && revisionIdOf(subject))
  for (const { inputs, flush } of work) {
    for (const { input } of inputs) {
      const subject = context.cache.get(input.subjectId)?.subject ?? null
      wanted.push(subject && revisionIdOf(subject))
      if (input.kind !== 'command') continue
      const { command } = input
      if (command.kind === 'create-resource' || command.kind === 'first-report' || command.kind === 'rebind-resource')
        wanted.push(`${command.workspaceId}/${command.template}`)
    }
    for (const id of flush) {
      const subject = context.cache.get(id)?.subject ?? null
      wanted.push(subject && revisionIdOf(subject))
    }
  }
  return wanted.filter(id => id !== null)
}

/**
 * Reads series with reports that were accepted after the document was written, and series of its last revision. A keeper that had lost the
 * partition may have written that revision late and without them. Includes signals that no rule reads, because the count of accepted
 * reports numbers the next report.
 */
async function newerSeries(context: KeeperContext, subject: SubjectDocument): Promise<SeriesDocument[]> {
  const { id, rev, custom } = subject
  if (custom === null || custom.signals.length === 0) return []
  const where = { subjectId: id, subjectRev: { gte: rev - 1 } }
  return await hearAnew(context, subject, await context.store.find('series', { where, limit: limits.store.findMax }))
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
  const { confirmAfterMs, closeAfterMs, templates } = context
  const held = heldSilence(partition.silence, momentOf(context.clock))
  const now = context.clock.now()
  const stepContext = { now, held, confirmAfterMs, closeAfterMs, templateOf: templates.of, stored: noReports }
  const nothing: Merged = { subject: document, change: 'nothing' }
  const lay = (): Merged => {
    try {
      const checked = freshness === undefined ? nothing : mergeNewer(document, freshness, stepContext)
      return mergeNewerSeries(checked, series, stepContext)
    } catch (error) {
      // One subject that cannot be judged must not stop its partition.
      context.logger.error({ err: error, subjectId: id }, 'subject could not be judged as it was read')
      return { subject: mergeUnjudged(document, series), change: 'commit' }
    }
  }
  const { subject, change } = lay()
  context.cache.set(id, { subject, dirty: change !== 'nothing', reports: null })
  if (change !== 'nothing') partition.fresh.dirty.add(id)
  if (change === 'commit') flush.push(id)
}
