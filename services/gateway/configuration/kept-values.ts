// Values that a file does not show, because an export left a secret out. Such a value comes from the environment. Without it, a stored value
// stays as it is. Pure.
import { fileForm, hasHiddenPart, standsFor } from '#shared/secrecy/file-form.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import { faultAt, type PlacedObject } from './document.ts'

interface Place {
  source: PlacedObject
  /** Dotted path of the value in its object. */
  path: string
  /** The object and the value, in words for people. */
  words: string
  /** Words that make up the environment variable: kind, key of the object, name of the value. */
  variable: readonly string[]
}

export interface KeptValues {
  /**
   * Returns the value that a member of a file means. `stored`: the present value; undefined: the object is new. Throws FileFault if
   * the file does not show the value, and neither the environment nor the workspace has it.
   */
  meant(value: unknown, stored: unknown, place: Place): unknown
}

/** `environment`: variables by name. Two values whose variables have one name are refused. */
export function createKeptValues(environment: Readonly<Record<string, string | undefined>>): KeptValues {
  const users = new Map<string, string>()
  return {
    meant: (value, stored, { source, path, words, variable }) => {
      if (!hasHiddenPart(value) || isSameValue(value, stored)) return value
      const name = variableName(variable)
      const user = users.get(name)
      if (user !== undefined) throw faultAt(source, path, `${user} and ${words} would both be read from ${name}: rename one`)
      users.set(name, words)
      const given = environment[name] ?? ''
      const lacking = (why: string) =>
        faultAt(source, path, `the file does not show it, and ${why}`).mendedBy({ variable: name, value: words })
      if (given !== '') return typeof value === 'string' ? given : parsed(given, name, { source, path })
      if (stored === undefined) {
        throw lacking(`nothing is stored: set ${name} to the whole value of ${words}`)
      }
      if (standsFor(variable.at(-1) ?? '', value, stored)) return stored
      throw lacking(`the stored value is another: set ${name} to the whole value of ${words}`)
    },
  }
}

function parsed(text: string, name: string, { source, path }: Pick<Place, 'source' | 'path'>): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw faultAt(source, path, `${name} must be JSON`)
  }
}

/** Returns the environment variable of a value: `RESOURCE`, `shop-1`, `url` become `WATCHKEEPER_RESOURCE_SHOP_1_URL`. */
export const variableName = (words: readonly string[]): string => ['WATCHKEEPER', ...words.map(variableWord)].join('_')

const variableWord = (text: string): string =>
  text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '')

/** Returns members in the form of a file. */
export const fileMembers = <T>(members: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, fileForm(name, value)]))
