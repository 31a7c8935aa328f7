// Commands of generation 3 to the keeper of a Resource (docs/reference/v3.md, sections 6 and 7). An error about one field names the field
// in `facts.field`.
import { type Static, Type } from 'typebox'
import { command, Id, Nullable, SignalName, Slug } from '#shared/contracts/common.ts'
import type { IncidentNow } from '#shared/contracts/incidents/incident-views.ts'
import type { ObservedResult, ResourceView } from '#shared/contracts/resources/resource-views.ts'
import { StoredCheck } from '#shared/contracts/subjects/check.ts'

/** Labels: texts by key. The API that received the request has checked tighter bounds. */
const LabelMap = Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 256 }))
/** A Template revision, `key@version`. The sender of the command has looked up the version; a revision never changes. */
const TemplateRevision = Type.String({ minLength: 3, maxLength: 80, pattern: '@' })
/** Answers (`meta`) as the client sent them. The keeper checks them against the fields of the Template. */
const SentAnswers = Type.Record(Type.String(), Type.Unknown())
const Name = Type.String({ minLength: 1, maxLength: 400 })
const Binding = { template: TemplateRevision, answers: SentAnswers }

/** Creates a Resource. Errors: `validation` with `field`, `invalid_state` if the subject exists. */
export const CreateResource = command<ResourceView>()('create-resource', {
  workspaceId: Id,
  /** Key of the Resource. */
  slug: Slug,
  name: Name,
  ...Binding,
  labels: LabelMap,
})

/**
 * Changes the Resource. A member of the command that is null changes nothing. If one entry of `answers` is null, the field gets its
 * default. If one entry of `labels` is null, the label is removed. Errors: `invalid_state` if the Resource is archived.
 */
export const UpdateResource = command<ResourceView>()('update-resource', {
  name: Nullable(Name),
  answers: Nullable(SentAnswers),
  labels: Nullable(Type.Record(Type.String(), Nullable(Type.String()))),
})

const Sealed = Type.String({ maxLength: 131_072, pattern: '^sealed:' })

/**
 * Replaces sealed texts by others of the same secrets, sealed with another key, also in the check entries. A text that the Resource no longer
 * has changes nothing, so a secret that was set meanwhile stays. May be repeated. Errors: `validation` with the field `template` if the
 * Template cannot be used.
 */
export const ResealSecrets = command<{ resealed: number }>()('reseal-secrets', {
  secrets: Type.Array(Type.Object({ from: Sealed, to: Sealed }), { minItems: 1, maxItems: 64 }),
})

/** Returns the Resource as its keeper judges it now. */
export const ReadResource = command<ResourceView>()('read-resource', {})

/** Returns an Incident as its keeper judges it now. Errors: not_found if the subject has no such open incident. */
export const ReadIncident = command<IncidentNow>()('read-incident', { incidentId: Id })

/**
 * Archives a Resource for good, and so ends its incidents, its checks and its maintenance. Errors: invalid_state if it is archived already.
 */
export const ArchiveResource = command<ResourceView>()('archive-resource', {})

/**
 * Binds a Resource to another revision of a published Template. An answer stays if it fits both revisions, unless the command replaces it.
 * Errors: validation with `field`, invalid_state if the Resource is archived.
 */
export const RebindResource = command<ResourceView>()('rebind-resource', {
  workspaceId: Id,
  ...Binding,
  /** Stored check of a website monitor, from which the answers were made. Absent: the Resource is of a published Template. */
  replaces: Type.Optional(StoredCheck),
})

/**
 * Starts a maintenance window. If a window is running, changes the end of that window. Errors: invalid_state if the Resource is archived.
 */
export const SetMaintenance = command<ResourceView>()('set-maintenance', {
  minutes: Type.Integer({ minimum: 1, maximum: 10_080 }),
  by: Type.String({ minLength: 1, maxLength: 200 }),
})

/** Ends the running maintenance window. Errors: invalid_state if no window runs, or if the Resource is archived. */
export const EndMaintenance = command<ResourceView>()('end-maintenance', {})

const HeardObservation = Type.Object({
  signal: SignalName,
  state: Type.Enum(['ok', 'problem', 'no_data']),
  /** Kind of the signal. If the signal does not exist yet, it is created with this kind. An existing signal must have the same kind. */
  signalKind: Nullable(Type.Enum(['heartbeat', 'periodic', 'event'])),
  /** Id that the sender gave the Observation; null: the sender gave no id. */
  sentId: Nullable(Type.String({ minLength: 1, maxLength: 128 })),
  /** Instant of the Observation, microseconds since the epoch. Null: the keeper uses its present time. */
  atUs: Nullable(Type.Integer()),
  value: Nullable(Type.Number()),
  reason: Type.String({ maxLength: 200 }),
  labels: LabelMap,
  /** A JSON object as text. */
  body: Nullable(Type.String({ maxLength: 16_384 })),
})
export type SentObservation = Static<typeof HeardObservation>

/** Reports Observations of one Resource. They are handled in the given order; a refusal of one does not affect the others. */
export const Observe = command<{ results: ObservedResult[] }>()('observe', {
  /** Route by which the Observations arrived; absent: the API. */
  source: Type.Optional(Type.Enum(['api', 'address'])),
  observations: Type.Array(HeardObservation, { minItems: 1, maxItems: 500 }),
})

/**
 * Creates a Resource of a published Template together with its first Observation, which arrived through an Observation address. If the
 * Resource exists already, it only gets the Observation. If the Observation is refused, nothing is created. Errors: those of
 * `create-resource`, and `validation` of `resource` if the Resource has another Template than `boundTo`.
 */
export const FirstReport = command<{ results: ObservedResult[] }>()('first-report', {
  workspaceId: Id,
  /** Key of the Resource. */
  slug: Slug,
  name: Name,
  ...Binding,
  /** Key of the only Template that the address accepts; null: the address accepts every Template. */
  boundTo: Nullable(Type.String()),
  observation: HeardObservation,
  /** True: the keeper changes nothing, and responds as the command would. */
  isTrial: Type.Boolean(),
})

export const resourceCommands = [
  CreateResource,
  UpdateResource,
  ResealSecrets,
  ReadResource,
  ReadIncident,
  ArchiveResource,
  RebindResource,
  SetMaintenance,
  EndMaintenance,
  Observe,
  FirstReport,
] as const
