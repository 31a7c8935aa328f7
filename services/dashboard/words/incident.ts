// A past incident in words. Pure.
import { duration } from '../data/format.ts'

interface Past {
  confirmed_at: string | null
  opened_at: string
  closed_at: string | null
}

export const stateWords = ({ closed_at: closed, confirmed_at: confirmed }: Past): string =>
  `${closed === null ? 'Open' : 'Closed'}${confirmed === null ? ', not confirmed' : ''}`

/** Returns the length of the incident as text; empty while the incident is open. */
export const lasted = ({ opened_at: from, closed_at: to }: Past): string =>
  to === null ? '' : duration(Date.parse(to) - Date.parse(from))
