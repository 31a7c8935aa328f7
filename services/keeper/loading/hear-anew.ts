// Series whose readings were computed for the rules of an earlier revision of a Resource. A take-over computes them again from the stored
// Observations (v3 4.6).
import type { SeriesDocument } from '#shared/contracts/observations/observation.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { hear, nothingHeard } from '#shared/judging/heard-signal.ts'
import { baselineDaysOn, countedOn } from '#shared/manifest/counted-on.ts'
import { pushedPrefix } from '#shared/text/ids.ts'
import { ownMember } from '#shared/text/own-member.ts'
import type { KeeperContext } from '../context.ts'
import { baselineFromUs, withBaselines } from '../step/judging/baselines.ts'
import { SignalNumbers } from '../step/judging/signal-numbers.ts'
import { recall } from '../step/recall.ts'
import { readNewest, readNumbers } from './rebind-history.ts'
import { noReports } from './stored-reports.ts'

/** Returns the series for the Resource's present revision. If that revision is not in memory, returns the series unchanged. */
export async function hearAnew(
  context: KeeperContext,
  subject: SubjectDocument,
  series: readonly SeriesDocument[],
): Promise<SeriesDocument[]> {
  const template = subject.templated === null ? null : context.templates.find(subject)
  const isOfAnother = (one: SeriesDocument) => one.heard !== undefined && one.template !== subject.template
  return await Promise.all(
    series.map(one => (template !== null && isOfAnother(one) ? heardFor(context, subject, template, one) : one)),
  )
}

/** Returns the series unchanged if no rule can read its signal any longer. */
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
