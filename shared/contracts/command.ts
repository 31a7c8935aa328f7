// Commands to a subject's keeper. Each carries an id made once per HTTP request: a repeated id gets the first answer.
// The subject's id is in the bus subject, creates included.
import { type Static, Type } from 'typebox'
import { Id, Instant, Nullable, Slug } from '#shared/contracts/common.ts'
import type { IncidentNow } from '#shared/contracts/incident-views.ts'
import { Policy } from '#shared/contracts/policy.ts'
import type { ErrorReply } from '#shared/contracts/reply.ts'
import { resourceCommands } from '#shared/contracts/resource-commands.ts'
import type { ObservedResult, ResourceView } from '#shared/contracts/resource-views.ts'
import { CustomSignalKind } from '#shared/contracts/signal.ts'
import type {
  AcknowledgementView,
  CustomSubjectView,
  ObservationView,
  RuleView,
  SignalView,
  WebsiteView,
  WindowView,
} from '#shared/contracts/subject-views.ts'
import { FailureMode, WebsiteCheck } from '#shared/contracts/website.ts'

const Name = Type.String({ minLength: 1, maxLength: 400 })
const JsonText = Type.String({ minLength: 2, maxLength: 65_536 })

/** Answers a WebsiteView. Refused: invalid_state when the subject exists. */
export const CreateWebsite = Type.Object({
  kind: Type.Literal('create-website'),
  id: Id,
  workspaceId: Id,
  slug: Slug,
  name: Name,
  check: WebsiteCheck,
  /** Generation 3 alone sends them. */
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
})

/** Full replacement of what generations 1 and 2 can express; `failure_mode` null keeps the stored one. Answers a WebsiteView. */
export const UpdateWebsite = Type.Object({
  kind: Type.Literal('update-website'),
  id: Id,
  name: Name,
  check: Type.Object({
    ...Type.Omit(WebsiteCheck, ['failure_mode', 'confirm_after', 'recover_after']).properties,
    failure_mode: Nullable(FailureMode),
  }),
})

/**
 * Commits a tombstone at once; history and observations follow in slices. Answers `{ id }`. Refused with invalid_state where the
 * subject is of another kind than the sender takes it for: it may have become custom meanwhile.
 */
export const DeleteSubject = Type.Object({
  kind: Type.Literal('delete-subject'),
  id: Id,
  subjectKind: Type.Optional(Type.Enum(['website', 'custom'])),
})

/** A custom subject, empty. Answers a CustomSubjectView. Refused: invalid_state when the subject exists. */
export const CreateSubject = Type.Object({
  kind: Type.Literal('create-subject'),
  id: Id,
  workspaceId: Id,
  slug: Slug,
  name: Name,
})

/**
 * Answers a SignalView; its slug comes from its name. Refused: validation `Signal name taken`. On a website subject refused with
 * invalid_state, unless `convert` makes it a custom one for good (spec B, What the service does).
 */
export const CreateSignal = Type.Object({
  kind: Type.Literal('create-signal'),
  id: Id,
  name: Name,
  signalKind: CustomSignalKind,
  meta: JsonText,
  convert: Type.Boolean(),
})
/** Answers a SignalView. Refused: not_found `Signal not found`, forbidden `Signal is managed by Website monitoring`. */
export const UpdateSignal = Type.Object({
  kind: Type.Literal('update-signal'),
  id: Id,
  signal: Slug,
  name: Name,
  meta: JsonText,
})
/** Removes its observations too. Answers `{ slug }`. Refused also: forbidden `Signal is still used by a rule`. */
export const DeleteSignal = Type.Object({ kind: Type.Literal('delete-signal'), id: Id, signal: Slug })

/** Answers a RuleView. Refused: validation `Rule name taken`, `Unknown input` (its own slug too: it is not there yet). */
export const CreateRule = Type.Object({
  kind: Type.Literal('create-rule'),
  id: Id,
  name: Name,
  policy: Policy,
  convert: Type.Boolean(),
})
/**
 * Full replacement; the slug and open incidents stay. Answers a RuleView with the next version. Refused: validation `Unknown input`,
 * `Invalid rule document` (a circle).
 */
export const ReplaceRule = Type.Object({ kind: Type.Literal('replace-rule'), id: Id, rule: Slug, name: Name, policy: Policy })
/** Closes its open incident and tells nobody. Answers `{ slug }`. Refused also: forbidden `Rule is still used as an input`. */
export const DeleteRule = Type.Object({ kind: Type.Literal('delete-rule'), id: Id, rule: Slug })

/**
 * Stores one observation and judges it. Its identity is signal, instant and labels: sent again it replaces what is stored.
 * Answers an ObservationView, also of one that is not accepted. Refused: not_found, forbidden `Signal does not accept posted observations`.
 */
export const ReportObservation = Type.Object({
  kind: Type.Literal('report-observation'),
  id: Id,
  signal: Slug,
  /** Microseconds since the epoch; null: the keeper stamps its now. */
  observedAtUs: Nullable(Type.Integer()),
  status: Type.Enum(['ok', 'problem']),
  value: Nullable(Type.Number()),
  error: Type.String({ maxLength: 4_000 }),
  labels: Type.Record(Type.String({ minLength: 1 }), Type.String()),
})

/** Several observations of one subject in one message, in order. Answers `{ results: ReportedObservation[] }`. */
export const ReportObservations = Type.Object({
  kind: Type.Literal('report-observations'),
  id: Id,
  observations: Type.Array(Type.Omit(ReportObservation, ['kind', 'id']), { minItems: 1, maxItems: 500 }),
})

/** Answers an AcknowledgementView; a repeat has `recorded` false. Refused: not_found `Incident not found` where it is not open here. */
export const AcknowledgeIncident = Type.Object({
  kind: Type.Literal('acknowledge-incident'),
  id: Id,
  incidentId: Id,
  by: Type.String({ minLength: 1, maxLength: 200 }),
  via: Type.Enum(['api', 'ui', 'mcp']),
})

/** Answers a WindowView. Refused: invalid_state `Already in maintenance`. */
export const StartMaintenance = Type.Object({
  kind: Type.Literal('start-maintenance'),
  id: Id,
  endsAt: Instant,
  by: Type.String({ minLength: 1, maxLength: 200 }),
})
/** Moves the end of the running window. Answers a WindowView. Refused: not_found `No maintenance window`. */
export const MoveMaintenance = Type.Object({ kind: Type.Literal('move-maintenance'), id: Id, endsAt: Instant })
export const CancelMaintenance = Type.Object({ kind: Type.Literal('cancel-maintenance'), id: Id })

export const Command = Type.Union([
  ...resourceCommands,
  CreateWebsite,
  UpdateWebsite,
  DeleteSubject,
  CreateSubject,
  CreateSignal,
  UpdateSignal,
  DeleteSignal,
  CreateRule,
  ReplaceRule,
  DeleteRule,
  ReportObservation,
  ReportObservations,
  AcknowledgeIncident,
  StartMaintenance,
  MoveMaintenance,
  CancelMaintenance,
])
export type Command = Static<typeof Command>
export type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>

/** What a command is answered with. */
export interface CommandResults {
  'create-website': WebsiteView
  'update-website': WebsiteView
  'delete-subject': { id: string }
  'create-subject': CustomSubjectView
  'create-signal': SignalView
  'update-signal': SignalView
  'delete-signal': { slug: string }
  'create-rule': RuleView
  'replace-rule': RuleView
  'delete-rule': { slug: string }
  'report-observation': ObservationView
  'report-observations': { results: ReportedObservation[] }
  'acknowledge-incident': AcknowledgementView
  'start-maintenance': WindowView
  'move-maintenance': WindowView
  'cancel-maintenance': WindowView
  'create-resource': ResourceView
  'update-resource': ResourceView
  'read-resource': ResourceView
  'read-incident': IncidentNow
  'archive-resource': ResourceView
  'rebind-resource': ResourceView
  'set-maintenance': ResourceView
  'end-maintenance': ResourceView
  observe: { results: ObservedResult[] }
  'first-report': { results: ObservedResult[] }
}

export type ReportedObservation = { ok: true; observation: ObservationView } | { ok: false; error: Static<typeof ErrorReply> }
