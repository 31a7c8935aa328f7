// Change of the check entries of a subject: they are written and removed by the commit's outbox. Pure.
import type { CheckEntry, CheckList } from '#shared/contracts/observations/check.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { addToOutbox } from '../change.ts'

/** Returns the subject with these locations checked, and no others. `entryAt` returns the entry of a location with the given revision. */
export function putEntries(
  subject: SubjectDocument,
  locations: readonly string[],
  entryAt: (locationId: string, rev: number) => CheckEntry | CheckList,
): SubjectDocument {
  const rev = subject.rev + 1
  const gone = subject.checkLocations.filter(location => !locations.includes(location))
  const removed = gone.reduce<SubjectDocument>(
    (left, locationId) => addToOutbox(left, { mode: 'check', locationId, rev, entry: null }),
    subject,
  )
  const assigned = locations.reduce(
    (left, locationId) =>
      addToOutbox(left, { mode: 'check', locationId, rev, entry: ofWorkspace(entryAt(locationId, rev), subject) }),
    removed,
  )
  return { ...assigned, checkRev: locations.length > 0 ? rev : null, checkLocations: [...new Set(locations)] }
}

/** Returns the entry with its workspace. The entry of a website monitor, which names no kind, stays as older probers read it. */
export const ofWorkspace = <Entry extends CheckEntry | CheckList>(
  entry: Entry,
  { workspaceId }: Pick<SubjectDocument, 'workspaceId'>,
): Entry => ('checks' in entry || entry.kind !== undefined ? { ...entry, workspace: workspaceId } : entry)

/** Returns the subject without any check. */
export const withoutEntries = (subject: SubjectDocument): SubjectDocument =>
  putEntries(subject, [], () => {
    throw new Error('no location is checked')
  })
