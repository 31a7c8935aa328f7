// Display form of named free values: labels, answers to fields, members of JSON. What a reader with few rights sees, and what an exported
// file contains. Pure. Reference: docs/reference/v3.md, 11.2.
import { isCredentialName } from './credential-name.ts'
import { redactedText } from './redacted-text.ts'

/** Stands in place of a hidden value. */
export const hidden = '[redacted]'

/**
 * Returns the display form of a value, by its name. Every text of a value whose name marks a credential becomes `[redacted]`, also inside
 * of lists and objects; an empty text stays. In other texts, URLs are in display form. Numbers, truth values and null stay.
 */
export function redactedNamed<T>(name: string, value: T): T {
  return shown(value, isCredentialName(name)) as T
}

/** Returns the display form of each member. */
export const redactedMembers = <T>(members: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, redactedNamed(name, value)]))

function shown(value: unknown, isCredential: boolean): unknown {
  if (typeof value === 'string') return value === '' ? '' : isCredential ? hidden : redactedText(value)
  if (Array.isArray(value)) return value.map(one => shown(one, isCredential))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shown(member, isCredential || isCredentialName(name))]),
  )
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))

/**
 * Returns a text that may be JSON, with the URLs of its values in display form. Values are read before they are redacted, since `\n` and
 * `\"` in JSON are no characters of a URL. Every other byte stays. A text that is no JSON is redacted as a text.
 */
export function redactedJson(text: string): string {
  if (!isJson(text)) return redactedText(text)
  return text.replace(/"(?:[^"\\]|\\.)*"/gs, literal => {
    const value = JSON.parse(literal) as string
    const plain = redactedText(value)
    return plain === value ? literal : JSON.stringify(plain)
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
