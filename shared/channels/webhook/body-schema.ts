// Schema of the body for a program, for the documents of the API (reference/messages 5; v3 10.9). A test compares real bodies with it.
import { Type } from 'typebox'
import { AnsweredInstant, Component, Nullable, Strict } from '#shared/contracts/common.ts'
import { AttachmentsSchema } from '../message/attachment-schema.ts'

/** Members that only messages about one kind of Template rule have: rules that count Observations or compare with a baseline. */
const ofComparison = {
  counted: Type.Optional(Strict({ matching: Type.Integer(), required: Type.Integer(), within_seconds: Type.Integer() })),
  baseline: Type.Optional(
    Strict({ days: Type.Integer(), required: Type.Integer(), samples: Type.Integer(), median: Nullable(Type.Number()) }),
  ),
}
const Evidence = Strict({
  inputs: Type.Array(
    Type.Union([
      Strict({
        signal: Type.String(),
        status: Type.Enum(['ok', 'problem']),
        value: Type.Optional(Type.Number()),
        at: Nullable(AnsweredInstant),
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
  template: Nullable(Type.String()),
  fields: Type.Object({}, { description: 'Single values of its settings, without addresses and secrets.' }),
  fields_omitted: Type.Integer({ minimum: 0, description: 'Settings that are left out.' }),
})

const Incident = Component('MessageIncident', {
  id: Type.String({ description: 'As the API names it.' }),
  rule: Type.String(),
  verdict: Type.Enum(['problem', 'no_data', 'ok']),
  action: Nullable(Type.String({ description: 'What the rule asks a person to do.' })),
  transition: Type.Enum(['opened', 'confirmed', 'closed', 'acknowledged'], { description: 'A reminder repeats the latest.' }),
  lifecycle: Type.Enum(['open', 'closed']),
  confirmation: Type.Enum(['confirmed', 'unconfirmed']),
  at: AnsweredInstant,
  resource: Resource,
  evidence: Evidence,
  evidence_note: Type.String(),
  acknowledge_url: Type.Optional(
    Type.String({ description: 'Takes the incident on. Only of destinations with the setting `acknowledge_link`.' }),
  ),
})

export const WebhookMessage = Component('WebhookMessage', { attachments: AttachmentsSchema, incident: Incident })
