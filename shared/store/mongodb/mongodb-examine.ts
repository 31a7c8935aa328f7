// Examination of a MongoDB for `./watchkeeper doctor`: members, number of migrations, indexes, clock, and guarded writes. Writes only into a
// collection of its own, which it drops.
import type { Collection, Db, MongoClient } from 'mongodb'
import { measureOffset } from '#shared/bus/clock-offset.ts'
import type { ClockOffset } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import type { Progress } from '#shared/store/migrations/migrate.ts'
import { firstNumber } from '#shared/store/migrations/migrations.ts'
import { createClient, databaseOf, roomOf } from '#shared/store/mongodb/mongodb.ts'
import { storeErrorOf } from '#shared/store/mongodb/mongodb-errors.ts'
import { within } from '#shared/store/mongodb/mongodb-reads.ts'
import type { Room } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import { type Clock, wallOf } from '#shared/time/clock.ts'

/** Number of the newest migration that has begun, and of the last that is complete. */
export type StoreLevel = Pick<Progress, 'number' | 'done'>

export interface StoreProbe {
  /** Why a document could not be written, read or removed; null: it could. */
  fault: string | null
  /** Median time of a guarded replacement, ms; null: none was made. */
  medianMs: number | null
  /** Races of guarded replacements, and those without exactly one winner. */
  races: number
  falseWins: number
}

export interface StoreMember {
  host: string
  port: number
  isPrimary: boolean
  /** Why it cannot be reached from here; null: it can, or it was not tried. */
  fault: string | null
}

export interface ExaminedMongodb {
  /** Why it cannot be used, without a secret; null: it can. */
  fault: string | null
  version: string
  /** Members of the replica set; empty: there is none. */
  members: StoreMember[]
  /** Null: the store is new. */
  level: StoreLevel | null
  installationId: string | null
  /** Name of the key with which secrets are sealed; null: none. */
  sealingKeyId: string | null
  /** Such as `subjects.byOutbox`. */
  missingIndexes: string[]
  offset: ClockOffset | null
  probe: StoreProbe
  room: Room | null
}

const replacements = 20
const races = 10
const racers = 8

const unreached = (fault: string): ExaminedMongodb => ({
  fault,
  version: '',
  members: [],
  level: null,
  installationId: null,
  sealingKeyId: null,
  missingIndexes: [],
  offset: null,
  probe: { fault: null, medianMs: null, races: 0, falseWins: 0 },
  room: null,
})

/** Never rejects: a database that cannot be used has a `fault`. */
export async function examineMongodb(url: string, clock: Clock): Promise<ExaminedMongodb> {
  let client: MongoClient | null = null
  try {
    client = createClient(url, limits.start.commandMs)
    await client.connect()
    return await within(limits.store.examineMs, examine(client, databaseOf(url), clock))
  } catch (error) {
    return unreached(storeErrorOf(error).message)
  } finally {
    await client?.close().catch(() => undefined)
  }
}

async function examine(client: MongoClient, name: string, clock: Clock): Promise<ExaminedMongodb> {
  const database = client.db(name)
  const hello = await database.command({ hello: 1 })
  const { version = 'unknown' } = await database.command({ buildInfo: 1 }).catch(() => ({ version: 'unknown' }))
  const settingOf = async (id: string): Promise<string | null> =>
    (await database.collection<{ _id: string; value?: string }>('settings').findOne({ _id: id }))?.value ?? null
  const installationId = await settingOf('installation')
  const level = await levelOf(database)
  const missingIndexes = level === null ? [] : await missingIn(database)
  const ask = async () => ({ at: Number((await database.command({ hello: 1 }))['localTime']), errorMs: 0 })
  const offset = await measureOffset(clock, () => wallOf(clock), ask).catch(() => null)
  return {
    fault: null,
    version: String(version),
    members: membersOf(hello),
    level,
    installationId,
    sealingKeyId: await settingOf('sealing-key'),
    missingIndexes,
    offset: offset === null || Number.isNaN(offset.aheadMs) ? null : offset,
    probe: await probe(database, clock),
    room: roomOf(await database.command({ dbStats: 1 }).catch(() => ({}))),
  }
}

function membersOf({ hosts, primary }: Record<string, unknown>): StoreMember[] {
  if (!Array.isArray(hosts)) return []
  return hosts.map(String).map(text => {
    const at = text.lastIndexOf(':')
    return { host: text.slice(0, at), port: Number(text.slice(at + 1)), isPrimary: text === primary, fault: null }
  })
}

/** A store of version 2.0.0 has no mark, but settings. */
async function levelOf(database: Db): Promise<StoreLevel | null> {
  const mark = await database.collection<{ _id: string; number?: number; done?: number }>('migration').findOne({ _id: 'store' })
  if (mark?.number !== undefined) return { number: mark.number, done: mark.done ?? mark.number }
  const isUsed = (await database.collection('settings').findOne({})) !== null
  return isUsed ? { number: firstNumber, done: firstNumber } : null
}

async function missingIn(database: Db): Promise<string[]> {
  const missing: string[] = []
  for (const [name, { indexes, expires }] of Object.entries(collections)) {
    const wanted = [...indexes.map(index => index.name), ...(expires ? ['byExpiry'] : [])]
    if (wanted.length === 0) continue
    const present = await database
      .collection(name as CollectionName)
      .indexes()
      .catch(() => [])
    const names = new Set(present.map(index => index.name))
    missing.push(...wanted.filter(index => !names.has(index)).map(index => `${name}.${index}`))
  }
  return missing
}

interface ProbeDocument {
  _id: string
  rev: number
  writer: number
}

async function probe(database: Db, clock: Clock): Promise<StoreProbe> {
  const collection = database.collection<ProbeDocument>(`doctor_${randomId(8)}`)
  const made = { fault: null, medianMs: null, races: 0, falseWins: 0 }
  try {
    await collection.insertOne({ _id: 'probe', rev: 0, writer: 0 })
    const took: number[] = []
    for (let rev = 1; rev <= replacements; rev++) {
      const startedAt = clock.monotonic()
      if ((await replace(collection, rev, 0)) !== 1)
        return { ...made, fault: 'A guarded write did not find what was written before.' }
      took.push(clock.monotonic() - startedAt)
    }
    const read = await collection.findOne({ _id: 'probe' })
    if (read?.rev !== replacements) return { ...made, fault: 'What was read is not what was written.' }
    const falseWins = await race(collection)
    const medianMs = took.toSorted((one, other) => one - other)[replacements / 2] ?? null
    return { fault: null, medianMs, races, falseWins }
  } catch (error) {
    return { ...made, fault: storeErrorOf(error).message }
  } finally {
    await collection.drop().catch(() => undefined)
  }
}

/** Returns the number of documents that the guarded write replaced: 1, or 0 if its guard did not hold. */
async function replace(collection: Collection<ProbeDocument>, rev: number, writer: number): Promise<number> {
  return (await collection.replaceOne({ _id: 'probe', rev: rev - 1 }, { rev, writer })).matchedCount
}

/** Returns the number of races in which not exactly one of the writers replaced the document. */
async function race(collection: Collection<ProbeDocument>): Promise<number> {
  let falseWins = 0
  for (let round = 1; round <= races; round++) {
    const writers = Array.from({ length: racers }, (_, writer) => replace(collection, replacements + round, writer))
    const won = (await Promise.all(writers)).filter(matched => matched === 1).length
    if (won !== 1) falseWins += 1
  }
  return falseWins
}
