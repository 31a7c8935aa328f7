// Form of a value in an exported file: the display form, marked so that a reader of the file knows that something is left out. Pure.
// Reference: docs/configuration-as-files.md.
import { redactedText } from './redacted-text.ts'
import { hidden, redactedNamed } from './redacted-value.ts'

/**
 * Returns the form of a named value. A value without a secret stays. A URL has `[redacted]@` in place of its user information. A text that
 * would not show that something is left out becomes `[redacted]`.
 */
export function fileForm<T>(name: string, value: T, isSecret = false): T {
  return formOf(name, value, isSecret) as T
}

function formOf(name: string, value: unknown, isSecret: boolean): unknown {
  if (Array.isArray(value)) return value.map(one => formOf(name, one, isSecret))
  if (typeof value !== 'string') return redactedNamed(name, value)
  if (isSecret) return value === '' ? '' : hidden
  const shown = redactedNamed(name, value)
  if (shown === value || shown === hidden) return shown
  const marked = hasUserInformation(value) ? shown.replace('//', `//${hidden}@`) : shown
  return hasHiddenPart(marked) ? marked : hidden
}

function hasUserInformation(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.username + url.password !== ''
}

/** Whether a value of a file is the form of a value with a secret: something in it is left out. */
export function hasHiddenPart(value: unknown): boolean {
  if (typeof value === 'string') return value === hidden || value.includes(`//${hidden}@`) || hasHiddenParameter(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHiddenPart)
}

/** A parameter is hidden if another value in its place would be redacted. */
function hasHiddenParameter(text: string): boolean {
  const other = text.replaceAll('=redacted', '=x')
  return other !== text && redactedText(other) !== other
}

/**
 * Whether the form in a file stands for a stored value. `[redacted]` stands for every value that is not empty; every other form must agree
 * with the stored value in everything that it shows.
 */
export function standsFor(name: string, form: unknown, stored: unknown): boolean {
  if (form === hidden) return stored !== '' && stored !== null && stored !== undefined
  return JSON.stringify(redactedNamed(name, form)) === JSON.stringify(redactedNamed(name, stored))
}
