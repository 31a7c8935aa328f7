// Commands to the keeper of a subject. Each command has an id that is created once per HTTP request; a repeated id gets the first response.
// The bus subject contains the subject's id, also for commands that create a subject.
import { type Static, Type } from 'typebox'
import type { ErrorReply } from '#shared/contracts/ask/reply.ts'
import { command, Id, Instant, Nullable, Slug } from '#shared/contracts/common.ts'
import type { WindowView } from '#shared/contracts/incidents/maintenance.ts'
import { resourceCommands } from '#shared/contracts/resources/resource-commands.ts'
import { Policy } from '#shared/contracts/subjects/policy.ts'
import { TryRule } from '#shared/contracts/subjects/rule-trial.ts'
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

/** Errors: invalid_state if the subject exists. */
export const CreateWebsite = command<WebsiteView>()('create-website', {
  workspaceId: Id,
  slug: Slug,
  name: Name,
  check: WebsiteCheck,
  /** Labels; only generation 3 sends them. */
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
})

/** Replaces all settings that generations 1 and 2 have; `failure_mode` null keeps the stored value. */
export const UpdateWebsite = command<WebsiteView>()('update-website', {
  name: Name,
  check: Type.Object({
    ...Type.Omit(WebsiteCheck, ['failure_mode', 'confirm_after', 'recover_after']).properties,
    failure_mode: Nullable(FailureMode),
  }),
})

/**
 * Commits a tombstone at once; history and observations are removed later in slices. Errors: invalid_state if the subject is not of the
 * kind `subjectKind`, because it may have become a custom subject.
 */
export const DeleteSubject = command<{ id: string }>()('delete-subject', {
  subjectKind: Type.Optional(Type.Enum(['website', 'custom'])),
})

/** Creates an empty custom subject. Errors: invalid_state if the subject exists. */
export const CreateSubject = command<CustomSubjectView>()('create-subject', {
  workspaceId: Id,
  slug: Slug,
  name: Name,
})

/**
 * Creates a signal; its slug is made from its name. Errors: validation `Signal name taken`. On a website monitor invalid_state, unless
 * `convert` makes the monitor a custom subject for good (reference/custom-subjects 1.5).
 */
export const CreateSignal = command<SignalView>()('create-signal', {
  name: Name,
  signalKind: CustomSignalKind,
  meta: JsonText,
  convert: Type.Boolean(),
})
/** Errors: not_found `Signal not found`, forbidden `Signal is managed by Website monitoring`. */
export const UpdateSignal = command<SignalView>()('update-signal', {
  signal: Slug,
  name: Name,
  meta: JsonText,
})
/** Deletes a signal with its observations. Errors: also forbidden `Signal is still used by a rule`. */
export const DeleteSignal = command<{ slug: string }>()('delete-signal', { signal: Slug })

/** Errors: validation `Rule name taken`, `Unknown input` (also for the rule's own slug, which does not exist yet). */
export const CreateRule = command<RuleView>()('create-rule', {
  name: Name,
  policy: Policy,
  convert: Type.Boolean(),
})
/** Replaces a rule; its slug and open incident stay. Errors: validation `Unknown input`, `Invalid rule document`. */
export const ReplaceRule = command<RuleView>()('replace-rule', { rule: Slug, name: Name, policy: Policy })
/** Deletes a rule, and closes its open incident silently. Errors: forbidden `Rule is still used as an input`. */
export const DeleteRule = command<{ slug: string }>()('delete-rule', { rule: Slug })

/**
 * Stores one observation, accepted or not, and judges it. An observation with the same signal, instant and labels as a stored one replaces
 * the stored one. Errors: not_found, forbidden `Signal does not accept posted observations`.
 */
export const ReportObservation = command<ObservationView>()('report-observation', {
  signal: Slug,
  /** Microseconds since the epoch; null: the keeper uses its present time. */
  observedAtUs: Nullable(Type.Integer()),
  status: Type.Enum(['ok', 'problem']),
  value: Nullable(Type.Number()),
  error: Type.String({ maxLength: 4_000 }),
  labels: Type.Record(Type.String({ minLength: 1 }), Type.String()),
})

/** Several observations of one subject in one message, handled in order. */
export const ReportObservations = command<{ results: ReportedObservation[] }>()('report-observations', {
  observations: Type.Array(Type.Omit(ReportObservation, ['kind', 'id']), { minItems: 1, maxItems: 500 }),
})

/** Acknowledges an incident. `recorded` is false if the incident was acknowledged before. Errors: not_found `Incident not found`. */
export const AcknowledgeIncident = command<AcknowledgementView>()('acknowledge-incident', {
  incidentId: Id,
  by: Type.String({ minLength: 1, maxLength: 200 }),
  via: Type.Enum(['api', 'ui', 'mcp']),
})

/** Errors: invalid_state `Already in maintenance`. */
export const StartMaintenance = command<WindowView>()('start-maintenance', {
  endsAt: Instant,
  by: Type.String({ minLength: 1, maxLength: 200 }),
})
/** Moves the end of the running window. Errors: not_found `No maintenance window`. */
export const MoveMaintenance = command<WindowView>()('move-maintenance', { endsAt: Instant })
export const CancelMaintenance = command<WindowView>()('cancel-maintenance', {})

const commands = [
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
] as const

export const Command = Type.Union([...commands])
export type Command = Static<typeof Command>
export type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>

/** Results of commands by their kind. */
export type CommandResults = { [C in (typeof commands)[number] as Static<C>['kind']]: C['~result'] }

export type ReportedObservation = { ok: true; observation: ObservationView } | { ok: false; error: Static<typeof ErrorReply> }
