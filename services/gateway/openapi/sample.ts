// Example results for the documents: values with realistic content that match the schemas.
import { samples } from '#shared/template/samples.ts'
import { type Components, type JsonSchema, schemaAddress } from './plain-schema.ts'

/** Sample values by name of a field, or by names of component and field. The samples match the example requests of `document.ts`. */
const values: Readonly<Record<string, unknown>> = {
  id: 'aB3dE6gH9k',
  name: 'Shop',
  workspace_id: 'WORKSPACE_ID',
  'Workspace.id': 'WORKSPACE_ID',
  'WebsiteMonitor.id': 'MONITOR_ID',
  'Rule.id': 'MONITOR_ID',
  'Incident.id': 'INCIDENT_ID',
  'SubjectIncident.id': 'INCIDENT_ID',
  'Workspace.name': 'Default',
  'Location.name': 'local',
  'Region.name': 'local',
  display_name: 'Frankfurt',
  interval: 60,
  url: 'https://shop.example/health',
  method: 'GET',
  content_type: 'application/json',
  data: '',
  statuses: 200,
  content: 'healthy',
  locations: 'local',
  regions: 'local',
  'Named.name': 'Ada',
  'Member.id': 'USER_ID',
  'Member.name': 'Ada',
  'Incident.locations': { failing: ['local'], unknown: ['fr'], ok: ['us'] },
  monitor_id: 'MONITOR_ID',
  monitor_name: 'Shop',
  incident_id: 'INCIDENT_ID',
  message: 'Done',
  'Subject.id': 'queue-api',
  'Subject.name': 'Queue API',
  subject_id: 'queue-api',
  signal_count: 1,
  rule_count: 1,
  'Signal.id': 'depth',
  'Signal.name': 'Depth',
  signal_id: 'depth',
  value: 150,
  'MonitorDetail.value': { name: 'Time', unit: 'ms' },
  error: '',
  'SubjectRule.id': 'too-deep',
  'SubjectRule.name': 'Too deep',
  rule_id: 'too-deep',
  rule_name: 'Too deep',
  inputs: [{ signal: 'depth', mode: 'latest_value', compare: '>', threshold: 100, no_data_after: '5m0s' }],
  decision: { state: 'down', need: 'any' },
  confirm_after: '2m0s',
  close_after: '2m0s',
  started_at: '2026-01-05T12:00:00.000Z',
  ends_at: '2026-01-05T14:00:00.000Z',
  muted: ['problem', 'no_data'],
  well_since: null,
  closed_at: null,
  cancelled_at: null,
  acknowledged_by: 'Ada',
  reject_reason: 'accepted',
  'NotificationDestination.id': 1,
  'NotificationDestination.name': 'Ops channel',
  channel: 'ops',
  'NotificationDestination.url': 'https://hooks.example.com/services/T0/B0/x',
  destination_id: 1,
  destination_name: 'Ops channel',
  default_destination_id: 1,
  transformation_id: 1,
  'NotificationTransformation.id': 1,
  'NotificationTransformation.name': 'Pager',
  'NotificationDelivery.id': 1,
  template: '{"text": "{{ summary }}"}',
  output: '{"text": "Shop is down"}',
  payload: '{"text": "Shop is down"}',
  // Fields of people and of the session API.
  username: 'ada',
  'Person.display_name': 'Ada',
  'Account.display_name': 'Ada',
  'Person.id': 'USER_ID',
  'Account.id': 'USER_ID',
  admin: false,
  disabled: false,
  developer: false,
  'DeletedWorkspace.id': 'WORKSPACE_ID',
  'DeletedWorkspace.name': 'Payments and refunds',
  'Invitation.id': 'INVITATION_ID',
  'Invitation.username': 'grace',
  invited_by: 'ada',
  'InvitationToMe.id': 'INVITATION_ID',
  'InvitationToMe.workspace': 'Default',
  'InvitationToMe.invited_by': { username: 'ada', display_name: 'Ada' },
  oidc: null,
  'Key.id': 'KEY_ID',
  'MadeKey.id': 'KEY_ID',
  prefix: 'wk_a1b2',
  token: 'wk_a1b2…',
  access: ['full'],
  'Key.workspace_id': null,
  'MadeKey.workspace_id': null,
  description: 'deploy script',
  location_id: 'LOCATION_ID',
  location: 'frankfurt',
  'ProberCredential.id': 'CREDENTIAL_ID',
  'MadeProberCredential.id': 'CREDENTIAL_ID',
  revoked_at: null,
  'ProberCredential.description': 'rack 4',
  'MadeProberCredential.description': 'rack 4',
  credentials: '-----BEGIN NATS USER JWT-----…',
  label: 'Problems and reminders',
  fields: samples[0]?.fields,
}
const instant = '2026-01-05T12:02:00.000Z'

/**
 * Returns a sample of a field. `owner` is the component that has the field. Throws for a field without a sample, so that every new field
 * gets a sample in this file.
 */
export function sampleOf(schema: JsonSchema, components: Components, field: string, owner = ''): unknown {
  const reference = typeof schema['$ref'] === 'string' ? schema['$ref'].replace(schemaAddress, '') : null
  if (reference !== null) return sampleOf(components[reference] ?? {}, components, '', reference)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['examples'])) return schema['examples'][0]
  const type = schema['type']
  for (const key of [`${owner}.${field}`, field]) {
    if (!Object.hasOwn(values, key)) continue
    return type === 'array' && !Array.isArray(values[key]) ? [values[key]] : values[key]
  }
  if (type === 'array') return [sampleOf(schema['items'] as JsonSchema, components, field, owner)]
  if (type === 'object') return objectOf(schema, components, owner)
  const [alternative] = (schema['anyOf'] ?? []) as JsonSchema[]
  if (alternative !== undefined) return sampleOf(alternative, components, field, owner)
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if (type === 'string') return schema['format'] === 'date-time' ? instant : wordless(field)
  return type === 'boolean' ? true : type === 'null' ? null : (schema['minimum'] ?? 1)
}

const objectOf = ({ properties = {} }: JsonSchema, components: Components, owner: string): JsonSchema =>
  Object.fromEntries(
    Object.entries(properties as Components).map(([name, property]) => [name, sampleOf(property, components, name, owner)]),
  )

function wordless(field: string): never {
  throw new Error(`Invariant broken: no word for the field ${field} in an example`)
}
