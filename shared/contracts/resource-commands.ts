// Commands of generation 3 to a Resource's keeper (docs/reference/v3.md, sections 6 and 7). Refusals carry `facts.field` where a field is at fault.
import { type Static, Type } from 'typebox'
import { Id, Nullable, Slug } from '#shared/contracts/common.ts'

/** Texts by key; their bounds are the sender's dialect's. */
const LabelMap = Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 256 }))
/** `key@version`, resolved by the sender: a revision never changes. */
const TemplateRevision = Type.String({ minLength: 3, maxLength: 80, pattern: '@' })
/** `meta` as it was sent. The Template's fields alone judge it. */
const SentAnswers = Type.Record(Type.String(), Type.Unknown())
const Name = Type.String({ minLength: 1, maxLength: 400 })

/** Answers a ResourceView. Refused: validation with `field`, invalid_state where the subject exists. */
export const CreateResource = Type.Object({
  kind: Type.Literal('create-resource'),
  id: Id,
  workspaceId: Id,
  /** Its key. */
  slug: Slug,
  name: Name,
  template: TemplateRevision,
  answers: SentAnswers,
  labels: LabelMap,
})

/**
 * Null keeps what is there. An answer sent as null takes its default back, a label sent as null goes. Answers a ResourceView. Refused also:
 * invalid_state where it is archived.
 */
export const UpdateResource = Type.Object({
  kind: Type.Literal('update-resource'),
  id: Id,
  name: Nullable(Name),
  answers: Nullable(SentAnswers),
  labels: Nullable(Type.Record(Type.String(), Nullable(Type.String()))),
})

/** Changes nothing. Answers a ResourceView, judged at the keeper's now. */
export const ReadResource = Type.Object({ kind: Type.Literal('read-resource'), id: Id })

/** Changes nothing. Answers an IncidentNow, judged at the keeper's now. Refused: not_found where it is not open here. */
export const ReadIncident = Type.Object({ kind: Type.Literal('read-incident'), id: Id, incidentId: Id })

/**
 * Ends it for good: incidents close, checks and maintenance end. Answers a ResourceView. Refused: invalid_state where it is archived.
 */
export const ArchiveResource = Type.Object({ kind: Type.Literal('archive-resource'), id: Id })

/**
 * Binds it to another revision of a published Template. Answers that both revisions take stay unless they are sent. Answers a ResourceView.
 * Refused: validation with `field`, invalid_state where it is archived.
 */
export const RebindResource = Type.Object({
  kind: Type.Literal('rebind-resource'),
  id: Id,
  workspaceId: Id,
  template: TemplateRevision,
  answers: SentAnswers,
})

/** Starts a maintenance window, or moves the end of the running one. Answers a ResourceView. Refused: invalid_state where it is archived. */
export const SetMaintenance = Type.Object({
  kind: Type.Literal('set-maintenance'),
  id: Id,
  minutes: Type.Integer({ minimum: 1, maximum: 10_080 }),
  by: Type.String({ minLength: 1, maxLength: 200 }),
})

/** Answers a ResourceView. Refused: invalid_state where no window runs, or it is archived. */
export const EndMaintenance = Type.Object({ kind: Type.Literal('end-maintenance'), id: Id })

const HeardObservation = Type.Object({
  signal: Type.String({ minLength: 1, maxLength: 200 }),
  state: Type.Enum(['ok', 'problem', 'no_data']),
  /** Declares an unknown signal; must agree with a known one. */
  signalKind: Nullable(Type.Enum(['heartbeat', 'periodic', 'event'])),
  /** The sender's own id; null: none. */
  sentId: Nullable(Type.String({ minLength: 1, maxLength: 128 })),
  /** Microseconds since the epoch; null: the keeper stamps its now. */
  atUs: Nullable(Type.Integer()),
  value: Nullable(Type.Number()),
  reason: Type.String({ maxLength: 200 }),
  labels: LabelMap,
  /** A JSON object as text. */
  body: Nullable(Type.String({ maxLength: 16_384 })),
})
export type SentObservation = Static<typeof HeardObservation>

/** Observations of one Resource in their order. Answers `{ results: ObservedResult[] }`: each stands for itself. */
export const Observe = Type.Object({
  kind: Type.Literal('observe'),
  id: Id,
  /** The door through which they came; absent: the API. */
  source: Type.Optional(Type.Enum(['api', 'address'])),
  observations: Type.Array(HeardObservation, { minItems: 1, maxItems: 500 }),
})

/**
 * Makes a Resource of a published Template together with its first Observation, which came through an Observation address. One that exists by
 * then only takes the Observation. Answers `{ results: [ObservedResult] }`; a refused Observation makes nothing. Refused: as `create-resource`, and
 * validation `resource` where it is of another Template than `boundTo`.
 */
export const FirstReport = Type.Object({
  kind: Type.Literal('first-report'),
  id: Id,
  workspaceId: Id,
  /** Its key. */
  slug: Slug,
  name: Name,
  template: TemplateRevision,
  answers: SentAnswers,
  /** The key of the one Template that the address is bound to; null: any. */
  boundTo: Nullable(Type.String()),
  observation: HeardObservation,
  /** Answers as the command would, and changes nothing. */
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
