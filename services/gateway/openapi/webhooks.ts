// Schemas of the built-in message bodies that are sent to destinations (reference/messages 5; v3 10.9). Tests compare real bodies with
// these schemas.

import { Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import { Answered, Instant, OrNull } from '../body/result-schema.ts'
import { type Components, type JsonSchema, plainSchema } from './plain-schema.ts'

const Attachment = Answered('MessageAttachment', {
  author_name: Type.String(),
  title: Type.String({ description: 'Such as `Shop is down`, `Shop — no data`, `Shop is back up`.' }),
  color: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
  text: Type.String({ description: 'Lines for people. The last links to the page of the subject.' }),
  footer: Type.String(),
  timestamp: Type.Integer({ description: 'When the message was decided, Unix seconds.' }),
})
const attachments = Type.Array(Attachment, { minItems: 1, maxItems: 1 })

/** Members that only messages about one kind of Template rule have: rules that count Observations or compare with a baseline. */
const ofComparison = {
  counted: Type.Optional(Strict({ matching: Type.Integer(), required: Type.Integer(), within_seconds: Type.Integer() })),
  baseline: Type.Optional(
    Strict({ days: Type.Integer(), required: Type.Integer(), samples: Type.Integer(), median: OrNull(Type.Number()) }),
  ),
}
const Evidence = Strict({
  inputs: Type.Array(
    Type.Union([
      Strict({
        signal: Type.String(),
        status: Type.Enum(['ok', 'problem']),
        value: Type.Optional(Type.Number()),
        at: OrNull(Instant),
        reason: Type.Optional(Type.String({ description: 'As its sender gave it.' })),
        ...ofComparison,
      }),
      Strict({ signal: Type.String(), unresolved: Type.String({ description: 'Why it says nothing.' }), ...ofComparison }),
    ]),
  ),
  omitted: Type.Integer({ minimum: 0, description: 'Inputs that are left out.' }),
  truncated: Type.Boolean(),
})

const Resource = Strict({
  key: Type.String(),
  name: Type.String(),
  template: OrNull(Type.String()),
  fields: Type.Object({}, { description: 'Single values of its settings, without addresses and secrets.' }),
  fields_omitted: Type.Integer({ minimum: 0, description: 'Settings that are left out.' }),
})

const Incident = Answered('MessageIncident', {
  id: Type.String({ description: 'As the API names it.' }),
  rule: Type.String(),
  verdict: Type.Enum(['problem', 'no_data', 'ok']),
  action: OrNull(Type.String({ description: 'What the rule asks a person to do.' })),
  transition: Type.Enum(['opened', 'confirmed', 'closed', 'acknowledged'], { description: 'A reminder repeats the latest.' }),
  lifecycle: Type.Enum(['open', 'closed']),
  confirmation: Type.Enum(['confirmed', 'unconfirmed']),
  at: Instant,
  resource: Resource,
  evidence: Evidence,
  evidence_note: Type.String(),
})

const WebhookMessage = Answered('WebhookMessage', { attachments, incident: Incident })
const SlackMessage = Answered('SlackMessage', { channel: Type.Optional(Type.String()), attachments })

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
    resource: { key: 'shop', name: 'Shop', template: 'website-check@1', fields: { method: 'GET' }, fields_omitted: 11 },
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
  const schema = { oneOf: [plainSchema(WebhookMessage, components), plainSchema(SlackMessage, components)] }
  const post = {
    operationId: 'message',
    tags: ['messages'],
    summary: 'A message about an incident or a test, sent to a destination.',
    description: 'A destination of type `slack` gets no `incident`. A transformation replaces the whole body.',
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: { '2XX': { description: 'The message is delivered. After anything else it may be sent again.' } },
  }
  return { message: { post } }
}
