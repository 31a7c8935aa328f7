// Watch of this location's check entries, which keepers write into the bucket `checks`. Owns the watch, and the list of entries that cannot
// be read: they are damaged, or a keeper of a newer version has written them.
import { Compile } from 'typebox/schema'
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { keys, parseCheckKey } from '#shared/bus/subjects.ts'
import { type Form, upgraded } from '#shared/contracts/form.ts'
import { CheckEntry, CheckList, checkEntryForm } from '#shared/contracts/observations/check.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { isKnownEntry } from './checks/registry.ts'
import type { SignalEntry } from './monitor.ts'

const contract = Compile(CheckEntry)
const listContract = Compile(CheckList)

export interface AssignmentHandlers {
  /** Called for a new, changed or repeated entry. `at`: instant of the entry on bus time, ms. */
  onEntry(subjectId: string, entry: CheckEntry, at: number): void
  /** Called for an entry with several checks, with all that this prober knows. */
  onList(subjectId: string, entries: readonly SignalEntry[], at: number): void
  /** Called for an entry that cannot be read. `rev` null: not even its revision. */
  onUnreadable(subjectId: string, rev: number | null): void
  onRemoved(subjectId: string): void
}

export interface Assignments extends Subscription {
  /** Returns the number of entries that cannot be read. */
  unreadable(): number
}

/** Resolves when every present entry was delivered. */
export async function watchAssignments(
  bus: Bus,
  locationId: string,
  logger: Logger,
  handlers: AssignmentHandlers,
  form: Form<CheckEntry> = checkEntryForm,
): Promise<Assignments> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const unreadable = new Set<string>()
  const subscription = await bus.bucket('checks').watch(keys.checksOfLocation(locationId), {
    onReady: resolve,
    onEntry: ({ key, value, at }) => {
      const subjectId = parseCheckKey(key)?.subjectId
      if (subjectId === undefined) return
      unreadable.delete(subjectId)
      if (value === null) return handlers.onRemoved(subjectId)
      const list = listContract.Check(value) ? value : null
      const known = list === null ? null : entriesIn(list)
      if (known !== null) handlers.onList(subjectId, known, Math.floor(at))
      if (list !== null && known?.length === list.checks.length) return
      const entry = list === null ? readEntry(form, value) : null
      if (entry !== null) return handlers.onEntry(subjectId, entry, Math.floor(at))
      unreadable.add(subjectId)
      const { rev, schema } = value as { rev?: unknown; schema?: unknown }
      logger.warn(
        { subject: subjectId, location: locationId, schema: schema ?? 1, known: form.schema },
        'check entry cannot be read: if its schema is later than the known one, install the version of the keepers',
      )
      if (list === null) handlers.onUnreadable(subjectId, typeof rev === 'number' ? rev : null)
    },
  })
  await promise
  return { unreadable: () => unreadable.size, close: () => subscription.close() }
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
