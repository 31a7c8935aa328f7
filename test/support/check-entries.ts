// Check entries as probers see them, whether they are in pages or alone.
import type { Bus } from '#shared/bus/port.ts'
import { keys, parseCheckKey, parseCheckPage } from '#shared/bus/subjects.ts'
import type { CheckEntry, CheckList } from '#shared/contracts/observations/check.ts'
import { readCheckPage, revOf } from '#shared/contracts/observations/check-page.ts'

type Entry = CheckEntry | CheckList
type Readable = Pick<Bus, 'bucket'>

/** Returns the entry of a subject at a location; null: none. */
export async function entryAt(bus: Readable, locationId: string, subjectId: string): Promise<Entry | null> {
  const page = readCheckPage((await bus.bucket('check-pages').get(keys.checkPageOf(locationId, subjectId)))?.value)
  const paged = page?.entries.find(([id]) => id === subjectId)?.[2] as Entry | undefined
  const alone = (await bus.bucket('checks').get(keys.check(locationId, subjectId)))?.value as Entry | null | undefined
  return (revOf(alone) > revOf(paged) ? alone : paged) ?? alone ?? null
}

/** Returns the entries of all subjects, by `keys.check`. */
export async function allEntries(bus: Readable): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>()
  for (const { key, value } of await bus.bucket('check-pages').list(keys.allChecks)) {
    const { locationId } = parseCheckPage(key) as { locationId: string }
    for (const [subjectId, , entry] of readCheckPage(value)?.entries ?? [])
      found.set(keys.check(locationId, subjectId), entry as Entry)
  }
  for (const { key, value } of await bus.bucket('checks').list(keys.allChecks))
    if (parseCheckKey(key) !== null && revOf(value) > revOf(found.get(key))) found.set(key, value as Entry)
  return found
}

/** Puts an entry into the page of its subject, or takes it out, as another keeper could have done. */
export async function putPaged(
  bus: Readable,
  locationId: string,
  subjectId: string,
  entry: object | null,
  at = 0,
): Promise<void> {
  const pages = bus.bucket('check-pages')
  const key = keys.checkPageOf(locationId, subjectId)
  const before = readCheckPage((await pages.get(key))?.value) ?? { entries: [] }
  const others = before.entries.filter(([id]) => id !== subjectId)
  await pages.put(key, { ...before, entries: entry === null ? others : [...others, [subjectId, at, entry]] })
}
