// Options of a check, as an entry holds them.
import type { CheckField } from '#shared/checks/check-field.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'

/** Returns the options of an entry that its kind accepts, with the defaults of those that the entry leaves out. */
export function optionsIn<T>(fields: readonly CheckField[], entry: CheckEntry): T {
  const { options } = entry as CheckEntry & { options: Record<string, unknown> }
  return Object.fromEntries(fields.map(({ key, default: usual }) => [key, options[key] ?? usual])) as T
}
