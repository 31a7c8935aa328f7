// Which sources (locations and signals) of a subject have something stored: found by leaping from the first row of one to the first
// behind it, so that those count too that the subject does not have any more.
import { endOfPrefix, observationPrefix, parseCheckObservationId, parsePushedObservationId, pushedPrefix } from '#shared/ids.ts'
import { isPlatformKey } from '#shared/resource-signals.ts'
import { levelPrefix, parseRollUpId, rowPrefix, type Source } from '#shared/roll-up/roll-up-ids.ts'
import type { PatientStore } from './patient-store.ts'

/** Those with raw observations: locations that reported on the day of `at` (ms), signals whenever they reported. */
export async function rawSources(store: PatientStore, subjectId: string, at: number): Promise<Source[]> {
  const [locations, signals] = await Promise.all([locationSources(store, subjectId, at), signalSources(store, subjectId)])
  // Response times and uptime of a website come from its checks alone (v3 7.4).
  return [...locations, ...signals.filter(({ id }) => !isPlatformKey(id))]
}

/** Those with roll-ups by the hour: the roll-ups by the day come from these. */
export async function rolledUpSources(store: PatientStore, subjectId: string): Promise<Source[]> {
  const ofKind = (kind: Source['kind']) =>
    leap(store, 'rollUps', levelPrefix(subjectId, kind, 'hour'), id => {
      const { source } = parseRollUpId(id)
      return { source, prefix: rowPrefix(subjectId, source, 'hour') }
    })
  const [locations, signals] = await Promise.all([ofKind('location'), ofKind('signal')])
  return [...locations, ...signals]
}

/** The signals of which pushed observations are stored. */
export async function signalSources(store: PatientStore, subjectId: string): Promise<Source[]> {
  return await leap(store, 'pushedObservations', pushedPrefix(subjectId), id => {
    const { signalKey } = parsePushedObservationId(id)
    return { source: { kind: 'signal', id: signalKey }, prefix: pushedPrefix(subjectId, signalKey) }
  })
}

async function locationSources(store: PatientStore, subjectId: string, at: number): Promise<Source[]> {
  const prefix = observationPrefix(at, subjectId)
  return await leap(store, 'observations', prefix, id => {
    const { locationId } = parseCheckObservationId(id)
    return { source: { kind: 'location', id: locationId }, prefix: prefix + locationId }
  })
}

/** The sources of the rows whose ids begin with `prefix`. `sourceOf`: whose a row is by its id, and what the ids of all its rows begin with. */
async function leap(
  store: PatientStore,
  collection: 'observations' | 'pushedObservations' | 'rollUps',
  prefix: string,
  sourceOf: (id: string) => { source: Source; prefix: string },
): Promise<Source[]> {
  const found: Source[] = []
  for (let from = prefix; ; ) {
    const where = { id: { gte: from, lt: endOfPrefix(prefix) } }
    const [first] = await store.find(collection, { where, select: [], limit: 1 })
    if (first === undefined) return found
    const { source, prefix: rows } = sourceOf(first.id)
    found.push(source)
    from = endOfPrefix(rows)
  }
}
