// Validation of answers to the system Template of website monitors, and their stored form. Pure. Reference: docs/reference/v3.md, 3.10.

import type { Answers } from '#shared/contracts/resources/template.ts'
import { FailureMode, type WebsiteCheck, WebsiteMethod } from '#shared/contracts/subjects/website.ts'
import { missing } from '#shared/json-shape/first-refusal.ts'
import { limits } from '#shared/limits/limits.ts'
import { isHttpUrl } from '#shared/net/http-url.ts'
import { isMediaType } from '#shared/net/media-type.ts'
import { utf8Bytes } from '#shared/text/utf8-bytes.ts'
import { ManifestRefusal, maxSeconds, refuse } from './manifest-refusal.ts'
import { defaultDelay, websiteCheck } from './website-check.ts'

const bounds = limits.website
const maxIntervalMinutes = bounds.intervalSecondsMax / 60

type Field = keyof WebsiteCheck

/** Condition that each field's answer must meet, and the end of the error sentence for an answer that does not meet it. */
const rules: Record<Field, [fits: (value: unknown) => boolean, must: string]> = {
  url: [value => isText(value) && isHttpUrl(value, bounds.urlCharacters), 'be a valid http or https URL'],
  method: [value => WebsiteMethod.enum.includes(value as never), `be one of ${WebsiteMethod.enum.join(', ')}`],
  /** If the answer is empty, no Content-Type header is sent. */
  content_type: [
    value => value === '' || (isText(value) && value.length <= bounds.contentTypeCharacters && isMediaType(value)),
    'be a MIME type',
  ],
  data: [value => isText(value) && utf8Bytes(value) <= bounds.dataBytes, `have at most ${bounds.dataBytes} bytes`],
  statuses: [value => isList(value, 1, bounds.statusesMax, isStatus), `hold 1 to ${bounds.statusesMax} statuses, 100 to 599`],
  expected_text: [
    value => isText(value) && [...value].length <= bounds.expectedTextCharacters,
    `have at most ${bounds.expectedTextCharacters} characters`,
  ],
  locations: [value => isList(value, 1, bounds.locationsMax, isText), `hold 1 to ${bounds.locationsMax} Location ids`],
  interval_value: [value => isWhole(value, 1, maxIntervalMinutes), `be a whole number, 1 to ${maxIntervalMinutes}`],
  interval_unit: [value => value === 'MINUTE' || value === 'HOUR', 'be MINUTE or HOUR'],
  failure_mode: [value => FailureMode.enum.includes(value as never), `be one of ${FailureMode.enum.join(', ')}`],
  confirm_after: [value => isWhole(value, 0, maxSeconds), `be whole seconds, 0 to ${maxSeconds}`],
  recover_after: [value => isWhole(value, 0, maxSeconds), `be whole seconds, 0 to ${maxSeconds}`],
}

/**
 * Returns the check in `present` (null for a new monitor). Answers in `sent` replace those in `present`. A field sent as null gets its
 * default again. Throws ManifestRefusal with the key of the first faulty field: unknown fields first, then the fields in the order of the
 * Template. The caller checks that the locations exist.
 */
export function readWebsiteAnswers(sent: Readonly<Record<string, unknown>>, present: WebsiteCheck | null): WebsiteCheck {
  const unknown = Object.keys(sent).find(key => !Object.hasOwn(rules, key))
  if (unknown !== undefined) throw refuse(unknown, `The Template declares no field '${unknown}'`)
  const read: Record<string, unknown> = {}
  for (const { key, default: usual } of websiteCheck.fields) {
    const stored = present?.[key as Field] ?? null
    const value = Object.hasOwn(sent, key) ? (sent[key] ?? usual) : (stored ?? usual)
    const [fits, must] = rules[key as Field]
    if (value === null || value === undefined) throw new ManifestRefusal(missing(key))
    if (!fits(value)) throw refuse(key, `Field '${key}' must ${must}`)
    // A delay that nobody named is stored as null and follows the installation's setting.
    const named = Object.hasOwn(sent, key) ? (sent[key] ?? null) : stored
    read[key] = isDelay(key) && named === null ? null : value
  }
  const check = read as unknown as WebsiteCheck
  const minutes = check.interval_value * (check.interval_unit === 'HOUR' ? 60 : 1)
  if (minutes > maxIntervalMinutes) {
    throw refuse('interval_value', `The interval must not be longer than ${maxIntervalMinutes} minutes`)
  }
  return { ...check, locations: [...new Set(check.locations)] }
}

/** Returns the fault of an answer as the end of a sentence; null: the field accepts the answer. */
export function faultOfWebsiteAnswer({ key }: { key: string }, answer: unknown): string | null {
  const [fits, must] = rules[key as Field]
  return fits(answer) ? null : `must ${must}`
}

/** Delays of the installation, for monitors that name none, in seconds. */
export interface UsualDelays {
  confirmAfter: number
  recoverAfter: number
}

const usualDelays: UsualDelays = { confirmAfter: defaultDelay, recoverAfter: defaultDelay }

/** Returns a monitor's check as answers to its Template, with the delays in force. `usual` absent: the Template's defaults. */
export const websiteAnswers = (check: WebsiteCheck, usual = usualDelays): Answers => ({
  ...check,
  confirm_after: check.confirm_after ?? usual.confirmAfter,
  recover_after: check.recover_after ?? usual.recoverAfter,
})

/** Returns a monitor's check as answers to its Template, without a delay that nobody named. */
export const namedWebsiteAnswers = (check: WebsiteCheck): Answers =>
  Object.fromEntries(Object.entries(check).filter(([, value]) => value !== null)) as Answers

export const isDelay = (key: string): boolean => key === 'confirm_after' || key === 'recover_after'
const isText = (value: unknown): value is string => typeof value === 'string'
const isWhole = (value: unknown, min: number, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max
const isStatus = (value: unknown): boolean => isWhole(value, 100, 599)
const isList = (value: unknown, min: number, max: number, fits: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length >= min && value.length <= max && value.every(fits)
