// Destinations, transformations and the delivery log (spec D 2). Ids here are whole numbers.
import { Type } from 'typebox'
import { limits } from '#shared/limits.ts'
import { samples } from '#shared/template/samples.ts'
import { CreateDestinationBody, NoFieldsBody, SwitchDestinationBody, UpdateDestinationBody } from '../v2/destination-body.ts'
import { PreviewBody, TransformationBody } from '../v2/transformations.ts'
import { AlertKind } from './delivery-tables.ts'
import { Answered, type Descriptions, Instant, Kind, OrNull, type QueryParameter, type Refusal } from './description.ts'
import { accessDenied, invalid, invalidName } from './refusals.ts'

const DestinationType = Type.Enum(['slack', 'webhook'])

const Destination = Answered('NotificationDestination', {
  id: Type.Integer(),
  name: Type.String(),
  destination_type: DestinationType,
  channel: Type.String(),
  url: Type.String(),
  enabled: Type.Boolean(),
  default: Type.Boolean(),
  transformation_id: OrNull(Type.Integer()),
  workspace_id: Type.String(),
  created_at: Instant,
  updated_at: Instant,
  kind: Kind('notification_destination'),
})

const Transformation = Answered('NotificationTransformation', {
  id: Type.Integer(),
  name: Type.String(),
  template: Type.String(),
  content_type: Type.Enum(['application/json', 'text/plain']),
  workspace_id: Type.String(),
  created_at: Instant,
  updated_at: Instant,
  kind: Kind('notification_transformation'),
})

const fieldNames = Object.keys(samples[0]?.fields ?? {})
const Sample = Answered('NotificationSample', {
  alert_kind: AlertKind,
  label: Type.String(),
  fields: Type.Object(Object.fromEntries(fieldNames.map(name => [name, Type.String()])), { additionalProperties: false }),
})

const sampled = { alert_kind: AlertKind, label: Type.String() }
const Preview = Answered('NotificationTransformationPreview', {
  passed: Type.Boolean(),
  results: Type.Array(
    Type.Union([
      Type.Object({ ...sampled, ok: Type.Literal(true), output: Type.String() }, { additionalProperties: false }),
      Type.Object({ ...sampled, ok: Type.Literal(false), error: Type.String() }, { additionalProperties: false }),
    ]),
  ),
  kind: Kind('notification_transformation_preview'),
})

const Delivery = Answered('NotificationDelivery', {
  id: Type.Integer(),
  destination_id: Type.Integer(),
  destination_name: Type.String(),
  destination_type: DestinationType,
  alert_kind: AlertKind,
  status: Type.Enum(['delivered', 'failed']),
  payload: Type.String({ description: 'The exact body that was sent.' }),
  error: Type.String({ description: 'Empty when it was delivered.' }),
  at: Instant,
  kind: Kind('notification_delivery'),
})

const query: Record<string, QueryParameter> = {
  workspace_id: { required: false, schema: Type.String(), meaning: 'The workspace; may be left out where you have exactly one.' },
}
const logQuery: Record<string, QueryParameter> = {
  ...query,
  destination_id: { required: false, schema: Type.Integer({ minimum: 1 }), meaning: 'Of this destination alone.' },
  undelivered: { required: false, schema: Type.Boolean(), meaning: 'Only what failed.' },
  limit: {
    required: false,
    schema: Type.Integer({ minimum: 1, maximum: limits.deliveries.listed }),
    meaning: 'At most as many rows.',
  },
}

/** The answer where no object is left or made to show: a sentence, and the id of what it is about. */
const messageAbout = <K extends string>(idField: K, more = {}) =>
  Type.Object(
    { message: Type.String(), [idField]: Type.Integer(), workspace_id: Type.String(), ...more },
    { additionalProperties: false },
  )

const inWorkspace: readonly Refusal[] = ['2004 Ambiguous workspace', accessDenied]
const noDestination: Refusal = '2002 Destination not found'
const noTransformation: Refusal = '2002 Transformation not found'
const disabled: Refusal = '2004 Destination is disabled'
const destinationFields: readonly Refusal[] = [
  invalid,
  invalidName,
  '2001 Destination name taken',
  '2001 Invalid url',
  '2001 Invalid channel',
  noTransformation,
]
const templateFields: readonly Refusal[] = [
  invalid,
  invalidName,
  '2001 Transformation name taken',
  '2001 Invalid template',
  '2001 Template does not render every message',
]
const one = '/v2/notifications/destinations/{id}'

export const destinations: Descriptions = {
  'GET /v2/notifications/destinations': {
    summary: 'The destinations of a workspace, by name. Needs editor: URLs are secrets.',
    query,
    result: Type.Array(Destination),
    refusals: inWorkspace,
  },
  'POST /v2/notifications/destinations': {
    summary: 'Makes a destination, enabled; the first of a workspace becomes its default.',
    query,
    body: CreateDestinationBody,
    result: Destination,
    refusals: ['2001 Invalid destination type', '2004 Too many destinations', ...destinationFields, ...inWorkspace],
  },
  [`GET ${one}`]: { summary: 'A destination.', query, result: Destination, refusals: [noDestination, ...inWorkspace] },
  [`POST ${one}`]: {
    summary: 'Replaces a destination, but for its type.',
    query,
    body: UpdateDestinationBody,
    result: Destination,
    refusals: [noDestination, disabled, ...destinationFields, ...inWorkspace],
  },
  [`DELETE ${one}`]: {
    summary: 'Removes a destination, and subjects no longer select it.',
    query,
    result: messageAbout('destination_id', { was_default: Type.Boolean() }),
    refusals: [noDestination, ...inWorkspace],
  },
  [`POST ${one}/enabled`]: {
    summary: 'Switches a destination on or off.',
    query,
    body: SwitchDestinationBody,
    result: Destination,
    refusals: [noDestination, invalid, ...inWorkspace],
  },
  [`POST ${one}/default`]: {
    summary: 'Makes it the default of its workspace.',
    query,
    body: NoFieldsBody,
    result: Destination,
    refusals: [noDestination, disabled, ...inWorkspace],
  },
  [`POST ${one}/test`]: {
    summary: 'Sends one real test message; it is never sent again.',
    query,
    body: NoFieldsBody,
    result: messageAbout('destination_id'),
    refusals: [noDestination, '2004 Destination did not accept the test message', ...inWorkspace],
  },
}

const transformation = '/v2/notifications/transformations/{id}'

export const transformations: Descriptions = {
  'GET /v2/notifications/transformations': {
    summary: 'The payload templates of a workspace, by name.',
    query,
    result: Type.Array(Transformation),
    refusals: inWorkspace,
  },
  'POST /v2/notifications/transformations': {
    summary: 'Stores a payload template that renders all samples.',
    query,
    body: TransformationBody,
    result: Transformation,
    refusals: ['2004 Too many transformations', ...templateFields, ...inWorkspace],
  },
  'GET /v2/notifications/transformations/samples': {
    summary: 'The three messages that a template is judged against.',
    result: Type.Array(Sample),
    refusals: [],
  },
  'POST /v2/notifications/transformations/preview': {
    summary: 'Renders a template against the samples and stores nothing.',
    query,
    body: PreviewBody,
    result: Preview,
    refusals: [invalid, '2001 Invalid template', ...inWorkspace],
  },
  [`GET ${transformation}`]: {
    summary: 'A payload template.',
    query,
    result: Transformation,
    refusals: [noTransformation, ...inWorkspace],
  },
  [`POST ${transformation}`]: {
    summary: 'Replaces name and template.',
    query,
    body: TransformationBody,
    result: Transformation,
    refusals: [noTransformation, ...templateFields, ...inWorkspace],
  },
  [`DELETE ${transformation}`]: {
    summary: 'Removes a payload template; destinations that used it send the built-in body.',
    query,
    result: messageAbout('transformation_id'),
    refusals: [noTransformation, ...inWorkspace],
  },
}

export const deliveryLog: Descriptions = {
  'GET /v2/notifications/deliveries': {
    summary: 'The delivery log, newest first; it never holds a URL.',
    query: logQuery,
    result: Type.Array(Delivery),
    refusals: [invalid, ...inWorkspace],
  },
}
