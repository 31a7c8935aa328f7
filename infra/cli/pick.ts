// Look-up of objects that people name on the command line: by id, else by exact name, else by the only name that is equal if case is
// ignored. If a name fits several objects, the command refuses the name and prints the ids of these objects.
import { plainText } from '#shared/text/plain-text.ts'
import { notFoundError, type StartError, usageError } from '../runtime/start-error.ts'
import { oneLine } from './terminal/printing.ts'

/** Largest number of objects named in one sentence. */
const shownMax = 5

/** A noun of the command line: its words, and functions that return the id and the name of an object. */
export interface Kind<T> {
  noun: string
  plural: string
  /** Command that lists all objects of the noun. */
  lists: string
  id(one: T): string
  name(one: T): string
}

export const kindOf = <T extends { id: string }>(
  noun: string,
  lists: string,
  name: (one: T) => string,
  plural = `${noun}s`,
): Kind<T> => ({ noun, plural, lists: `./watchkeeper ${lists}`, id: one => one.id, name })

/** Returns the object that `named` fits. Throws a StartError if no object fits (not found), or if several fit (usage). */
export function pick<T>(all: readonly T[], named: string, kind: Kind<T>): T {
  const fitting = fittingOnes(all, named, kind)
  const [only] = fitting
  if (only === undefined) throw noSuch(named, kind)
  if (fitting.length === 1) return only
  const shown = fitting.slice(0, shownMax).map(one => `${kind.id(one)} (${oneLine(kind.name(one))})`)
  const more = fitting.length > shown.length ? ` and ${fitting.length - shown.length} more` : ''
  throw usageError(`"${named}" fits ${fitting.length} ${kind.plural}: ${shown.join(', ')}${more}. Name one by its id.`)
}

export const noSuch = <T>(named: string, { noun, lists }: Kind<T>): StartError =>
  notFoundError(`There is no ${noun} "${named}": ${lists} shows them.`)

/** Returns all objects that `named` fits. Before the comparison, `plainText` cleans both names. */
function fittingOnes<T>(all: readonly T[], named: string, { id, name }: Kind<T>): T[] {
  const byId = all.filter(one => id(one) === named)
  if (byId.length > 0) return byId
  const wanted = plainText(named)
  // An empty name finds nothing: an unset variable in a script must not select an object without a description.
  if (wanted === '') return []
  const exact = all.filter(one => plainText(name(one)) === wanted)
  return exact.length > 0 ? exact : all.filter(one => plainText(name(one)).toLowerCase() === wanted.toLowerCase())
}
