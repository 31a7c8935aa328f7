// Example requests of the documents. They tell one story: each works as it stands on an installation to which those above it were
// sent. WORKSPACE_ID, MONITOR_ID and INCIDENT_ID stand for ids that only the installation knows.

/** The page puts the first workspace of its reader in its place. */
export const workspacePlaceholder = 'WORKSPACE_ID'

const website = {
  name: 'Shop',
  interval: 60,
  request: { url: 'https://shop.example/health', method: 'GET' },
  response: { statuses: [200, 204], body: { content: 'healthy' } },
}
const inWorkspace = { workspace_id: workspacePlaceholder }

const depth = { signal: 'depth', mode: 'latest_value', compare: '>', threshold: 100, no_data_after: '5m' }
const tooDeep = {
  name: 'Too deep',
  document: { inputs: [depth], decision: { need: 'any' }, wait: { confirm_after: '2m', close_after: '2m' } },
}
const destination = { name: 'Ops channel', url: 'https://hooks.example.com/services/T0/B0/x' }
const template = '{"text": "{{ summary }}", "link": "{{ link }}"}'
const selections = { selections: [{ destination_id: 1, alert_kinds: ['problem', 'recovery'] }] }

/** By method and path below `/api`: the body. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  'POST /v1/rules': { ...website, ...inWorkspace, regions: ['local'] },
  'POST /v1/rules/{uid}': { ...website, name: 'Shop, every 5 minutes', interval: 300, regions: ['local'] },
  'POST /v2/monitoring/websites': { ...website, ...inWorkspace, locations: ['local'], agreement: 'majority' },
  'POST /v2/monitoring/websites/{id}': { ...website, name: 'Shop, every 5 minutes', interval: 300, locations: ['local'] },
  'POST /v2/subjects': { name: 'Queue API', ...inWorkspace },
  'POST /v2/subjects/{subject}/signals': { name: 'Depth', kind: 'custom_heartbeat', meta: { team: 'payments' } },
  'POST /v2/subjects/{subject}/signals/{signal}': { name: 'Queue depth', meta: { team: 'payments' } },
  'POST /v2/subjects/{subject}/rules': tooDeep,
  'POST /v2/subjects/{subject}/rules/{rule}': { ...tooDeep, name: 'Far too deep' },
  'POST /v2/subjects/{subject}/signals/{signal}/observations': { status: 'ok', value: 150, labels: { host: 'q1' } },
  'POST /v2/subjects/{subject}/maintenance': { ends_at: '2099-12-31T22:00:00+01:00' },
  'POST /v2/subjects/{subject}/maintenance/ends_at': { ends_at: '2099-12-31T23:00:00+01:00' },
  'POST /v2/notifications/destinations': { ...destination, destination_type: 'slack', channel: 'ops' },
  'POST /v2/notifications/destinations/{id}': { ...destination, channel: 'ops', transformation_id: 1 },
  'POST /v2/notifications/destinations/{id}/enabled': { enabled: true },
  'POST /v2/notifications/destinations/{id}/default': {},
  'POST /v2/notifications/destinations/{id}/test': {},
  'POST /v2/notifications/transformations': { name: 'Pager', template },
  'POST /v2/notifications/transformations/{id}': { name: 'Pager, short', template },
  'POST /v2/notifications/transformations/preview': { template },
  'POST /v2/subjects/{subject}/delivery': selections,
  'POST /v2/monitoring/websites/{id}/delivery': selections,
}

const inPath: Readonly<Record<string, string>> = {
  uid: 'MONITOR_ID',
  subject: 'queue-api',
  signal: 'depth',
  rule: 'too-deep',
  incident: 'INCIDENT_ID',
}

/** A parameter of a path. */
export function pathExample(path: string, name: string): string {
  if (name === 'id') return path.includes('/notifications/') ? '1' : 'MONITOR_ID'
  const example = inPath[name]
  if (example === undefined) throw new Error(`Invariant broken: the parameter ${name} of ${path} has no example`)
  return example
}

/** A parameter of a query; undefined where it may be left out. */
export const queryExample = (name: string, isRequired: boolean): string | undefined =>
  isRequired && name === 'workspace_id' ? workspacePlaceholder : undefined
