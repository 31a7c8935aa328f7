// Commands of generation 3 to the keeper of a Resource (docs/reference/v3.md, sections 6 and 7). An error about one field names it in
// `facts.field`.
import { type Static, Type } from 'typebox'
import { command, Id, Nullable, Slug } from '#shared/contracts/common.ts'
import type { IncidentNow } from '#shared/contracts/incidents/incident-views.ts'
import type { ObservedResult, ResourceView } from '#shared/contracts/resources/resource-views.ts'

/** Texts by key. The API of the sender checks tighter bounds. */
const LabelMap = Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 256 }))
/** `key@version`. The sender resolves it; a revision never changes. */
const TemplateRevision = Type.String({ minLength: 3, maxLength: 80, pattern: '@' })
/** `meta` as the client sent it. Only the Template's fields validate it. */
const SentAnswers = Type.Record(Type.String(), Type.Unknown())
const Name = Type.String({ minLength: 1, maxLength: 400 })
const Binding = { template: TemplateRevision, answers: SentAnswers }

/** Errors: validation with `field`, invalid_state if the subject exists. */
export const CreateResource = command<ResourceView>()('create-resource', {
  workspaceId: Id,
  /** Key of the Resource. */
  slug: Slug,
  name: Name,
  ...Binding,
  labels: LabelMap,
})

/** Changes a Resource; null keeps a value. A null answer gets its default, a null label is removed. Errors: invalid_state if archived. */
export const UpdateResource = command<ResourceView>()('update-resource', {
  name: Nullable(Name),
  answers: Nullable(SentAnswers),
  labels: Nullable(Type.Record(Type.String(), Nullable(Type.String()))),
})

/** Reads the Resource, judged at the keeper's present time. */
export const ReadResource = command<ResourceView>()('read-resource', {})

/** Reads an Incident, judged at the keeper's present time. Errors: not_found if the subject has no such open incident. */
export const ReadIncident = command<IncidentNow>()('read-incident', { incidentId: Id })

/** Archives a Resource for good, with its incidents, checks and maintenance. Errors: invalid_state if it is archived already. */
export const ArchiveResource = command<ResourceView>()('archive-resource', {})

/**
 * Binds a Resource to another revision of a published Template. Answers that fit both revisions stay unless the command replaces them.
 * Errors: validation with `field`, invalid_state if the Resource is archived.
 */
export const RebindResource = command<ResourceView>()('rebind-resource', {
  workspaceId: Id,
  ...Binding,
})

/** Starts a maintenance window, or moves the end of the running one. Errors: invalid_state if the Resource is archived. */
export const SetMaintenance = command<ResourceView>()('set-maintenance', {
  minutes: Type.Integer({ minimum: 1, maximum: 10_080 }),
  by: Type.String({ minLength: 1, maxLength: 200 }),
})

/** Ends the running maintenance window. Errors: invalid_state if no window runs, or if the Resource is archived. */
export const EndMaintenance = command<ResourceView>()('end-maintenance', {})

const HeardObservation = Type.Object({
  signal: Type.String({ minLength: 1, maxLength: 200 }),
  state: Type.Enum(['ok', 'problem', 'no_data']),
  /** Kind with which an unknown signal is created; a known signal must have the same kind. */
  signalKind: Nullable(Type.Enum(['heartbeat', 'periodic', 'event'])),
  /** The sender's own id; null: none. */
  sentId: Nullable(Type.String({ minLength: 1, maxLength: 128 })),
  /** Microseconds since the epoch; null: the keeper uses its present time. */
  atUs: Nullable(Type.Integer()),
  value: Nullable(Type.Number()),
  reason: Type.String({ maxLength: 200 }),
  labels: LabelMap,
  /** A JSON object as text. */
  body: Nullable(Type.String({ maxLength: 16_384 })),
})
export type SentObservation = Static<typeof HeardObservation>

/** Observations of one Resource, handled in their order and independently of each other. */
export const Observe = command<{ results: ObservedResult[] }>()('observe', {
  /** Route by which the Observations arrived; absent: the API. */
  source: Type.Optional(Type.Enum(['api', 'address'])),
  observations: Type.Array(HeardObservation, { minItems: 1, maxItems: 500 }),
})

/**
 * Creates a Resource of a published Template with its first Observation, which arrived through an Observation address. An existing Resource
 * only gets the Observation. A refused Observation creates nothing. Errors: as for `create-resource`, and validation `resource` if the
 * Resource has another Template than `boundTo`.
 */
export const FirstReport = command<{ results: ObservedResult[] }>()('first-report', {
  workspaceId: Id,
  /** Key of the Resource. */
  slug: Slug,
  name: Name,
  ...Binding,
  /** Key of the only Template that the address accepts; null: any. */
  boundTo: Nullable(Type.String()),
  observation: HeardObservation,
  /** True: returns the response of the command but changes nothing. */
  isTrial: Type.Boolean(),
})

export const resourceCommands = [
  CreateResource,
  UpdateResource,
  ReadResource,
  ReadIncident,
  ArchiveResource,
  RebindResource,
  SetMaintenance,
  EndMaintenance,
  Observe,
  FirstReport,
] as const
