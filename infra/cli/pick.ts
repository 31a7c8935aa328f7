// One look-up for everything that people name on the command line: the id first, then the exact name, then the only name that is the
// same in any case. A name that fits two is refused with the ids of both.
import { plainText } from '#shared/text/plain-text.ts'
import { exitCodes, StartError, usageError } from '../runtime/start-error.ts'
import { oneLine } from './terminal/printing.ts'

/** One sentence names so many of those that a name fits; a list shows them all. */
const shownMax = 5

/** How a noun is looked up and talked about. */
export interface Kind<T> {
  noun: string
  plural: string
  /** Names every one of them, so that a person finds the right one. */
  lists: string
  id(one: T): string
  name(one: T): string
}

/** Throws a StartError: there is none (not found), or several fit (usage). */
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
  new StartError(`There is no ${noun} "${named}": ${lists} shows them.`, exitCodes.notFound)

/** In whatever form of Unicode and with whatever blanks around it. */
function fittingOnes<T>(all: readonly T[], named: string, { id, name }: Kind<T>): T[] {
  const byId = all.filter(one => id(one) === named)
  if (byId.length > 0) return byId
  const wanted = plainText(named)
  // An empty name is none: a script's unset variable must not pick what has no description.
  if (wanted === '') return []
  const exact = all.filter(one => plainText(name(one)) === wanted)
  return exact.length > 0 ? exact : all.filter(one => plainText(name(one)).toLowerCase() === wanted.toLowerCase())
}
