// Sources of a subject (locations and signals) that have stored rows, including signals that the subject no longer has. Each read skips
// from the first row of a source to the first row of the next source.

import { levelPrefix, parseRollUpId, rowPrefix, type Source } from '#shared/roll-up/roll-up-ids.ts'
import { isPlatformKey } from '#shared/subjects/resource-signals.ts'
import {
  endOfPrefix,
  observationPrefix,
  parseCheckObservationId,
  parsePushedObservationId,
  pushedPrefix,
  sourceRange,
} from '#shared/text/ids.ts'
import type { RetryingStore } from './retrying-store.ts'

/** Returns the sources with raw observations: locations that reported on the day of `at` (ms), and all signals that ever reported. */
export async function rawSources(store: RetryingStore, subjectId: string, at: number): Promise<Source[]> {
  const [locations, signals] = await Promise.all([locationSources(store, subjectId, at), signalSources(store, subjectId)])
  // Omits the signals of checks: response times and uptime of a check are computed from its results alone (v3 7.4).
  return [...locations, ...signals.filter(({ id }) => !isPlatformKey(id))]
}

/** Returns the sources with hourly roll-ups, from which daily roll-ups are computed. */
export async function rolledUpSources(store: RetryingStore, subjectId: string): Promise<Source[]> {
  const ofKind = (kind: Source['kind']) =>
    leap(store, 'rollUps', levelPrefix(subjectId, kind, 'hour'), id => {
      const { source } = parseRollUpId(id)
      return { source, end: endOfPrefix(rowPrefix(subjectId, source, 'hour')) }
    })
  const [locations, signals] = await Promise.all([ofKind('location'), ofKind('signal')])
  return [...locations, ...signals]
}

/** Returns the signals with stored pushed observations. */
export async function signalSources(store: RetryingStore, subjectId: string): Promise<Source[]> {
  return await leap(store, 'pushedObservations', pushedPrefix(subjectId), id => {
    const { signalKey } = parsePushedObservationId(id)
    return { source: { kind: 'signal', id: signalKey }, end: endOfPrefix(pushedPrefix(subjectId, signalKey)) }
  })
}

async function locationSources(store: RetryingStore, subjectId: string, at: number): Promise<Source[]> {
  return await leap(store, 'observations', observationPrefix(at, subjectId), id => {
    const { source } = parseCheckObservationId(id)
    return { source: { kind: 'location', id: source }, end: sourceRange(at, subjectId, source).lt }
  })
}

/**
 * Returns the sources of the rows whose ids begin with `prefix`. `sourceOf` takes a row's id. It returns the row's source, and the end of
 * the range of ids of all rows of this source.
 */
async function leap(
  store: RetryingStore,
  collection: 'observations' | 'pushedObservations' | 'rollUps',
  prefix: string,
  sourceOf: (id: string) => { source: Source; end: string },
): Promise<Source[]> {
  const found: Source[] = []
  for (let from = prefix; ; ) {
    const where = { id: { gte: from, lt: endOfPrefix(prefix) } }
    const [first] = await store.find(collection, { where, select: [], limit: 1 })
    if (first === undefined) return found
    const { source, end } = sourceOf(first.id)
    found.push(source)
    from = end
  }
}
