// Store of the simulated world that checks the invariants at every write.
import type { Bus, Incoming } from '#shared/bus/port.ts'
import { keys, parseCommand } from '#shared/bus/subjects.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { CheckpointDocument } from '#shared/contracts/observations/checkpoint.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { PutResult, Store } from '#shared/store/port.ts'
import { putOneByOne } from '#shared/store/put-one-by-one.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { checkObservationId } from '#shared/text/ids.ts'
import { entryAt } from '../support/check-entries.ts'
import { storedFreshness } from '../support/stored-freshness.ts'
import { identityOf, type Ledger, type Report } from './judged/ledger.ts'

type OnFault = (text: string) => void

/** Returns the same store; `onFault` is called with every wrong write. */
export function watched(store: Store, ledger: Ledger, bus: Bus, onFault: OnFault): Store {
  const known = new Map<string, SubjectDocument>()
  const passed = new Map<string, number>()
  type Put = (collection: string, documents: readonly { id: string }[]) => Promise<PutResult[]>
  const watchedPut =
    (put: Put): Put =>
    async (collection, documents) => {
      const results = await put(collection, documents)
      for (const [i, document] of documents.entries()) {
        if (results[i] !== 'written') continue
        if (collection === 'subjects') {
          const before = known.get(document.id)
          watchSubject(known, document as SubjectDocument, onFault)
          await watchCleared(bus, before, document as SubjectDocument, onFault)
        }
        if (collection === 'checkpoints') await watchCheckpoint(store, ledger, passed, document as CheckpointDocument, onFault)
      }
      return results
    }
  const puts = ['insert', 'replace', 'advance', 'upsert'] as const
  const watching: Store = { ...store, ...Object.fromEntries(puts.map(name => [name, watchedPut(store[name] as Put)])) }
  return { ...watching, putInOrder: putOneByOne(watching) }
}

/** Checks that each write raises the subject's revision by one, and that no counter decreases. */
function watchSubject(known: Map<string, SubjectDocument>, next: SubjectDocument, onFault: OnFault): void {
  const before = known.get(next.id)
  if (before !== undefined && before.rev === next.rev && before.writer === next.writer) return
  known.set(next.id, next)
  const fault = (text: string) => onFault(`subject ${next.id} rev ${next.rev} by ${next.writer}: ${text}`)
  if (next.hasOutbox !== (next.outbox.length > 0 ? 1 : 0)) fault('hasOutbox does not say whether anything is pending')
  if (before === undefined) return
  if (next.rev !== before.rev + 1) fault(`follows rev ${before.rev}`)
  if (next.incidents < before.incidents) fault('forgot incidents')
  if (next.judgedAt < before.judgedAt) fault('was judged before what was judged already')
  if (before.deletedAt !== null && next.deletedAt === null) fault('came back from its tombstone')
  for (const [location, reading] of Object.entries(next.readings)) {
    const older = before.readings[location]
    if (older === undefined || older.addedAt !== reading.addedAt) continue
    if ((reading.slotAt ?? 0) < (older.slotAt ?? 0))
      fault(`the reading of ${location} went back from slot ${older.slotAt} to ${reading.slotAt}`)
  }
}

/** Checks that a check entry stays in the subject's outbox until the bucket has this entry or a newer entry. */
async function watchCleared(
  bus: Bus,
  before: SubjectDocument | undefined,
  next: SubjectDocument,
  onFault: OnFault,
): Promise<void> {
  const owed = new Set(next.outbox.flatMap(entry => (entry.mode === 'check' ? [entry.locationId] : [])))
  for (const owing of before?.outbox ?? []) {
    if (owing.mode !== 'check' || owed.has(owing.locationId)) continue
    const rev = (await entryAt(bus, owing.locationId, next.id))?.rev ?? 0
    const isThere = owing.entry === null ? rev === 0 || rev > owing.rev : rev >= owing.rev
    if (!isThere)
      onFault(`subject ${next.id} rev ${next.rev} forgot the check entry of ${owing.locationId} before it was written`)
  }
}

/** Checks that everything below a checkpoint is stored. */
async function watchCheckpoint(
  store: Store,
  ledger: Ledger,
  passed: Map<string, number>,
  checkpoint: CheckpointDocument,
  onFault: OnFault,
): Promise<void> {
  const from = passed.get(checkpoint.streamCreatedAt + checkpoint.id) ?? 0
  passed.set(checkpoint.streamCreatedAt + checkpoint.id, checkpoint.sequence)
  const left = ledger.reports.filter(report => {
    const isCovered = report.sequence > from && report.sequence <= checkpoint.sequence
    return (
      isCovered &&
      !report.isLost &&
      report.stream === checkpoint.streamCreatedAt &&
      keys.lease(report.partition) === checkpoint.id
    )
  })
  for (const sentence of await findUnwritten(store, left))
    onFault(`checkpoint ${checkpoint.id} at ${checkpoint.sequence}: ${sentence}`)
}

/**
 * Returns the reports that are missing in the store. A report must be stored as an observation, and also as a reading unless a newer report
 * came.
 */
export async function findUnwritten(store: Store, given: readonly Report[]): Promise<string[]> {
  const reports = given.filter(report => !report.isReused)
  const ids = [...new Set(reports.map(report => report.subjectId))]
  const found = await store.get('subjects', ids)
  const subjectsById = new Map(ids.map((id, i) => [id, found[i] ?? null]))
  const fresh = await freshSlots(store, ids)
  const expected = reports.filter(({ subjectId, locationId, rev, slotAt }) => {
    const subject = subjectsById.get(subjectId) ?? null
    if (subject === null || subject.deletedAt !== null || subject.checkRev === null || slotAt > 1e13) return false
    return rev >= subject.checkRev && rev < 1_000_000 && (subject.check?.locations ?? []).includes(locationId)
  })
  const observationIds = expected.map(({ subjectId, locationId, slotAt }) => checkObservationId(subjectId, locationId, slotAt))
  const observations = await store.get('observations', observationIds)
  return expected.flatMap((report, i) => {
    const reading = subjectsById.get(report.subjectId)?.readings[report.locationId]
    const sentences: string[] = []
    if (observations[i] === null)
      sentences.push(`the report ${identityOf(report)} (sequence ${report.sequence}) is no observation`)
    const slotAt = Math.max(reading?.slotAt ?? 0, fresh.get(`${report.subjectId}.${report.locationId}`) ?? 0)
    if (slotAt < report.slotAt)
      sentences.push(`the report ${identityOf(report)} (sequence ${report.sequence}) is not in the readings`)
    return sentences
  })
}

/** Returns the slots that the checkpoints have and the documents lack, by subject and location. */
async function freshSlots(store: Store, ids: readonly string[]): Promise<Map<string, number>> {
  const slots = new Map<string, number>()
  for (const partition of new Set(ids.map(partitionOf)))
    for (const [id, , , , readings] of (await storedFreshness(store, partition)).values())
      for (const [locationId, slotAt] of readings) slots.set(`${id}.${locationId}`, slotAt)
  return slots
}

/** Checks that when a client gets its reply, all store writes of the command can be read. */
export async function watchReply(store: Store, message: Incoming, given: unknown, onFault: OnFault): Promise<void> {
  const reply = given as Reply
  const subjectId = parseCommand(message.subject)?.subjectId ?? ''
  const { kind, id } = message.body as Command
  if (!reply.ok) return
  const fault = (text: string) => onFault(`the answer to ${kind} ${id} of ${subjectId} left before ${text}`)
  const [subject] = await store.get('subjects', [subjectId])
  if (subject === null || subject === undefined) return fault('anything was stored')
  if (!subject.idempotency.some(record => record.id === id)) return fault('its idempotency record was stored')
  const newest = subject.idempotency.at(-1)
  // If the newest commit is later than the commit of this command, its writes to other collections can still be under way.
  const answered = newest?.id === id && newest.reply !== null ? (JSON.parse(newest.reply) as { result: { rev?: number } }) : null
  const isNewest = answered?.result.rev === subject.rev
  for (const entry of isNewest ? subject.outbox : []) {
    if (entry.mode === 'insert' || entry.mode === 'advance') {
      const [stored] = await store.get(entry.collection, [entry.document.id])
      if (!stored || (entry.mode === 'advance' && stored.rev < entry.document.rev))
        fault(`${entry.collection} ${entry.document.id} was written`)
    }
  }
}
