// Links of audit rows: the page of an object that a request made or that its path names. Pure.
import { pathTo } from '../data/routing.ts'
import { keyOf, pathOfTemplate } from '../templates/template.ts'
import type { AuditMade } from './audit-rows.ts'

interface Kind {
  word: string
  /** Returns the page on which the object stands. Absent: no page shows it to every reader of the row. */
  href?(id: string): string
}

/** Form of the id of a monitor (`idLength.subject`). */
const monitorId = /^[0-9A-Za-z]{10}$/

/** Returns the page of a monitor. A path may also name it by its key, and a custom subject by its slug: the search of the list finds both. */
const monitor = (named: string) =>
  monitorId.test(named) ? pathTo('monitor', { id: named }) : `${pathTo('monitoring')}?q=${encodeURIComponent(named)}`
const template = (reference: string) => pathOfTemplate(keyOf(reference), Number(reference.split('@', 2)[1] ?? 1))

const kinds: Readonly<Record<string, Kind>> = {
  workspace: { word: 'Workspace' },
  member: { word: 'Member', href: () => pathTo('people') },
  invitation: { word: 'Invitation of', href: () => pathTo('people') },
  user: { word: 'Account', href: () => pathTo('users') },
  key: { word: 'Key' },
  template: { word: 'Template', href: template },
  resource: { word: 'Monitor', href: monitor },
  custom_subject: { word: 'Monitor', href: monitor },
  signal: { word: 'Signal' },
  rule: { word: 'Rule' },
  destination: { word: 'Destination', href: () => pathTo('destinations') },
  transformation: { word: 'Payload template', href: () => pathTo('transformations') },
  address: { word: 'Observation address', href: () => pathTo('addresses') },
  ping_key: { word: 'Ping key' },
  location: { word: 'Location', href: () => pathTo('locations') },
  prober_credential: { word: 'Prober', href: () => pathTo('probers') },
}

/** Returns the kind of the object as a word. A kind that this page does not know stands as the API writes it. */
export const wordOfMade = ({ kind }: AuditMade): string => kinds[kind]?.word ?? kind

export const linkOfMade = ({ kind, id }: AuditMade): string | null => kinds[kind]?.href?.(id) ?? null

/** Segment of a path before the id of an object, and the page of that object. */
const pageAfter: Readonly<Record<string, (id: string) => string>> = {
  resources: monitor,
  monitors: monitor,
  websites: monitor,
  subjects: monitor,
  incidents: id => pathTo('incident', { id }),
  templates: template,
  destinations: () => pathTo('destinations'),
  transformations: () => pathTo('transformations'),
  addresses: () => pathTo('addresses'),
  members: () => pathTo('people'),
  invitations: () => pathTo('people'),
  users: () => pathTo('users'),
  locations: () => pathTo('locations'),
  'prober-credentials': () => pathTo('probers'),
}

/** Words that stand where an id stands. */
const noIds = new Set(['preview', 'samples', '…', ''])

/** Returns the path in parts that together are the path. `href`: page of the object that the part names; null: none. */
export function partsOfPath(path: string): { text: string; href: string | null }[] {
  const parts: { text: string; href: string | null }[] = []
  let plain = ''
  const segments = path.split('/')
  segments.forEach((segment, i) => {
    const before = i === 0 ? '' : '/'
    const page = Object.hasOwn(pageAfter, segments[i - 1] ?? '') ? pageAfter[segments[i - 1] ?? ''] : undefined
    const id = decoded(segment)
    if (page === undefined || id === null || noIds.has(id)) {
      plain += before + segment
      return
    }
    parts.push({ text: plain + before, href: null }, { text: segment, href: page(id) })
    plain = ''
  })
  if (plain !== '') parts.push({ text: plain, href: null })
  return parts
}

/** Returns the segment without percent signs; null: it cannot be decoded. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
