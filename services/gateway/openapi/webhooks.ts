// Webhooks of an OpenAPI document: the requests that are sent to destinations.
import { channelsOf } from '#shared/channels/registry.ts'
import { websiteTemplate } from '#shared/checks/website/website-template.ts'
import { type Components, type JsonSchema, plainSchema } from './plain-schema.ts'

const problem = {
  author_name: 'Watchkeeper',
  title: 'Shop is down',
  color: '#d50201',
  text: '`status 503, expected 200`\nDown for 2m before we alerted.\n<https://status.example/subjects/aB3dE6gH9k|View timeline>',
  footer: 'Watchkeeper',
  timestamp: 1_767_614_520,
}
const example = {
  attachments: [problem],
  incident: {
    id: 'INCIDENT_ID',
    rule: 'availability',
    verdict: 'problem',
    action: null,
    transition: 'confirmed',
    lifecycle: 'open',
    confirmation: 'confirmed',
    at: '2026-01-05T12:02:00.000Z',
    resource: { key: 'shop', name: 'Shop', template: websiteTemplate, fields: { method: 'GET' }, fields_omitted: 11 },
    evidence: {
      inputs: [{ signal: 'reachability@fra1', status: 'problem', at: '2026-01-05T12:01:30.000Z' }],
      omitted: 0,
      truncated: false,
    },
    evidence_note: 'Recorded at the moment the transition was decided.',
  },
}

const header = (name: string, required: boolean, description: string) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
})
const headers = [
  header('Idempotency-Key', true, 'The same at each retry of a message.'),
  header('webhook-id', true, 'The same as Idempotency-Key.'),
  header('webhook-timestamp', true, 'When the message was made, Unix seconds.'),
  header('webhook-signature', false, 'By Standard Webhooks, if the destination has a secret.'),
]

/** Returns the webhooks of an OpenAPI document and adds their components. */
export function webhooks(components: Components): JsonSchema {
  // The richest body is first.
  const documented = channelsOf(2)
    .flatMap(({ documented }) => documented ?? [])
    .toReversed()
  const schema = { oneOf: documented.map(({ schema }) => plainSchema(schema, components)) }
  const more = documented.flatMap(({ more }) => more ?? [])
  const post = {
    operationId: 'message',
    tags: ['messages'],
    summary: 'A message about an incident or a test, sent to a destination.',
    description: [...more, 'A transformation replaces the whole body.'].join(' '),
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: { '2XX': { description: 'The message is delivered. After anything else it may be sent again.' } },
  }
  return { message: { post } }
}
