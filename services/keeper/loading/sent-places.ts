// Places of senders' ids: the place of an id records the signal and the instant of the row that has this id. This file adds the reads that
// a repeated report needs, because a keeper may have died after it stored the report's row and before it stored the series. The repeated
// report may name another signal, another instant or other labels than the stored row.
import type { ObservationIdDocument, PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { seriesId } from '#shared/text/ids.ts'
import type { KeeperContext } from '../context.ts'
import { observationRowId } from '../step/observations/observed-row.ts'
import { addNumbers, type WantedNumbers } from './baseline-numbers.ts'
import type { WantedHistory } from './rebind-history.ts'
import { type ReportedSignal, signalNamed } from './sent-reports.ts'

export interface WantedPlaces extends WantedNumbers, Pick<WantedHistory, 'bound'> {
  /** Senders' ids of reports, by the key of the id's place. */
  places: Map<string, { subjectId: string; sentId: string }>
  /** Ids of the rows of pushed Observations. */
  pushed: Set<string>
}

/** Row that a stored place names. The row's Resource still has the row's signal. */
interface PlacedRow {
  subjectId: string
  rowId: string
  signal: ReportedSignal
}

/**
 * Adds the rows of these stored places, and the numbers for baselines, to the wanted reads. Returns a map from the key of a place to the
 * place.
 */
export function addPlaced(
  context: KeeperContext,
  stored: readonly (ObservationIdDocument | null)[],
  wanted: WantedPlaces,
): { places: Map<string, ObservationIdDocument>; placed: PlacedRow[] } {
  const places = new Map<string, ObservationIdDocument>()
  const placed: PlacedRow[] = []
  for (const place of stored) {
    if (place === null) continue
    places.set(place.id, place)
    const { signalKey, atUs } = place
    const { subjectId, sentId } = wanted.places.get(place.id) as { subjectId: string; sentId: string }
    const rowId = observationRowId(subjectId, signalKey, { sentId, labels: {}, atUs, isStampedHere: false })
    wanted.pushed.add(rowId)
    const subject = context.cache.get(subjectId)?.subject ?? null
    const slug = subject?.custom?.signals.find(({ key }) => key === signalKey)?.slug
    if (subject === null || slug === undefined) continue
    const templates = revisionsOf(context, subject, wanted)
    const signal = signalAmong(subject, templates, slug)
    if (signal === null) continue
    placed.push({ subjectId, rowId, signal })
    const reported = { subject, signal, atUs: atUs - limits.intake.clockSkewMs * 1_000, placeKey: place.id, memory: null }
    for (const template of templates) if (template !== null) addNumbers({ ...reported, template }, wanted)
  }
  return { places, placed }
}

/** Returns the ids of the series of stored rows. `rows`: stored rows by id. */
export function seriesOfPlaced(placed: readonly PlacedRow[], rows: ReadonlyMap<string, PushedObservationDocument>): string[] {
  return placed.flatMap(({ subjectId, rowId, signal }) => {
    const row = rows.get(rowId)
    if (row === undefined || signal.series === 'none') return []
    const labels = signal.series === 'labels' ? row.labels : null
    return [seriesId(subjectId, signal.key, labels === null ? {} : (JSON.parse(labels) as Record<string, string>))]
  })
}

/** Returns the present Template revision of a Resource, and the revisions to which this round binds the Resource. */
export const revisionsOf = (
  context: KeeperContext,
  subject: SubjectDocument,
  { bound }: Pick<WantedHistory, 'bound'>,
): (Template | null)[] => [context.templates.find(subject), ...(bound.get(subject.id) ?? [])]

/**
 * Returns the same as `signalNamed`, but considers all revisions that the Resource has in this round. The signal has a series if a rule of
 * any of these revisions reads the signal.
 */
export function signalAmong(
  subject: SubjectDocument,
  templates: readonly (Template | null)[],
  slug: string,
): ReportedSignal | null {
  if (templates.length === 1) return signalNamed(subject, templates[0] ?? null, slug)
  const named = templates.map(template => signalNamed(subject, template, slug)).filter(signal => signal !== null)
  return named.find(({ series }) => series === 'all') ?? named[0] ?? null
}
