// Commands to the keeper of a subject. Each command has an id that is created once per HTTP request; a repeated id gets the first response.
// The bus subject contains the subject's id, also for commands that create a subject.
import { type Static, Type } from 'typebox'
import type { ErrorReply } from '#shared/contracts/ask/reply.ts'
import { command, Id, Instant, Nullable, Slug } from '#shared/contracts/common.ts'
import type { IncidentNow } from '#shared/contracts/incidents/incident-views.ts'
import type { WindowView } from '#shared/contracts/incidents/maintenance.ts'
import { resourceCommands } from '#shared/contracts/resources/resource-commands.ts'
import type { ObservedResult, ResourceView } from '#shared/contracts/resources/resource-views.ts'
import { Policy } from '#shared/contracts/subjects/policy.ts'
import { type RuleTrial, TryRule } from '#shared/contracts/subjects/rule-trial.ts'
import { CustomSignalKind } from '#shared/contracts/subjects/signal.ts'
import type {
  AcknowledgementView,
  CustomSubjectView,
  ObservationView,
  RuleView,
  SignalView,
  WebsiteView,
} from '#shared/contracts/subjects/subject-views.ts'
import { FailureMode, WebsiteCheck } from '#shared/contracts/subjects/website.ts'

const Name = Type.String({ minLength: 1, maxLength: 400 })
const JsonText = Type.String({ minLength: 2, maxLength: 65_536 })

/** Returns a WebsiteView. Errors: invalid_state if the subject exists. */
export const CreateWebsite = command('create-website', {
  workspaceId: Id,
  slug: Slug,
  name: Name,
  check: WebsiteCheck,
  /** Labels; only generation 3 sends them. */
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
})

/** Replaces all settings that generations 1 and 2 have; `failure_mode` null keeps the stored value. Returns a WebsiteView. */
export const UpdateWebsite = command('update-website', {
  name: Name,
  check: Type.Object({
    ...Type.Omit(WebsiteCheck, ['failure_mode', 'confirm_after', 'recover_after']).properties,
    failure_mode: Nullable(FailureMode),
  }),
})

/**
 * Commits a tombstone at once; history and observations are removed later in slices. Returns `{ id }`. Errors: invalid_state if the subject
 * is not of the kind `subjectKind`, because it may have become a custom subject.
 */
export const DeleteSubject = command('delete-subject', {
  subjectKind: Type.Optional(Type.Enum(['website', 'custom'])),
})

/** Creates an empty custom subject. Returns a CustomSubjectView. Errors: invalid_state if the subject exists. */
export const CreateSubject = command('create-subject', {
  workspaceId: Id,
  slug: Slug,
  name: Name,
})

/**
 * Creates a signal; its slug is made from its name. Returns a SignalView. Errors: validation `Signal name taken`. On a website monitor
 * invalid_state, unless `convert` makes the monitor a custom subject for good (reference/custom-subjects 1.5).
 */
export const CreateSignal = command('create-signal', {
  name: Name,
  signalKind: CustomSignalKind,
  meta: JsonText,
  convert: Type.Boolean(),
})
/** Returns a SignalView. Errors: not_found `Signal not found`, forbidden `Signal is managed by Website monitoring`. */
export const UpdateSignal = command('update-signal', {
  signal: Slug,
  name: Name,
  meta: JsonText,
})
/** Deletes a signal with its observations. Returns `{ slug }`. Errors: also forbidden `Signal is still used by a rule`. */
export const DeleteSignal = command('delete-signal', { signal: Slug })

/** Returns a RuleView. Errors: validation `Rule name taken`, `Unknown input` (also for the rule's own slug, which does not exist yet). */
export const CreateRule = command('create-rule', {
  name: Name,
  policy: Policy,
  convert: Type.Boolean(),
})
/**
 * Replaces the policy and name of a rule; its slug and its open incident stay. Returns a RuleView with the next version. Errors: validation
 * `Unknown input`, `Invalid rule document` (a cycle of rules).
 */
export const ReplaceRule = command('replace-rule', { rule: Slug, name: Name, policy: Policy })
/** Deletes a rule, and closes its open incident silently. Returns `{ slug }`. Errors: forbidden `Rule is still used as an input`. */
export const DeleteRule = command('delete-rule', { rule: Slug })

/**
 * Stores one observation and judges it. Its identity is signal, instant and labels; a repeated observation replaces the stored one. Returns
 * an ObservationView, also if the observation is not accepted. Errors: not_found, forbidden `Signal does not accept posted observations`.
 */
export const ReportObservation = command('report-observation', {
  signal: Slug,
  /** Microseconds since the epoch; null: the keeper uses its present time. */
  observedAtUs: Nullable(Type.Integer()),
  status: Type.Enum(['ok', 'problem']),
  value: Nullable(Type.Number()),
  error: Type.String({ maxLength: 4_000 }),
  labels: Type.Record(Type.String({ minLength: 1 }), Type.String()),
})

/** Several observations of one subject in one message, handled in order. Returns `{ results: ReportedObservation[] }`. */
export const ReportObservations = command('report-observations', {
  observations: Type.Array(Type.Omit(ReportObservation, ['kind', 'id']), { minItems: 1, maxItems: 500 }),
})

/** Acknowledges an incident. Returns an AcknowledgementView, without `recorded` if repeated. Errors: not_found `Incident not found`. */
export const AcknowledgeIncident = command('acknowledge-incident', {
  incidentId: Id,
  by: Type.String({ minLength: 1, maxLength: 200 }),
  via: Type.Enum(['api', 'ui', 'mcp']),
})

/** Returns a WindowView. Errors: invalid_state `Already in maintenance`. */
export const StartMaintenance = command('start-maintenance', {
  endsAt: Instant,
  by: Type.String({ minLength: 1, maxLength: 200 }),
})
/** Moves the end of the running window. Returns a WindowView. Errors: not_found `No maintenance window`. */
export const MoveMaintenance = command('move-maintenance', { endsAt: Instant })
export const CancelMaintenance = command('cancel-maintenance', {})

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
  TryRule,
  ReportObservation,
  ReportObservations,
  AcknowledgeIncident,
  StartMaintenance,
  MoveMaintenance,
  CancelMaintenance,
])
export type Command = Static<typeof Command>
export type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>

/** Results of commands by their kind. */
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
  'try-rule': RuleTrial
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
