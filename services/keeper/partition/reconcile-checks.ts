// Agreement of the check entries on the bus with the stored subjects of a partition: after a take-over, and when the level of the
// installation is raised.
import { keys } from '#shared/bus/subjects.ts'
import { checkEntryForm, listSchema } from '#shared/contracts/observations/check.ts'
import type { SubjectKind } from '#shared/contracts/subjects/subject-kind.ts'
import type { ListedChecks, ListedEntry } from '../check-forms.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import { writeCheck, writesPages } from '../round/check-entries.ts'
import { type CheckedRow, checkedRows, entriesOfSubjects, type StoredEntries } from '../round/stored-entries.ts'
import type { CheckListing } from './check-listing.ts'

const writtenAtOnce = 1_000

/** Lists the entries and reads the subjects of a partition, and makes them agree. May run while the partition is live. */
export async function reconcileChecks(
  context: KeeperContext,
  partition: number,
  listing: CheckListing,
  mayGoOn: () => boolean,
): Promise<void> {
  const listed = await listing.take(partition)
  await agreeOnChecks(context, partition, { listed, rows: checkedRows(context, partition, mayGoOn) }, mayGoOn)
}

/** The two sides: the entries on the bus, and the subjects in the store, in pages, which must be read after the entries were listed. */
export interface Sides {
  listed: ListedChecks
  rows: AsyncIterable<readonly CheckedRow[]> | Iterable<readonly CheckedRow[]>
}

/**
 * Writes entries that are missing, too old or of another schema, and removes entries without a monitor. Entries that are not in the form of
 * the installation's level are written in it. May run while the partition is live. Rejects with NoLongerOurs.
 */
export async function agreeOnChecks(
  context: KeeperContext,
  partition: number,
  { listed, rows }: Sides,
  mayGoOn: () => boolean,
): Promise<void> {
  const isFlat = writesPages(context)
  const own = isFlat ? new Map([...apartOf(listed), ...listed.paged]) : listed.alone
  const others = isFlat ? oldOf(listed) : listed.paged
  const lacking = new Set<string>()
  for await (const page of rows) {
    for (const { id, kind, checkRev, checkLocations } of page) {
      for (const locationId of checkLocations) {
        const key = keys.check(locationId, id)
        if (presentRev(own.get(key), kind) < (checkRev ?? 0)) lacking.add(id)
        own.delete(key)
        others.delete(key)
      }
    }
  }
  const strays = [...own.values()]
  // Without these first, a prober that has them would go on: what follows removes entries without a trace.
  if (isFlat) await removeAll(context, 'checks', [...others.keys()], mayGoOn)
  const removals = strays.map(({ locationId, subjectId, rev }) =>
    // An entry that is newer than the listed one stays: its subject was changed meanwhile.
    writeCheck(context, subjectId, { mode: 'check', locationId, rev, entry: null }, mayGoOn),
  )
  await Promise.all(removals)
  await writeLacking(context, [...lacking], mayGoOn)
  if (isFlat) context.checkForms().old.listed(partition, listed)
  else if (!writesPages(context)) await removeAll(context, 'check-pages', [...listed.pages], mayGoOn)
  if (strays.length + lacking.size > 0)
    context.logger.info({ partition, removed: strays.length, written: lacking.size }, 'check entries reconciled')
}

/** Entries that were not on the bus have no known instant: they are no news for a prober. */
async function writeLacking(context: KeeperContext, ids: readonly string[], mayGoOn: () => boolean): Promise<void> {
  for (let start = 0; start < ids.length; start += writtenAtOnce) {
    const found: StoredEntries[] = []
    const some = ids.slice(start, start + writtenAtOnce)
    for await (const one of entriesOfSubjects(context, some, mayGoOn)) found.push(one)
    const writes = found.flatMap(({ subjectId, rev, entries }) =>
      [...entries].map(([locationId, entry]) =>
        writeCheck(context, subjectId, { mode: 'check', locationId, rev, entry }, mayGoOn, 0),
      ),
    )
    await Promise.all(writes)
  }
}

async function removeAll(
  context: KeeperContext,
  bucket: 'checks' | 'check-pages',
  stray: readonly string[],
  mayGoOn: () => boolean,
): Promise<void> {
  for (const key of stray)
    await retryWhile(context, mayGoOn, 'remove a stray check entry', () => context.bus.bucket(bucket).delete(key))
}

const apartOf = ({ alone, apart }: ListedChecks) => [...alone].filter(([key]) => apart.has(key))
const oldOf = ({ alone, apart }: ListedChecks) => new Map([...alone].filter(([key]) => !apart.has(key)))

/** Returns the revision of a listed entry; 0: it is not in the form that this keeper writes for the kind of subject, or cannot be read. */
function presentRev(entry: ListedEntry | undefined, kind: SubjectKind): number {
  const schema = kind === 'template' ? listSchema : checkEntryForm.schema
  return entry?.schema === schema ? entry.rev : 0
}
