// Objects that the fuzz has created in its home workspace, learnt from responses: their paths, and the keys and values that bodies may use.
import type { Random } from '../../simulation/random.ts'
import { foreign, home } from './people.ts'

/** Published revision of a Template, with the parts that are needed to make bodies for its Resources. */
export interface KnownTemplate {
  key: string
  version: number
  fields: { key: string; type: string; required: boolean; options: string[]; min: number | null; max: number | null }[]
  signals: { key: string; kind: string }[]
}

export interface KnownResource {
  id: string
  key: string
  /** `key@version`. */
  template: string
  signals: string[]
  isArchived: boolean
}

export interface KnownAddress {
  id: string
  token: string
  template: string | null
  secondFactor: boolean
}

export interface V3Known {
  templates: KnownTemplate[]
  resources: KnownResource[]
  addresses: KnownAddress[]
  /** Ids of ping keys. */
  pingKeys: string[]
  destinations: string[]
  incidents: string[]
  /** Workspaces that the fuzz may delete. */
  workspaces: { id: string; name: string }[]
  /** Usernames of accounts that are no callers. */
  accounts: readonly string[]
  /** Ids of those of them who are members of the home workspace. */
  members: string[]
  /** Ids of accounts, locations and prober credentials that the fuzz has created. */
  users: string[]
  places: string[]
  credentials: string[]
  /** Invitations that the home workspace has sent. */
  sent: string[]
  /** Invitations to the owner. */
  received: string[]
  /** Remembers the objects in a successful response. */
  learn(method: string, path: string, result: unknown): void
  /** Returns a concrete path of existing objects; null: none exist yet. */
  fill(template: string): string | null
}

/** Largest number of known objects of each kind, so that the installation stays small. */
const keptMax = 30

export function createV3Known(random: Random, others: { accounts: string[]; invitations: string[] }): V3Known {
  const known = {
    templates: [] as KnownTemplate[],
    resources: [] as KnownResource[],
    addresses: [] as KnownAddress[],
    pingKeys: [] as string[],
    destinations: [] as string[],
    incidents: [] as string[],
    workspaces: [] as { id: string; name: string }[],
    accounts: others.accounts,
    members: [] as string[],
    users: [] as string[],
    places: [] as string[],
    credentials: [] as string[],
    sent: [] as string[],
    received: others.invitations,
  }
  const keep = <T>(list: T[], item: T) => {
    list.push(item)
    if (list.length > keptMax) list.splice(random.integer(0, list.length - 2), 1)
  }
  const learn = (method: string, path: string, result: unknown): void => {
    // Objects in the foreign workspace are not learnt, because the home workspace does not have them.
    if (path.includes(`/workspaces/${foreign}/`)) return
    const object = (result ?? {}) as Record<string, unknown>
    if (method === 'DELETE') forget(path)
    if (method === 'POST' && path.endsWith('/templates')) keep(known.templates, object as unknown as KnownTemplate)
    if (method === 'POST' && path.endsWith('/destinations')) keep(known.destinations, String(object['id']))
    if (method === 'POST' && path.endsWith('/workspaces'))
      keep(known.workspaces, { id: String(object['id']), name: String(object['name']) })
    if (method === 'POST' && path.endsWith('/members')) keep(known.members, String(object['id']))
    if (method === 'POST' && path.endsWith('/users')) keep(known.users, String(object['id']))
    if (method === 'POST' && path.endsWith('/locations')) keep(known.places, String(object['id']))
    if (method === 'POST' && path.endsWith('/prober-credentials')) keep(known.credentials, String(object['id']))
    if (method === 'POST' && path.endsWith('/invitations')) keep(known.sent, String(object['id']))
    if (path.endsWith('/deletion')) known.workspaces = known.workspaces.filter(({ id }) => id !== object['id'])
    if (method === 'POST' && path.endsWith('/addresses')) keep(known.addresses, addressOf(object))
    if (method === 'POST' && path.endsWith('/ping-keys')) keep(known.pingKeys, String(object['id']))
    if (Array.isArray(object['signals']) && typeof object['created_at'] === 'string') learnResource(object)
    if (path.endsWith('/incidents') && Array.isArray(result)) for (const { id } of result) learnIncident(String(id))
  }
  const forget = (path: string) => {
    const id = decodeURIComponent(path.split('/').at(-1) ?? '')
    known.members = known.members.filter(one => one !== id)
    known.users = known.users.filter(one => one !== id)
    known.places = known.places.filter(one => one !== id)
    known.credentials = known.credentials.filter(one => one !== id)
    known.sent = known.sent.filter(one => one !== id)
    known.received = known.received.filter(one => one !== id)
    known.destinations = known.destinations.filter(one => one !== id)
    known.addresses = known.addresses.filter(one => one.id !== id)
    known.pingKeys = known.pingKeys.filter(one => one !== id)
  }
  const learnIncident = (id: string) => {
    if (!known.incidents.includes(id)) keep(known.incidents, id)
  }
  const learnResource = ({ id, key, template, signals, archived_at, open_incident: open }: Record<string, unknown>) => {
    const found = { id: String(id), key: String(key), template: String(template), isArchived: archived_at !== null }
    const resource = { ...found, signals: (signals as { key: string }[]).map(signal => signal.key) }
    const at = known.resources.findIndex(one => one.id === resource.id)
    if (at === -1) keep(known.resources, resource)
    else known.resources[at] = resource
    if (open !== null && open !== undefined) learnIncident((open as { id: string }).id)
  }
  const templateReference = (): string | undefined => {
    const template = random.pick(known.templates)
    return template && (random.chance(0.5) ? template.key : `${template.key}@${template.version}`)
  }
  const part = (name: string, template: string): string | undefined => {
    if (name === 'workspace') return template.endsWith('/deletion') ? random.pick(known.workspaces)?.id : home
    if (name === 'user') return random.pick(template.includes('/users/') ? known.users : known.members)
    if (name === 'location') return random.pick(known.places)
    if (name === 'credential') return random.pick(known.credentials)
    if (name === 'invitation') return random.pick(template.includes('/workspaces/') ? known.sent : known.received)
    const resource = random.pick(known.resources)
    if (name === 'resource') return resource && (random.chance(0.5) ? resource.id : resource.key)
    if (name === 'signal') return 'run'
    if (name === 'incident') return random.pick(known.incidents)
    if (name === 'template') return templateReference()
    if (name === 'token') return random.pick(known.addresses)?.token
    if (template.includes('/ping-keys/')) return random.pick(known.pingKeys)
    return template.includes('/addresses/') ? random.pick(known.addresses)?.id : random.pick(known.destinations)
  }
  const fill = (template: string): string | null => {
    const parts = template.split('/').map(one => {
      const name = /^[{](\w+)[}]$/.exec(one)?.[1]
      return name === undefined ? one : part(name, template)
    })
    return parts.includes(undefined) ? null : parts.map(one => encodeURIComponent(one ?? '')).join('/')
  }
  return Object.assign(known, { learn, fill })
}

const addressOf = ({ id, token, template, second_factor }: Record<string, unknown>): KnownAddress => ({
  id: String(id),
  token: String(token),
  template: template === null ? null : String(template),
  secondFactor: second_factor === true,
})

/** Returns the same path in the foreign workspace. */
export const abroad = (path: string): string => path.replace(home, foreign)
