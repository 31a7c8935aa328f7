// Reads into the memory what a round needs of subjects: their documents, and what was reported since these were written.
import type { SeriesDocument } from '#shared/contracts/observation.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { limits } from '#shared/limits.ts'
import { type Core, persistWhile } from './core.ts'
import { type LaidOver, layOver, layOverSeries, layUnjudged } from './freshness.ts'
import { hearAnew } from './hear-anew.ts'
import type { Partition, Waiting } from './partition.ts'
import { heldSilence, momentOf } from './silence.ts'
import { noReports } from './stored-reports.ts'
import { revisionIdOf } from './template-revisions.ts'

/** What a round does to one partition. */
export interface Work {
  partition: Partition
  inputs: readonly Waiting[]
  /** Subjects to be written though no input asks for it. */
  flush: string[]
}

/** Reads into the cache what it lacks of the subjects of a round. What must be written because of it joins what is to be flushed. */
export async function loadSubjects(core: Core, work: readonly Work[], mayGoOn: () => boolean): Promise<void> {
  const missing = new Map<string, Work>()
  for (const one of work) {
    for (const { input } of one.inputs) if (core.cache.get(input.subjectId) === undefined) missing.set(input.subjectId, one)
    for (const id of one.flush) if (core.cache.get(id) === undefined) missing.set(id, one)
  }
  const read = <T>(attempt: () => Promise<T>) => persistWhile(core, mayGoOn, 'read subjects', attempt)
  const ids = [...missing.keys()]
  const found = ids.length === 0 ? [] : await read(() => core.store.get('subjects', ids))
  const revisions = revisionsWanted(core, work, found)
  if (revisions.length > 0) await read(() => core.templates.load(core.store, revisions))
  const newer = await Promise.all(found.map(subject => (subject === null ? [] : read(() => newerSeries(core, subject)))))
  ids.forEach((id, i) => {
    takeIntoCache(core, missing.get(id) as Work, id, { document: found[i] ?? null, series: newer[i] ?? [] })
  })
}

/** The Template revisions that the steps of this round judge by. */
function revisionsWanted(core: Core, work: readonly Work[], found: readonly (SubjectDocument | null)[]): string[] {
  const wanted: (string | null)[] = found.map(subject => subject && revisionIdOf(subject))
  for (const { inputs, flush } of work) {
    for (const { input } of inputs) {
      const subject = core.cache.get(input.subjectId)?.subject ?? null
      wanted.push(subject && revisionIdOf(subject))
      if (input.kind !== 'command') continue
      const { command } = input
      if (command.kind === 'create-resource' || command.kind === 'first-report' || command.kind === 'rebind-resource')
        wanted.push(`${command.workspaceId}/${command.template}`)
    }
    for (const id of flush) {
      const subject = core.cache.get(id)?.subject ?? null
      wanted.push(subject && revisionIdOf(subject))
    }
  }
  return wanted.filter(id => id !== null)
}

/**
 * What was accepted since the document was written, and what its last revision took in: somebody who lost the partition may have written
 * that one late, and without it. Also of signals that no rule reads: how many were accepted numbers the next.
 */
async function newerSeries(core: Core, subject: SubjectDocument): Promise<SeriesDocument[]> {
  const { id, rev, custom } = subject
  if (custom === null || custom.signals.length === 0) return []
  const where = { subjectId: id, subjectRev: { gte: rev - 1 } }
  return await hearAnew(core, subject, await core.store.find('series', { where, limit: limits.store.findMax }))
}

/** Takes a document into the cache, with what was fresher than it. */
function takeIntoCache(
  core: Core,
  { partition, flush }: Work,
  id: string,
  { document, series }: { document: SubjectDocument | null; series: readonly SeriesDocument[] },
): void {
  const freshness = partition.freshness.get(id)
  partition.freshness.delete(id)
  if (document === null) {
    core.cache.set(id, { subject: null, dirty: false, reports: null })
    return
  }
  const { confirmAfterMs, closeAfterMs, templates } = core
  const held = heldSilence(partition.silence, momentOf(core.clock))
  const now = core.clock.now()
  const surrounding = { now, held, confirmAfterMs, closeAfterMs, templateOf: templates.of, stored: noReports }
  const nothing: LaidOver = { subject: document, change: 'nothing' }
  const lay = (): LaidOver => {
    try {
      const checked = freshness === undefined ? nothing : layOver(document, freshness, surrounding)
      return layOverSeries(checked, series, surrounding)
    } catch (error) {
      // One subject that cannot be judged must not stop its partition.
      core.logger.error({ err: error, subjectId: id }, 'subject could not be judged as it was read')
      return { subject: layUnjudged(document, series), change: 'commit' }
    }
  }
  const { subject, change } = lay()
  core.cache.set(id, { subject, dirty: change !== 'nothing', reports: null })
  if (change !== 'nothing') partition.dirty.add(id)
  if (change === 'commit') flush.push(id)
}
