// Signals and rules of system Templates, in the form of a manifest. Data alone. Reference: docs/reference/v3.md, 3.21 and 3.23.
import type { CheckField } from './check-field.ts'
import { confirmAfter, failureMode, intervalSeconds, locations, recoverAfter } from './watch-fields.ts'

/** What a system Template watches, and how it judges. It is read as a published manifest is. */
export interface TemplateParts {
  signals: readonly object[]
  rules: readonly object[]
}

/** Returns the reference by which a part of a Template reads a field. */
export const fieldRef = ({ key }: Pick<CheckField, 'key'>): { meta: string } => ({ meta: key })

/** Returns references to the fields, by their keys: options that are read from the fields of their names. */
export const fieldRefs = (fields: readonly CheckField[]): Record<string, { meta: string }> =>
  Object.fromEntries(fields.map(field => [field.key, fieldRef(field)]))

interface Checked {
  /** Key of the signal. */
  key: string
  /** Key of the kind of check, and its options: values or references. */
  check: { type: string }
  /** Seconds between two checks; absent: the field says it. */
  everySeconds?: number
  help: string
}

/** Returns a signal that is checked from the Locations of the monitor, with its failure mode as agreement. */
export const checkedSignal = ({ key, check, everySeconds, help }: Checked): object => ({
  ...{ key, kind: 'check', every_seconds: everySeconds ?? fieldRef(intervalSeconds), check },
  ...{ locations: fieldRef(locations), agreement: fieldRef(failureMode), help },
})

/** Returns the comparison that is true while checks of the signal fail. */
export const failing = (signal: string): object => ({ signal, field: 'status', operator: 'eq', operand: 'problem' })

/** Delays that the monitor states. */
export const statedWait = { confirm_after: fieldRef(confirmAfter), recover_after: fieldRef(recoverAfter) }

/** Key of the rule that says whether a monitor is up or down. */
export const availability = 'availability'

/** Key of the signal by which a monitor is up or down. */
export const reachability = 'reachability'

/**
 * Returns the parts of a Template with one signal, whose options are the fields of its kind, and with one rule: checks fail, or bring nothing.
 * `action`: what to do then. `help`: what the signal is.
 */
export function availabilityParts(
  type: string,
  fields: readonly CheckField[],
  { help, action }: Record<'help' | 'action', string>,
) {
  return {
    signals: [checkedSignal({ key: reachability, check: { type, ...fieldRefs(fields) }, help })],
    rules: [
      {
        key: availability,
        action,
        help: 'Checks fail, or nothing is known from half of the Locations.',
        wait: statedWait,
        decision: failing(reachability),
        unknown: 'no_data',
      },
    ],
  } as const
}

/** Returns the rule that a value of the signal is above a field for five minutes. */
export const slowRule = (signal: string, bound: CheckField, action: string): object => ({
  key: 'slow',
  action,
  help: `The value is above ${bound.key} for five minutes.`,
  wait: { confirm_after: 300, recover_after: 300 },
  decision: { signal, field: 'value', operator: 'gt', operand: fieldRef(bound) },
})
