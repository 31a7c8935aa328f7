// Idempotency records of a subject: stored replies, which retries of the commands get again. Pure.
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { IdempotencyRecord, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'

/** Returns the subject with an idempotency record of the command's reply. `at` may lie well before now: the command may have waited. */
export function withIdempotencyRecord(subject: SubjectDocument, id: string, at: number, reply: Reply): SubjectDocument {
  return { ...subject, idempotency: remembered(subject.idempotency, { id, at, reply: JSON.stringify(reply) }) }
}

/** Returns the recorded reply to a command with this id; null: the command is new. */
export function replyBefore(subject: SubjectDocument, commandId: string): Reply | null {
  const reply = subject.idempotency.find(record => record.id === commandId)?.reply ?? null
  return reply === null ? null : (JSON.parse(reply) as Reply)
}

/**
 * Adds a record. Keeps the last 16 records with a reply, and the last 1,024 records that only have the instant of a stamped report. The
 * bounds are separate, so that many reports remove no reply.
 */
export function remembered(idempotency: readonly IdempotencyRecord[], added: IdempotencyRecord): IdempotencyRecord[] {
  const { idempotencyRecords: answersMax, stamps } = limits.keeper
  const isStamp = added.reply === null
  const recent = idempotency.filter(record => record.id !== added.id && isAwaited(record, added.at))
  let over = recent.filter(({ reply }) => (reply === null) === isStamp).length + 1 - (isStamp ? stamps : answersMax)
  return [...recent.filter(({ reply }) => (reply === null) !== isStamp || over-- <= 0), added]
}

/** Drops records whose time for retries is over. Returns the same list if no record is dropped. */
export function stillAwaited(idempotency: IdempotencyRecord[], now: number): IdempotencyRecord[] {
  return idempotency.every(record => isAwaited(record, now)) ? idempotency : idempotency.filter(record => isAwaited(record, now))
}

/** Returns whether clients may still retry the command of this record. */
function isAwaited({ at, reply }: IdempotencyRecord, now: number): boolean {
  return now - at < (reply === null ? limits.keeper.stampAgeMs : limits.keeper.idempotencyAgeMs)
}
