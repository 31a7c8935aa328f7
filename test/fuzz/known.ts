// Data that the fuzz has collected from responses: paths of existing objects, and values that refer to them.
import type { Random } from '../simulation/random.ts'
import type { Operation } from './operations.ts'

export interface Known {
  /** Remembers the objects in a successful response. */
  learn(operation: Operation, concretePath: string, result: unknown): void
  /** Returns a concrete path for the template, with existing objects if any are known. */
  fill(template: string): string
  /** Returns whether the fuzz knows an object to which the template can lead. */
  has(template: string): boolean
  /**
   * Returns a known value for a field of a body; undefined: the caller makes a value from the schema. `path`: concrete path of the request.
   */
  value(field: string, path: string): unknown
}

/** Largest number of known paths for one path template. With more paths, the installation would grow. */
const addressesMax = 40

export interface Facts {
  workspaceId: string
  locations: string[]
  receiverUrl: string
}

export function createKnown(random: Random, { workspaceId, locations, receiverUrl }: Facts): Known {
  const addresses = new Map<string, string[]>()
  const numbers: Record<string, number[]> = { destination_id: [], transformation_id: [] }

  /** Subjects with a rule, which may have an incident. */
  const judged: string[] = []

  const add = (template: string, concrete: string) => {
    const list = addresses.get(template) ?? []
    if (!list.includes(concrete)) list.push(concrete)
    if (list.length > addressesMax) list.splice(random.integer(0, list.length - 1), 1)
    addresses.set(template, list)
  }
  const forget = (concrete: string) => {
    for (const [template, list] of addresses)
      addresses.set(
        template,
        list.filter(path => path !== concrete && !path.startsWith(`${concrete}/`)),
      )
  }
  const fill = (template: string): string => {
    const last = template.lastIndexOf('{')
    if (last === -1) return template
    const end = template.indexOf('}', last) + 1
    const looksForTrouble = template === '/v2/subjects/{}/incidents' && judged.length > 0 && random.chance(0.8)
    const list = looksForTrouble ? judged : (addresses.get(template.slice(0, end)) ?? [])
    const head =
      list.length > 0 && random.chance(0.95) ? random.pick(list) : `${fill(template.slice(0, last - 1))}/${random.id(12)}`
    return `${head}${template.slice(end)}`
  }
  const learn = (operation: Operation, concrete: string, result: unknown) => {
    if (operation.method === 'DELETE') return forget(concrete)
    if (operation.name.startsWith('POST') && operation.path === '/v2/subjects/{}/rules')
      judged.push(concrete.replace(/\/rules$/, ''))
    for (const item of Array.isArray(result) ? result : [result]) {
      const { id, monitor_id } = (item ?? {}) as { id?: unknown; monitor_id?: unknown }
      if (typeof id !== 'string' && typeof id !== 'number') continue
      const isNew = operation.path.endsWith('s')
      if (isNew) add(`${operation.path}/{}`, `${concrete}/${encodeURIComponent(id)}`)
      // A monitor of generation 2 is also a rule of generation 1.
      if (operation.path === '/v2/monitoring/websites') add('/v1/rules/{}', `/v1/rules/${id}`)
      if (operation.path === '/v2/incidents') add('/v1/rules/{}/incidents/{}', `/v1/rules/${monitor_id}/incidents/${id}`)
      if (typeof id === 'number' && /destinations$/.test(operation.path)) numbers['destination_id']?.push(id)
      if (typeof id === 'number' && /transformations$/.test(operation.path)) numbers['transformation_id']?.push(id)
    }
  }
  const nameless = (template: string) => template.replaceAll(/[{]\w*[}]/g, '{}')
  const partOf = (collection: string, path: string): string | undefined => {
    const subject = /^\/v2\/subjects\/[^/]+/.exec(path)?.[0]
    const own = (addresses.get(`/v2/subjects/{}/${collection}/{}`) ?? []).filter(address => address.startsWith(`${subject}/`))
    return own.length > 0 ? decodeURIComponent(random.pick(own).split('/').at(-1) ?? '') : undefined
  }
  /** Returns the instant this many seconds from now. */
  const instant = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
  const inputs = (path: string): unknown => {
    const input = () => {
      const from = random.chance(0.2) ? partOf('rules', path) : undefined
      if (from !== undefined) return { from }
      const signal = partOf('signals', path)
      const compared = { signal, mode: 'latest_value', compare: random.pick(['<', '>']), threshold: random.integer(-5, 5) }
      return random.chance(0.5) ? { signal, mode: 'status', match: { env: '*' }, no_data_after: '5m' } : compared
    }
    return partOf('signals', path) === undefined || random.chance(0.5) ? [] : Array.from({ length: random.integer(1, 4) }, input)
  }
  const decision = (path: string): unknown =>
    random.chance(0.3) && partOf('signals', path)
      ? { need: 'at_least', at_least: 1 }
      : { state: 'down', need: random.pick(['any', 'majority', 'all']) }
  const selections = (): unknown => {
    const destination = pickOr(numbers['destination_id'])
    return destination === undefined
      ? []
      : [{ destination_id: destination, alert_kinds: random.pick([['problem'], ['problem', 'recovery']]) }]
  }
  const values: Record<string, (path: string) => unknown> = {
    workspace_id: () => workspaceId,
    'locations[]': () => random.pick(locations),
    'regions[]': () => random.pick(locations),
    url: () => (random.chance(0.5) ? receiverUrl : `http://127.0.0.1:1/${random.id(random.integer(0, 20))}`),
    name: () => (random.chance(0.8) ? `Name ${random.id(random.integer(1, 20))}` : undefined),
    content_type: () => random.pick(['', 'application/json', 'text/plain; charset=utf-8']),
    inputs: path => inputs(path),
    decision: path => decision(path),
    selections: () => selections(),
    ends_at: () => instant(random.integer(1, 10_000)),
    observed_at: () => instant(-random.integer(0, 2_000)),
    destination_id: () => pickOr(numbers['destination_id']),
    transformation_id: () => (random.chance(0.5) ? null : pickOr(numbers['transformation_id'])),
    no_data_after: () => random.pick(['5m', '0s', '1h30m', '90s']),
    confirm_after: () => random.pick(['2m', '0s', '10m']),
    close_after: () => random.pick(['2m', '0s', '1h']),
    template: () => random.pick(['{{ subject }} is {{ status }}', '{"text": "{{ summary }}", "at": "{{ at }}"}', 'plain']),
  }
  const pickOr = (list: number[] | undefined) => (list && list.length > 0 ? random.pick(list.slice(-addressesMax)) : undefined)
  return {
    learn: (operation, concrete, result) => learn({ ...operation, path: nameless(operation.path) }, concrete, result),
    fill: template => fill(nameless(template)),
    has: template => {
      const address = nameless(template).replace(/[^}]*$/, '')
      return address === '' || (addresses.get(address) ?? []).length > 0
    },
    value: (field, path) => values[field]?.(path),
  }
}
