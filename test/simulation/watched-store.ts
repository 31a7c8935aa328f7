// The store of the simulated world with somebody watching every write: what must hold at each moment is looked at in that moment.
import type { Bus, Incoming } from '#shared/bus/port.ts'
import { keys, parseCommand } from '#shared/bus/subjects.ts'
import type { Command } from '#shared/contracts/command.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { partitionOf } from '#shared/hash.ts'
import { checkObservationId } from '#shared/ids.ts'
import type { CheckpointDocument } from '#shared/store/collections.ts'
import type { PutResult, Store } from '#shared/store/port.ts'
import { putOneByOne } from '#shared/store/put-one-by-one.ts'
import { identityOf, type Ledger, type Report } from './ledger.ts'

type OnFault = (text: string) => void

/** The same store; `onFault` hears of every write that should not have been. */
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

/** A subject only ever moves on. */
function watchSubject(known: Map<string, SubjectDocument>, next: SubjectDocument, onFault: OnFault): void {
  const before = known.get(next.id)
  if (before !== undefined && before.rev === next.rev && before.writer === next.writer) return
  known.set(next.id, next)
  const fault = (text: string) => onFault(`subject ${next.id} rev ${next.rev} by ${next.writer}: ${text}`)
  if (next.hasPending !== (next.pending.length > 0 ? 1 : 0)) fault('hasPending does not say whether anything is pending')
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

/** A check entry that a subject owes is not forgotten before the bucket has it, or what has taken its place. */
async function watchCleared(
  bus: Bus,
  before: SubjectDocument | undefined,
  next: SubjectDocument,
  onFault: OnFault,
): Promise<void> {
  const owed = new Set(next.pending.flatMap(pending => (pending.mode === 'check' ? [pending.locationId] : [])))
  for (const pending of before?.pending ?? []) {
    if (pending.mode !== 'check' || owed.has(pending.locationId)) continue
    const entry = await bus.bucket('checks').get(keys.check(pending.locationId, next.id))
    const rev = (entry?.value as { rev?: number } | null)?.rev ?? 0
    const isThere = pending.entry === null ? rev === 0 || rev > pending.rev : rev >= pending.rev
    if (!isThere)
      onFault(`subject ${next.id} rev ${next.rev} forgot the check entry of ${pending.locationId} before it was written`)
  }
}

/** Everything below a checkpoint is written for good. */
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

/** Reports that the store should have, by what it says of their subjects now: as observation and, unless newer ones came, as reading. */
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

/** The slots that the checkpoints know beyond the documents, by subject and location. */
async function freshSlots(store: Store, ids: readonly string[]): Promise<Map<string, number>> {
  const checkpoints = await store.get('checkpoints', [...new Set(ids.map(id => keys.lease(partitionOf(id))))])
  const slots = new Map<string, number>()
  for (const checkpoint of checkpoints) {
    for (const [id, , , , readings] of checkpoint?.freshness ?? [])
      for (const [locationId, slotAt] of readings) slots.set(`${id}.${locationId}`, slotAt)
  }
  return slots
}

/** Whoever has an answer can read its write, and what had to be written to the store with it. */
export async function watchReply(store: Store, message: Incoming, given: unknown, onFault: OnFault): Promise<void> {
  const reply = given as Reply
  const subjectId = parseCommand(message.subject)?.subjectId ?? ''
  const { kind, id } = message.body as Command
  if (!reply.ok) return
  const fault = (text: string) => onFault(`the answer to ${kind} ${id} of ${subjectId} left before ${text}`)
  const [subject] = await store.get('subjects', [subjectId])
  if (subject === null || subject === undefined) return fault('anything was stored')
  if (!subject.receipts.some(receipt => receipt.id === id)) return fault('its receipt was stored')
  const newest = subject.receipts.at(-1)
  // A later commit than this command's may still be on its way to the other collections.
  const answered = newest?.id === id && newest.reply !== null ? (JSON.parse(newest.reply) as { result: { rev?: number } }) : null
  const isNewest = answered?.result.rev === subject.rev
  for (const pending of isNewest ? subject.pending : []) {
    if (pending.mode === 'insert' || pending.mode === 'advance') {
      const [stored] = await store.get(pending.collection, [pending.document.id])
      if (!stored || (pending.mode === 'advance' && stored.rev < pending.document.rev))
        fault(`${pending.collection} ${pending.document.id} was written`)
    }
  }
}
