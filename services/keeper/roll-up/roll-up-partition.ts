// Rolls up what is due in one partition: some subjects at a time with a pause behind them, the progress only after all of them. A crash
// anywhere repeats the stretch, which changes nothing.
import type { RollUpDocument, RollUpProgressDocument } from '#shared/contracts/roll-up.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { day, limits } from '#shared/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import type { Core } from '../core.ts'
import { expireIncidents } from './expire-incidents.ts'
import { expireReports } from './expire-reports.ts'
import { type PatientStore, patientStore } from './patient-store.ts'
import { nextRevision, progressOf, rollUpDue } from './progress.ts'
import { expireRollUps, removeOrphans } from './remove-roll-ups.ts'
import { rollUpHours, settleDay } from './roll-up-subject.ts'

/** Days first: a settled day has its hours. Rejects with NoLongerOurs where `mayGoOn` says no. */
export async function rollUpPartition(
  core: Core,
  partition: number,
  stored: RollUpProgressDocument | null,
  mayGoOn: () => boolean,
): Promise<void> {
  const store = patientStore(core, mayGoOn)
  let progress = progressOf(stored, partition, core.clock.now())
  for (;;) {
    const due = rollUpDue(partition, core.clock.now())
    const { daysTo, hoursTo } = progress
    if (daysTo < due.daysTo) {
      await eachSubject(core, store, partition, ids => settleSubjects(core, store, ids, daysTo))
      progress = nextRevision(progress, { daysTo: daysTo + day, hoursTo: Math.max(hoursTo, daysTo + day) })
    } else if (hoursTo < due.hoursTo) {
      const to = Math.min(due.hoursTo, Math.floor(hoursTo / day) * day + day)
      const write = (id: string) => rollUpHours(store, id, hoursTo, to)
      await eachSubject(core, store, partition, async ids => void (await writeRows(core, store, ids, write)))
      progress = nextRevision(progress, { hoursTo: to })
    } else return
    const [result] = await store.replace('rollUpProgress', [progress])
    // Somebody else holds the partition or was here at the same time: whoever looks next reads how far it is.
    if (result !== 'written') return
  }
}

async function settleSubjects(core: Core, store: PatientStore, ids: readonly string[], start: number): Promise<void> {
  const now = core.clock.now()
  for (const subject of await writeRows(core, store, ids, id => settleDay(store, id, start))) {
    await expireRollUps(store, subject, now)
    await expireReports(store, subject.id, now, start + day)
    await expireIncidents(store, subject.id, now)
  }
}

/** Writes the rows of some subjects; answers the subjects as they are afterwards, without those that were deleted meanwhile. */
async function writeRows(
  core: Core,
  store: PatientStore,
  ids: readonly string[],
  compute: (subjectId: string) => Promise<RollUpDocument[]>,
): Promise<SubjectDocument[]> {
  const rows = await Promise.all(ids.map(compute))
  const all = rows.flat()
  if (all.length > 0) await store.upsert('rollUps', all)
  core.metrics.rollUps.inc(all.length)
  const subjects = await store.get('subjects', ids)
  for (const [index, id] of ids.entries()) await removeOrphans(store, id, subjects[index] ?? null, rows[index] ?? [])
  return subjects.filter(subject => subject !== null && subject.deletedAt === null) as SubjectDocument[]
}

/** Subjects of the partition, `limits.rollUp.subjectsAtOnce` at a time. */
async function eachSubject(
  core: Core,
  store: PatientStore,
  partition: number,
  work: (ids: string[]) => Promise<void>,
): Promise<void> {
  const { subjectsPerRead, subjectsAtOnce, pauseMs } = limits.rollUp
  const query: Query = { where: { partition, deletedAt: null }, select: ['partition'], limit: subjectsPerRead }
  for await (const page of pagesOf(query, paged => store.find('subjects', paged))) {
    for (let start = 0; start < page.length; start += subjectsAtOnce) {
      await work(page.slice(start, start + subjectsAtOnce).map(({ id }) => id))
      await new Promise<void>(resolve => void core.clock.after(pauseMs, resolve))
    }
  }
}
