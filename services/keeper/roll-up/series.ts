// Which locations and signals of a subject have something stored: found by leaping from the first row of one to the first behind it,
// so that also those count that the subject does not have any more.
import { observationPrefix, parsePushedObservationId, pushedPrefix } from '#shared/ids.ts'
import { day } from '#shared/limits.ts'
import { levelPrefix, parseRollUpId, type Source } from '#shared/roll-up/roll-up-ids.ts'
import type { PatientStore } from './patient-store.ts'

/** The series with raw observations: locations by the day of `at`, signals whenever they reported. */
export async function rawSeries(store: PatientStore, subjectId: string, at: number): Promise<Source[]> {
  const [locations, signals] = await Promise.all([
    locationsOf(store, observationPrefix(at - (at % day), subjectId)),
    signalsOf(store, subjectId),
  ])
  return [...locations, ...signals]
}

/** The series with roll-ups by the hour, as those by the day come from these. */
export async function rolledUpSeries(store: PatientStore, subjectId: string): Promise<Source[]> {
  const kinds = ['location', 'signal'] as const
  return (await Promise.all(kinds.map(kind => rolledUpOf(store, levelPrefix(subjectId, kind, 'hour'))))).flat()
}

async function locationsOf(store: PatientStore, prefix: string): Promise<Source[]> {
  const found: Source[] = []
  for (let from = prefix; ; ) {
    const where = { id: { gte: from, lt: `${prefix}~` } }
    const [first] = await store.find('observations', { where, select: ['ok'], limit: 1 })
    if (first === undefined) return found
    const id = first.id.slice(prefix.length, prefix.length + 4)
    found.push({ kind: 'location', id })
    from = `${prefix}${id}~`
  }
}

/** The signals (by key) of which pushed observations are stored. */
export async function signalsOf(store: PatientStore, subjectId: string): Promise<Source[]> {
  const found: Source[] = []
  const prefix = pushedPrefix(subjectId)
  for (let from = prefix; ; ) {
    const where = { id: { gte: from, lt: `${prefix}~` } }
    const [first] = await store.find('pushedObservations', { where, select: [], limit: 1 })
    if (first === undefined) return found
    const { signalKey } = parsePushedObservationId(first.id)
    found.push({ kind: 'signal', id: signalKey })
    from = `${pushedPrefix(subjectId, signalKey)}~`
  }
}

async function rolledUpOf(store: PatientStore, prefix: string): Promise<Source[]> {
  const found: Source[] = []
  for (let from = prefix; ; ) {
    const where = { id: { gte: from, lt: `${prefix}~` } }
    const [first] = await store.find('rollUps', { where, select: [], limit: 1 })
    if (first === undefined) return found
    const { source } = parseRollUpId(first.id)
    found.push(source)
    from = `${prefix}${source.id}.~`
  }
}
