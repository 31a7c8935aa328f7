// Series that were heard for the rules of one revision, of a Resource that is bound to another one now: a keeper that takes it over hears them anew
// from the stored Observations (docs/reference/v3.md, 4.6).
import type { SeriesDocument } from '#shared/contracts/observation.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Template } from '#shared/contracts/template.ts'
import { pushedPrefix } from '#shared/ids.ts'
import { hear, nothingHeard } from '#shared/judging/heard-signal.ts'
import { baselineDaysOn, countedOn } from '#shared/manifest/counted-on.ts'
import { ownMember } from '#shared/own-member.ts'
import type { Core } from './core.ts'
import { readNewest, readNumbers } from './rebind-history.ts'
import { baselineFromUs, withBaselines } from './step/baselines.ts'
import { recall } from './step/recall.ts'
import { SignalNumbers } from './step/signal-numbers.ts'
import { noReports } from './stored-reports.ts'

/** The Resource's revision must be in memory; of one that is missing the series stay as they are. */
export async function hearAnew(
  core: Core,
  subject: SubjectDocument,
  series: readonly SeriesDocument[],
): Promise<SeriesDocument[]> {
  const template = subject.templated === null ? null : core.templates.find(subject)
  const isOfAnother = (one: SeriesDocument) => one.heard !== undefined && one.template !== subject.template
  return await Promise.all(
    series.map(one => (template !== null && isOfAnother(one) ? heardFor(core, subject, template, one) : one)),
  )
}

/** Unchanged if no rule can read its signal any more. */
async function heardFor(
  { store }: Core,
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
