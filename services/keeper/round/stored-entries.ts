// Check entries as the stored subjects say, for what the bus has lost or has never had.
import type { CheckEntry, CheckList } from '#shared/contracts/observations/check.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { pagesOf } from '#shared/store/pages.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import { revisionIdOf } from '../loading/template-revisions.ts'
import { entriesOf } from '../step/checks/check-lists.ts'
import { ofWorkspace } from '../step/checks/put-entries.ts'

const pageSize = 1_000

export interface StoredEntries {
  subjectId: string
  rev: number
  /** By location. */
  entries: Map<string, CheckEntry | CheckList>
}

/** Members by which `isWanted` tells subjects apart. */
export type CheckedRow = Pick<SubjectDocument, 'id' | 'kind' | 'checkRev' | 'checkLocations'>

/** Yields the subjects of a partition that are not deleted, by pages. */
export const checkedRows = (context: KeeperContext, partition: number, mayGoOn: () => boolean): AsyncIterable<CheckedRow[]> =>
  pagesOf(
    { where: { partition, deletedAt: null }, limit: pageSize, select: ['kind', 'checkRev', 'checkLocations'] as const },
    page => retryWhile(context, mayGoOn, 'read subjects', () => context.store.find('subjects', page)),
  )

/** Yields the entries of the subjects of a partition that are wanted. */
export async function* storedEntries(
  context: KeeperContext,
  partition: number,
  isWanted: (id: string, locations: readonly string[]) => boolean,
  mayGoOn: () => boolean,
): AsyncGenerator<StoredEntries> {
  for await (const page of checkedRows(context, partition, mayGoOn)) {
    const ids = page.filter(({ id, checkLocations }) => isWanted(id, checkLocations)).map(({ id }) => id)
    yield* entriesOfSubjects(context, ids, mayGoOn)
  }
}

/** Yields the present entries of these subjects. */
export async function* entriesOfSubjects(
  context: KeeperContext,
  ids: readonly string[],
  mayGoOn: () => boolean,
): AsyncGenerator<StoredEntries> {
  for (let start = 0; start < ids.length; start += pageSize) {
    const some = ids.slice(start, start + pageSize)
    const subjects = await retryWhile(context, mayGoOn, 'read subjects', () => context.store.get('subjects', some))
    const revisions = subjects.flatMap(subject => (subject === null ? [] : (revisionIdOf(subject) ?? [])))
    await retryWhile(context, mayGoOn, 'read Templates', () => context.templates.load(context.store, revisions))
    for (const subject of subjects) {
      if (subject === null || subject.deletedAt !== null || subject.checkRev === null) continue
      const entries = [...entriesOf(subject, context.templates.find(subject))]
      const ofIts = entries.map(([locationId, entry]) => [locationId, ofWorkspace(entry, subject)] as const)
      yield { subjectId: subject.id, rev: subject.checkRev, entries: new Map(ofIts) }
    }
  }
}
