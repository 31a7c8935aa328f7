// Watches of this location's check entries, which keepers write into pages (bucket `check-pages`), or alone (bucket `checks`). Owns the
// watches, the table of known entries, and the list of entries that cannot be read: they are damaged, or a keeper of a newer version has
// written them.
import { Compile } from 'typebox/schema'
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { type Form, schemaOf, upgraded } from '#shared/contracts/form.ts'
import { CheckEntry, CheckList, checkEntryForm } from '#shared/contracts/observations/check.ts'
import { checkPageForm } from '#shared/contracts/observations/check-page.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { isKnownEntry } from './checks/registry.ts'
import { type AssignedEntry, EntryTable } from './entry-table.ts'
import type { SignalEntry } from './monitor.ts'

const contract = Compile(CheckEntry)
const listContract = Compile(CheckList)

export interface AssignmentHandlers {
  /**
   * Called for a new, changed or repeated entry. `at`: instant of the entry on bus time, ms. `isPaged`: it came in a page, so that its
   * results name the subject in their bodies.
   */
  onEntry(subjectId: string, entry: CheckEntry, at: number, isPaged: boolean): void
  /** Called for an entry with several checks, with all that this prober knows. */
  onList(subjectId: string, entries: readonly SignalEntry[], at: number, isPaged: boolean): void
  /** Called for an entry that cannot be read. `rev` null: not even its revision. */
  onUnreadable(subjectId: string, rev: number | null): void
  onRemoved(subjectId: string): void
}

export interface Assignments extends Subscription {
  /** Resolves when every present entry was delivered. */
  readonly complete: Promise<void>
  /** Returns the number of entries, and of pages, that cannot be read. */
  unreadable(): number
}

/** Resolves when the watches run. Entries are delivered from then on. */
export async function watchAssignments(
  bus: Bus,
  locationId: string,
  logger: Logger,
  handlers: AssignmentHandlers,
  form: Form<CheckEntry> = checkEntryForm,
): Promise<Assignments> {
  const unreadable = new Set<string>()
  const warn = (named: object, schema: unknown, known: number) => {
    logger.warn(
      { ...named, location: locationId, schema, known },
      'check entry cannot be read: if its schema is later than the known one, install the version of the keepers',
    )
  }
  const onEntry = ({ subjectId, value, at, isPaged }: AssignedEntry) => {
    unreadable.delete(subjectId)
    const list = listContract.Check(value) ? value : null
    const known = list === null ? null : entriesIn(list)
    if (known !== null) handlers.onList(subjectId, known, Math.floor(at), isPaged)
    if (list !== null && known?.length === list.checks.length) return true
    const entry = list === null ? readEntry(form, value) : null
    if (entry !== null) {
      handlers.onEntry(subjectId, entry, Math.floor(at), isPaged)
      return true
    }
    unreadable.add(subjectId)
    const { rev, schema } = value as { rev?: unknown; schema?: unknown }
    warn({ subject: subjectId }, schema ?? 1, form.schema)
    if (list === null) handlers.onUnreadable(subjectId, typeof rev === 'number' ? rev : null)
    return list !== null
  }
  const table = new EntryTable({
    onEntry,
    onRemoved: subjectId => {
      unreadable.delete(subjectId)
      handlers.onRemoved(subjectId)
    },
    onPage: (key, value) => {
      if (value === null) return unreadable.delete(key)
      unreadable.add(key)
      return warn({ page: key }, schemaOf(value), checkPageForm.schema)
    },
  })
  const watchOf = async (name: 'checks' | 'check-pages', onChange: EntryTable['single']) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const watch = await bus.bucket(name).watch(keys.checksOfLocation(locationId), { onEntry: onChange, onReady: resolve })
    return { watch, complete: promise }
  }
  const begun = await Promise.allSettled([watchOf('check-pages', table.page), watchOf('checks', table.single)])
  const watches = begun.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  const close = async () => void (await Promise.all(watches.map(({ watch }) => watch.close())))
  const failed = begun.find(one => one.status === 'rejected')
  if (failed !== undefined) {
    await close()
    throw failed.reason
  }
  const complete = Promise.all(watches.map(watched => watched.complete)).then(() => table.complete())
  return { complete, unreadable: () => unreadable.size, close }
}

/** Returns the checks that this prober knows. */
const entriesIn = ({ rev, workspace, checks }: CheckList): SignalEntry[] =>
  checks.map(check => ({ ...check, rev, ...(workspace !== undefined && { workspace }) })).filter(isKnownEntry)

/** Returns the entry in the present form; null: it is damaged, of a later schema, or of a kind that this prober does not know. */
function readEntry(form: Form<CheckEntry>, value: unknown): CheckEntry | null {
  try {
    const entry = upgraded(form, value as CheckEntry)
    return contract.Check(entry) && isKnownEntry(entry) ? entry : null
  } catch {
    return null // Damaged: the upgrade misses a member.
  }
}
