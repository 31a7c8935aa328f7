// Every route of generations 1 and 2, read from its record. The tests of rights, of the order of checks and of generated requests loop over
// these routes. A record that reads a body needs a line in `bodies`. A new noun in a path needs a field in `Things` and a document in
// `makeThings`.
import type { MaintenanceSnapshot } from '#shared/contracts/incidents/maintenance.ts'
import type { Policy } from '#shared/contracts/subjects/policy.ts'
import type { SignalState } from '#shared/contracts/subjects/signal.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { classicRoutes } from '../../services/gateway/http/api.ts'
import type { Route as RouteRecord } from '../../services/gateway/http/route.ts'
import type { ApiWorld } from '../support/worlds/api-world.ts'

/** Ids and slugs of stored objects that replace `:name` in a path, a query or a body. */
export interface Things {
  workspace: string
  /** A website monitor with an open incident. */
  monitor: string
  /** Public id of the open incident of the website monitor. */
  incident: string
  /** Slug of a custom subject. */
  subject: string
  /** Slug of a signal of the custom subject; no rule reads this signal. */
  signal: string
  /** Slug of a rule of the custom subject; no other rule reads this rule. */
  rule: string
  /** Public id of the open incident of the custom subject. */
  trouble: string
  /** A custom subject in maintenance. */
  maintained: string
  /** `destination` and `transformation` are integer ids, written as text. */
  destination: string
  transformation: string
}

interface Refused {
  code: number
  message: string
}

export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  /** Path below `/api`. */
  path: string
  /** Least right that a caller needs: a key, membership of the workspace, or the role editor in the workspace. */
  needs: 'key' | 'member' | 'editor'
  /** Refusal of a caller who has a key but no membership; absent if a key is enough. */
  outsider?: Refused
  /** Body that the route accepts; absent if the route reads no body. */
  body?: (things: Things) => Record<string, unknown>
}

const accessDenied: Refused = { code: 2005, message: 'Access denied' }
const noMonitor: Refused = { code: 2002, message: 'Website monitor not found' }
const noSubject: Refused = { code: 2002, message: 'Subject not found' }
const noRule: Refused = { code: 2002, message: 'Rule not found' }

/** Part of every secret in the bodies of this table. No refusal and no log line may contain this text. */
export const secretMark = 'geheim'

const settings = {
  name: 'Shop',
  interval: 60,
  request: { url: `https://ada:${secretMark}@shop.example/health`, method: 'GET', content_type: 'application/json', data: 'x' },
  response: { statuses: [200, 204], body: { content: 'ok' } },
}
const monitor = ({ workspace }: Things) => ({ ...settings, workspace_id: workspace, locations: ['de'], agreement: 'any' })
const rule = ({ workspace }: Things) => ({ ...settings, workspace_id: workspace, regions: ['de'] })
const destination = (): Record<string, unknown> => ({
  name: 'Ops',
  url: `https://hooks.example/${secretMark}`,
  destination_type: 'slack',
  channel: '#ops',
  default: false,
})

const signal = () => ({ name: 'New signal', kind: 'heartbeat', meta: { team: 'a' } })
const policy = () => ({
  name: 'New rule',
  document: {
    inputs: [
      { signal: 'read', mode: 'status', match: { host: '*' }, no_data_after: '5m' },
      { signal: 'read', mode: 'latest_value', compare: '>', threshold: 90 },
      { from: 'rule' },
    ],
    decision: { state: 'down', need: 'at_least', at_least: 2 },
    wait: { confirm_after: '1m', close_after: '0s' },
  },
})
/** Policy for replacing the rule `rule`. It has no input that reads this rule, because a rule cannot read itself. */
const ownPolicy = () => ({ name: 'Rule', document: { ...policy().document, inputs: policy().document.inputs.slice(0, 2) } })
const observation = () => ({
  status: 'problem',
  observed_at: '2026-01-02T03:04:05.123456Z',
  value: 0.5,
  error: 'disk full',
  labels: { host: 'a' },
})
const maintenanceEnd = () => ({ ends_at: '2026-12-01T00:00:00+01:00' })

const template = () => ({ name: 'Pager', template: '{"text": "{{ summary }}"}' })
const renamed = () => ({ name: 'Pager', url: 'https://hooks.example/y', transformation_id: null })
const table = ({ destination: id }: Things) => ({ selections: [{ destination_id: Number(id), alert_kinds: ['problem'] }] })

type Body = NonNullable<Route['body']>

/** Bodies by route: one for each record that reads a body. */
const bodies: Readonly<Record<string, Body>> = {
  'POST /v1/rules': rule,
  'POST /v1/rules/:uid': rule,
  'POST /v2/monitoring/websites': monitor,
  'POST /v2/monitoring/websites/:id': monitor,
  'POST /v2/subjects': ({ workspace }) => ({ workspace_id: workspace, name: 'Backup', subject_kind: 'custom' }),
  'POST /v2/subjects/:subject/signals': signal,
  'POST /v2/subjects/:subject/signals/:signal': () => ({ name: 'Beat', meta: {} }),
  'POST /v2/subjects/:subject/signals/:signal/observations': observation,
  'POST /v2/subjects/:subject/rules': policy,
  'POST /v2/subjects/:subject/rules/:rule': ownPolicy,
  'POST /v2/subjects/:subject/maintenance': maintenanceEnd,
  'POST /v2/subjects/:subject/maintenance/ends_at': maintenanceEnd,
  'POST /v2/notifications/destinations': destination,
  'POST /v2/notifications/destinations/:id': renamed,
  'POST /v2/notifications/destinations/:id/enabled': () => ({ enabled: false }),
  'POST /v2/notifications/destinations/:id/default': () => ({}),
  'POST /v2/notifications/transformations': template,
  'POST /v2/notifications/transformations/:id': template,
  'POST /v2/notifications/transformations/preview': () => ({ template: '{{ summary }}' }),
  'POST /v2/subjects/:subject/delivery': table,
  'POST /v2/monitoring/websites/:id/delivery': table,
}

/** This route needs a notifier and a receiver, so the tests in notifications-v2/ cover the route and its rights. */
const apart = 'POST /v2/notifications/destinations/:id/test'

/** Routes that need a subject in maintenance. */
const ofWindow = ['POST /v2/subjects/:subject/maintenance/ends_at', 'DELETE /v2/subjects/:subject/maintenance']

/** All routes, built from the records that the gateway registers. */
export const routes: readonly Route[] = Object.entries(classicRoutes).flatMap(([prefix, records]) =>
  records.filter(({ method, path }) => `${method} ${prefix}${path}` !== apart).map(record => routeOf(prefix, record)),
)

function routeOf(prefix: string, { method, path: below, needs: { role }, query, body: schema }: RouteRecord): Route {
  const path = prefix + below
  const line = `${method} ${path}`
  const body = bodies[line]
  if ((schema === undefined) !== (body === undefined)) throw new Error(`${line}: a body belongs to a record that reads one`)
  const isInQuery = query?.['workspace_id']?.required === true || (path.includes('/notifications/') && query !== undefined)
  return {
    method: method as Route['method'],
    path:
      path.replaceAll(/:([a-z]+)/g, (_, part: string) => `:${thingOf(line, part)}`) +
      (isInQuery ? '?workspace_id=:workspace' : ''),
    needs: role === 'anybody' ? 'key' : role === 'viewer' ? 'member' : 'editor',
    ...(role === 'anybody' ? {} : { outsider: outsiderOf(path) }),
    ...(body === undefined ? {} : { body }),
  }
}

/** Refusal of a caller without a membership: not found if the path names the object, else access denied. */
function outsiderOf(path: string): Refused {
  if (path.startsWith('/v1/rules/:')) return noRule
  if (path.startsWith('/v2/monitoring/websites/:')) return noMonitor
  return path.startsWith('/v2/subjects/:') ? noSubject : accessDenied
}

/** The stored object that a part of a path names. */
function thingOf(line: string, part: string): keyof Things {
  if (part === 'subject') return ofWindow.includes(line) ? 'maintained' : 'subject'
  if (part === 'incident') return line.includes('/v1/') ? 'incident' : 'trouble'
  if (part !== 'id' && part !== 'uid') return part as keyof Things
  const numbered = (['destination', 'transformation'] as const).find(noun => line.includes(`/${noun}s/`))
  return numbered ?? 'monitor'
}

/** The path with an id in place of every `:name`. */
export const pathOf = (route: Pick<Route, 'path'>, things: Things): string =>
  `/api${route.path.replace(/:([a-z]+)/gi, (_, name: keyof Things) => encodeURIComponent(things[name]))}`

/** Collections that are not emptied between calls. All other collections are emptied. */
const kept: readonly CollectionName[] = ['users', 'workspaces', 'memberships', 'keys', 'locations', 'counters', 'settings']

/** Empties all collections except `kept`, and creates the objects of `Things` for the next call. */
export async function freshThings(world: ApiWorld, workspace: string): Promise<Things> {
  for (const collection of Object.keys(collections) as CollectionName[]) {
    if (kept.includes(collection)) continue
    const left = await world.store.find(collection, { limit: 10_000 })
    const ids = left.map(({ id }) => id)
    if (ids.length > 0) await world.store.delete(collection, ids)
  }
  return makeThings(world, workspace)
}

async function makeThings(world: ApiWorld, workspace: string): Promise<Things> {
  const number = (await world.store.count('subjects', {})) + 1
  const id = `thing${String(number).padStart(5, '0')}`
  await world.addSubject({ id, workspaceId: workspace, slug: id, name: id })
  const at = world.clock.now()
  const incident = openIncident(id, workspace, at)
  const custom = [`mine${String(number).padStart(6, '0')}`, `busy${String(number).padStart(6, '0')}`] as const
  for (const subjectId of custom) await world.addSubject(customSubject(subjectId, workspace, at))
  const [maintained] = await world.store.get('subjects', [custom[1]])
  if (maintained) await world.store.upsert('subjects', [{ ...maintained, maintenance: runningWindow(custom[1], at) }])
  const trouble = openIncident(custom[0], workspace, at, {
    ruleKey: 'r1',
    rule: { key: 'rule', name: 'Rule' },
    ruleShown: 'rule',
  })
  await world.store.upsert('incidents', [incident as never, trouble as never])
  // Ids far above the ids that the installation's counters give.
  const numbered = 900_000 + number
  const stored = { rev: 1, number: numbered, workspaceId: workspace, name: 'Mine', nameKey: 'mine', createdAt: at, updatedAt: at }
  const switches = { enabled: true, sendOnOpen: false, default: true, defaultAt: at }
  const address = { type: 'webhook', channel: '', url: 'https://hooks.example/x', ...switches } as const
  await world.store.upsert('destinations', [{ ...stored, id: 'destination', ...address, transformationId: numbered }])
  await world.store.upsert('transformations', [{ ...stored, id: 'transformation', template: '{{ summary }}' }])
  return {
    workspace,
    destination: String(numbered),
    transformation: String(numbered),
    monitor: id,
    incident: publicIncidentId(incident.id),
    subject: custom[0],
    signal: 'beat',
    rule: 'rule',
    trouble: publicIncidentId(trouble.id),
    maintained: custom[1],
  }
}

/**
 * A custom subject with two signals: the heartbeat `beat`, which no rule reads, and the event `read`, which the only rule of the subject
 * reads.
 */
const customSubject = (id: string, workspaceId: string, at: number) => {
  const of = (slug: string, key: string, kind: SignalState['kind']) => ({ key, slug, name: slug, kind, meta: '{}', addedAt: at })
  const none = { from: null, compare: null, threshold: null, match: null, noDataAfterMs: null }
  const inputs: Policy['inputs'] = [{ ...none, signal: 'read', mode: 'status' }]
  const quorum = { need: 'any', atLeast: null, confirmAfterMs: 120_000, closeAfterMs: 120_000 } as const
  const rule = { key: 'r1', slug: 'rule', name: 'Rule', policyVersion: 1, verdict: null, incident: null }
  return {
    id,
    workspaceId,
    slug: id,
    name: id,
    kind: 'custom',
    template: null,
    check: null,
    rules: [{ ...rule, policy: { language: 'inputs', document: { inputs, ...quorum } } }],
    custom: {
      signals: [of('beat', 's1', 'custom_heartbeat'), of('read', 's2', 'custom_event')],
      signalsMade: 2,
      rulesMade: 1,
      stampedUs: 0,
      observed: {},
    },
  } as const satisfies Partial<SubjectDocument>
}

const runningWindow = (subjectId: string, at: number): MaintenanceSnapshot => {
  const endsAt = at + 3_600_000
  return {
    machine: 'maintenance',
    version: 1,
    value: 'running',
    context: { windowId: `${subjectId}.w1`, startedAt: at, endsAt, cancelledAt: null, by: 'owner', deadlineAt: endsAt },
    steps: [],
  }
}

const incidentIds = createIncidentIds('salt')

/** Returns the public id as the gateway of `startApiWorld` encodes it. */
export const publicIncidentId = (internalId: string): string => incidentIds.encode(internalId)

/** An open incident document of a website monitor whose confirmation delay still runs. */
export const openIncident = (subjectId: string, workspaceId: string, at: number, change: object = {}) => ({
  id: `${subjectId}.1`,
  rev: 1,
  subjectId,
  workspaceId,
  ruleKey: 'availability',
  rule: { key: 'reachability', name: 'Reachability' },
  ruleShown: 'availability',
  action: null,
  number: 1,
  open: 1,
  facets: 1,
  status: 'pending',
  condition: 'problem',
  troubleSince: at,
  confirmedAt: null,
  wellSince: null,
  closedAt: null,
  closedReason: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  effectiveAt: at,
  explanation: '',
  evidence: { inputs: [], omitted: 0, truncated: false },
  deadlineAt: null,
  ...change,
})
