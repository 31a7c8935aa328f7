// Roll-up of one partition: rolls up a few subjects at a time with a pause between them, then stores the progress. After a crash the same
// period is repeated, with the same result.
import { pause } from '#shared/async/pause.ts'
import type { RollUpDocument, RollUpProgressDocument } from '#shared/contracts/observations/roll-up.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { day, limits } from '#shared/limits/limits.ts'
import { parseRollUpId } from '#shared/roll-up/roll-up-ids.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import type { KeeperContext } from '../context.ts'
import { expireIncidents, expireReports } from './expire.ts'
import { nextRevision, progressOf, rawBeginsAt, rollUpDue } from './progress.ts'
import { expireRollUps, removeOrphans } from './remove-roll-ups.ts'
import { type RetryingStore, retryingStore } from './retrying-store.ts'
import { rollUpHours, settleDay } from './roll-up-subject.ts'
import { rollUpTrouble } from './roll-up-trouble.ts'

/** Rolls up one partition, days first, because a day's roll-up includes its hours. Rejects with NoLongerOurs if `mayGoOn` returns false. */
export async function rollUpPartition(
  context: KeeperContext,
  partition: number,
  stored: RollUpProgressDocument | null,
  mayGoOn: () => boolean,
): Promise<void> {
  const store = retryingStore(context, mayGoOn, 'roll up')
  const now = context.clock.now()
  let progress = progressOf(stored, partition, now, stored === null ? await rawBeginsAt(store, now) : 0)
  for (;;) {
    const due = rollUpDue(partition, context.clock.now())
    const { daysTo, hoursTo } = progress
    if (daysTo < due.daysTo) {
      await eachSubject(context, store, partition, ids => settleSubjects(context, store, ids, daysTo))
      progress = nextRevision(progress, { daysTo: daysTo + day, hoursTo: Math.max(hoursTo, daysTo + day) })
    } else if (hoursTo < due.hoursTo) {
      const to = Math.min(due.hoursTo, Math.floor(hoursTo / day) * day + day)
      await eachSubject(context, store, partition, async ids => {
        const rows = await writeRows(context, store, await rollUpHours(store, ids, hoursTo, to))
        for (const { id, subject, written } of await mayBeOrphans(store, ids, rows))
          await removeOrphans(store, id, subject, written)
      })
      progress = nextRevision(progress, { hoursTo: to })
    } else return
    const [result] = await store.replace('rollUpProgress', [progress])
    // Another keeper has written the progress: the next pass reads it.
    if (result !== 'written') return
  }
}

async function settleSubjects(
  context: KeeperContext,
  store: RetryingStore,
  ids: readonly string[],
  start: number,
): Promise<void> {
  const now = context.clock.now()
  const rows = await writeRows(context, store, await settleDay(store, ids, start))
  const subjects = await store.get('subjects', ids)
  for (const [index, id] of ids.entries()) {
    const subject = subjects[index] ?? null
    await removeOrphans(store, id, subject, rows[index] ?? [])
    if (subject === null || subject.deletedAt !== null) continue
    await expireRollUps(store, subject, now)
    await expireReports(store, subject.id, now, start + day)
    await expireIncidents(store, subject.id, now)
    await rollUpTrouble(store, subject.id, start + day)
  }
}

/** Writes the rows of some subjects, and returns them. */
async function writeRows(context: KeeperContext, store: RetryingStore, rows: RollUpDocument[][]): Promise<RollUpDocument[][]> {
  const all = rows.flat()
  if (all.length > 0) await store.upsert('rollUps', all)
  context.metrics.rollUps.inc(all.length)
  return rows
}

interface Rolled {
  id: string
  /** The subject as read after its rows were written; null: deleted, or not asked because only a deletion would matter. */
  subject: SubjectDocument | null
  written: RollUpDocument[]
}

/**
 * Returns the subjects with rows that may have to be removed again: deleted ones, and those with rows of signals, which may be deleted. All
 * others are only asked for their deletion, without their documents.
 */
async function mayBeOrphans(store: RetryingStore, ids: readonly string[], rows: readonly RollUpDocument[][]): Promise<Rolled[]> {
  const written = ids.flatMap((id, index) => (rows[index]?.length ? [{ id, written: rows[index] }] : []))
  if (written.length === 0) return []
  const where = { id: { in: written.map(({ id }) => id) }, deletedAt: null }
  const present = new Set(
    (await store.find('subjects', { where, select: ['deletedAt'], limit: written.length })).map(({ id }) => id),
  )
  const asked = written.filter(one => !present.has(one.id) || one.written.some(isOfSignal))
  const signalled = asked.filter(({ id }) => present.has(id)).map(({ id }) => id)
  const documents = signalled.length === 0 ? [] : await store.get('subjects', signalled)
  const byId = new Map(signalled.map((id, index) => [id, documents[index] ?? null]))
  return asked.map(one => ({ ...one, subject: byId.get(one.id) ?? null }))
}

const isOfSignal = ({ id }: RollUpDocument): boolean => parseRollUpId(id).source.kind === 'signal'

/** Calls a function with the subjects of the partition, `limits.rollUp.subjectsAtOnce` at a time. */
async function eachSubject(
  context: KeeperContext,
  store: RetryingStore,
  partition: number,
  work: (ids: string[]) => Promise<void>,
): Promise<void> {
  const { subjectsPerRead, subjectsAtOnce, pauseMs } = limits.rollUp
  const query: Query = { where: { partition, deletedAt: null }, select: ['partition'], limit: subjectsPerRead }
  for await (const page of pagesOf(query, paged => store.find('subjects', paged))) {
    for (let start = 0; start < page.length; start += subjectsAtOnce) {
      await work(page.slice(start, start + subjectsAtOnce).map(({ id }) => id))
      await pause(context.clock, pauseMs)
    }
  }
}
