// Fields that a Template with a check has beside those of its kind: from where, how often, and when it counts as down. Data alone,
// because a browser loads it too.
import { type CheckField, checkField } from './check-field.ts'

/** Default of the confirmation delay and of the recovery delay, s. It is also the default of the installation's settings of these delays. */
export const defaultDelay = 120

/** Interval of a check that is made without naming one, in the form of the dashboard and on the command line. */
export const usualInterval = { interval_value: 1, interval_unit: 'MINUTE' } as const

/** A year, as for every duration of a Template. */
const maxSeconds = 365 * 86_400

export const locations = checkField({
  key: 'locations',
  type: 'location_list',
  label: 'Locations',
  section: 'schedule',
  required: true,
  items: [1, 64],
  itemWords: 'Location ids',
})
export const intervalValue = checkField({
  key: 'interval_value',
  type: 'integer',
  label: 'Interval',
  section: 'schedule',
  required: true,
  min: 1,
  max: 1_440,
})
export const intervalUnit = checkField({
  key: 'interval_unit',
  type: 'enum',
  label: 'Unit of the interval',
  section: 'schedule',
  default: 'MINUTE',
  options: ['MINUTE', 'HOUR'],
  words: { MINUTE: 'minutes', HOUR: 'hours' },
  must: 'be MINUTE or HOUR',
})
export const intervalSeconds = checkField({
  key: 'interval_seconds',
  type: 'integer',
  label: 'Interval',
  section: 'schedule',
  hint: 'Seconds between two checks from one location.',
  default: 60,
  min: 10,
  max: 86_400,
})
export const failureMode = checkField({
  key: 'failure_mode',
  type: 'enum',
  label: 'How many locations must fail',
  section: 'judging',
  default: 'at_least_one',
  options: ['at_least_one', 'majority', 'all'],
  words: { at_least_one: 'at least one location', majority: 'more than half of the locations', all: 'all locations' },
})

/** A website monitor stores a delay that nobody named as null, and follows the installation's setting. */
const delay = { type: 'duration', default: defaultDelay, min: 0, max: maxSeconds } as const

export const confirmAfter = checkField({
  ...delay,
  key: 'confirm_after',
  label: 'Confirmation delay',
  section: 'judging',
  hint: 'Seconds. A failure that lasts this long is confirmed, and people are notified.',
})
export const recoverAfter = checkField({
  ...delay,
  key: 'recover_after',
  label: 'Recovery delay',
  section: 'judging',
  hint: 'Seconds. Checks that pass for this long close the incident.',
})

const judged = [failureMode, confirmAfter, recoverAfter] as const

/** Fields of a kind whose checks are made every `seconds` unless people say otherwise, and whose rules do not wait. */
export const watchFieldsAtOnce = (seconds: number): readonly CheckField[] => [
  locations,
  { ...intervalSeconds, default: seconds },
  failureMode,
]

/** Fields of a kind whose checks are made every `seconds` unless people say otherwise. */
export const watchFields = (seconds: number): readonly CheckField[] => [...watchFieldsAtOnce(seconds), confirmAfter, recoverAfter]

/** Fields of a kind whose interval is in minutes or hours. */
export const minuteWatchFields = [locations, intervalValue, intervalUnit, ...judged] as const

/** Every field that some kinds have beside their own. */
export const allWatchFields: readonly CheckField[] = [locations, intervalSeconds, intervalValue, intervalUnit, ...judged]

export const isDelay = (key: string): boolean => key === confirmAfter.key || key === recoverAfter.key
