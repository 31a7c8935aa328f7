// Warnings of an accepted request, in a header of its response, so that no object changes. Pure. Reference: docs/reference/v3.md, 6.12.

export const warningsHeader = 'x-watchkeeper-warnings'

/** Largest number of bytes of the header's value. */
export const warningsBytes = 2 * 1024

export interface Warning {
  /** Field of the request that the warning is about, as refusals name it. */
  field: string
  /** A sentence for people. */
  text: string
}

/** Returns the value of the header, ASCII: as many of the warnings as fit, the first ones. Empty: there is none. */
export function headerOfWarnings(warnings: readonly Warning[]): string {
  for (let count = warnings.length; count > 0; count--) {
    const shown = warnings.slice(0, count).map(({ field, text }) => ({ field, text }))
    const value = asciiJson(shown)
    if (value.length <= warningsBytes) return value
  }
  return ''
}

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the warnings of a header; none if it is absent or of another form, as from a proxy. */
export function warningsIn(value: string | null): Warning[] {
  if (value === null || value.length > warningsBytes) return []
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) ? list.filter(isWarning).map(({ field, text }) => ({ field, text })) : []
  } catch {
    return []
  }
}

const isWarning = (value: unknown): value is Warning =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Warning>).field === 'string' &&
  typeof (value as Partial<Warning>).text === 'string'
