// Check entries that are alone in the bucket `checks`: all entries below level 4, and later those for which a page has no room.
import type { Bucket } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { schemaOf } from '#shared/contracts/form.ts'
import { revOf } from '#shared/contracts/observations/check-page.ts'
import type { OutboxCheck } from '#shared/contracts/subjects/subject.ts'
import type { KeeperContext } from '../context.ts'

type Single = Pick<OutboxCheck, 'rev' | 'entry'>

/** Sets or removes an entry, unless the bucket has an entry with a larger rev, or with the same rev and schema. */
export async function putAlone(
  context: Pick<KeeperContext, 'bus'>,
  locationId: string,
  { subjectId, rev, entry }: Single & { subjectId: string },
): Promise<void> {
  const bucket: Bucket = context.bus.bucket('checks')
  const key = keys.check(locationId, subjectId)
  if (entry !== null && rev === 1 && (await bucket.update(key, entry, 0)) !== null) return
  for (;;) {
    const stored = await bucket.get(key)
    const storedRev = revOf(stored?.value)
    if (storedRev > rev) return
    if (storedRev === rev && entry !== null && schemaOf(stored?.value ?? {}) === schemaOf(entry)) return
    if (entry === null) return stored === null || stored.value === null ? undefined : bucket.delete(key)
    if ((await bucket.update(key, entry, stored?.revision ?? 0)) !== null) return
  }
}

/** Removes an entry whose page holds it now, or whose subject is not checked there any more. */
export async function removeAlone(context: Pick<KeeperContext, 'bus'>, locationId: string, subjectId: string): Promise<void> {
  const bucket = context.bus.bucket('checks')
  const key = keys.check(locationId, subjectId)
  if ((await bucket.get(key)) !== null) await bucket.delete(key)
}
