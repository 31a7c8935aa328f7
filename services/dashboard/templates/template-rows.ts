// The rows of the list of Templates. Every key of a Template has one row, with the faults of this Template. Pure.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { counted } from '../data/format.ts'
import { isSystem, keyOf, type NamedDestination, type TemplatesRead } from './template.ts'

export interface TemplateRow {
  key: string
  name: string
  /** The highest published version; null: the Template has only a draft, or cannot be read. */
  version: number | null
  revisions: number
  /** Number of Resources that are bound to the highest revision. The next field counts the Resources of older revisions. */
  current: number
  older: number
  isSystem: boolean
  hasDraft: boolean
  /** Sentences about faults of the Template; an empty list: no fault. */
  faults: string[]
}

/** Returns the rows. `drafts`: keys of Templates with a draft in this browser. */
export function templateRows({ templates, destinations, uses }: TemplatesRead, drafts: readonly string[]): TemplateRow[] {
  const known = new Set(templates.map(({ id }) => id))
  const unread = Object.keys(uses).filter(id => !known.has(id))
  const keys = [...new Set([...templates.map(({ key }) => key), ...unread.map(keyOf), ...drafts])]
  return keys
    .map(key => {
      const revisions = templates.filter(one => one.key === key)
      const highest = revisions.reduce<SentTemplate | null>(
        (best, one) => (best && best.version > one.version ? best : one),
        null,
      )
      const current = highest === null ? 0 : (uses[highest.id] ?? 0)
      const all = Object.entries(uses).reduce((sum, [id, count]) => (keyOf(id) === key ? sum + count : sum), 0)
      return {
        key,
        name: highest?.name ?? key,
        version: highest?.version ?? null,
        revisions: revisions.length,
        current,
        older: all - current,
        isSystem: highest !== null && isSystem(highest),
        hasDraft: drafts.includes(key),
        faults: [
          ...unread.filter(id => keyOf(id) === key).map(id => unreadSentence(id, uses[id] ?? 0)),
          ...(highest === null ? [] : destinationFaults(highest, destinations)),
        ],
      }
    })
    .sort((one, other) => Number(one.isSystem) - Number(other.isSystem) || (one.key < other.key ? -1 : 1))
}

const unreadSentence = (id: string, count: number): string =>
  `${id} is missing or damaged in the store: ${counted(count, 'monitor')} of it ${count === 1 ? 'is' : 'are'} not judged. Bind ${count === 1 ? 'it' : 'them'} to another revision.`

/** Returns sentences about rules whose messages cannot be sent, because a destination was deleted or is disabled. */
function destinationFaults({ rules }: SentTemplate, destinations: readonly NamedDestination[]): string[] {
  return rules.flatMap(({ key, destination, routes }) => {
    const named = destination === null ? (routes ?? []).map(route => route.destination) : [destination]
    return named.flatMap(id => {
      const found = destinations.find(one => one.id === id)
      if (found === undefined) return [`The rule ${key} names a destination that was deleted.`]
      return found.enabled ? [] : [`The rule ${key} names the destination ${found.name}, which is disabled.`]
    })
  })
}
