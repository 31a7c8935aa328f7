// Commands to the keeper of a subject. The id of a command is created once per HTTP request. A command with an id that was used before gets
// the first response again. The bus subject contains the subject's id, also for commands that create a subject.
import { type Static, Type } from 'typebox'
import type { ErrorReply } from '#shared/contracts/ask/reply.ts'
import { command, Id, Instant, Nullable, Slug } from '#shared/contracts/common.ts'
import { acknowledgedVias } from '#shared/contracts/incidents/incident.ts'
import type { WindowView } from '#shared/contracts/incidents/maintenance.ts'
import { Ping } from '#shared/contracts/observations/ping.ts'
import { resourceCommands } from '#shared/contracts/resources/resource-commands.ts'
import { SettingsCheck, StoredCheck } from '#shared/contracts/subjects/check.ts'
import { Policy } from '#shared/contracts/subjects/policy.ts'
import { TryRule } from '#shared/contracts/subjects/rule-trial.ts'
import { CustomSignalKind } from '#shared/contracts/subjects/signal.ts'
import { checkedKind } from '#shared/contracts/subjects/subject-kind.ts'
import type {
  AcknowledgementView,
  CustomSubjectView,
  ObservationView,
  RuleView,
  SignalView,
  WebsiteView,
} from '#shared/contracts/subjects/subject-views.ts'

const Name = Type.String({ minLength: 1, maxLength: 400 })
const JsonText = Type.String({ minLength: 2, maxLength: 65_536 })

/** Creates a monitor of a system Template with a check. Errors: invalid_state if the subject exists. */
export const CreateWebsite = command<WebsiteView>()('create-website', {
  workspaceId: Id,
  slug: Slug,
  name: Name,
  check: StoredCheck,
  /** Template of a check, `key@version`; absent: that of website monitors. */
  template: Type.Optional(Type.String({ minLength: 3, maxLength: 80, pattern: '@' })),
  /** Labels of the monitor, which only generation 3 sends. */
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
})

/** Replaces all settings that generations 1 and 2 have. If `failure_mode` is null, the stored value of `failure_mode` stays. */
export const UpdateWebsite = command<WebsiteView>()('update-website', {
  name: Name,
  check: SettingsCheck,
})

/**
 * Deletes a subject: its document becomes a tombstone at once, and its history and observations are removed later in slices. Errors:
 * invalid_state if the subject is not of the kind `subjectKind`, because a website monitor may have become a custom subject.
 */
export const DeleteSubject = command<{ id: string }>()('delete-subject', {
  subjectKind: Type.Optional(Type.Enum([checkedKind, 'custom'])),
})

/** Creates an empty custom subject. Errors: invalid_state if the subject exists. */
export const CreateSubject = command<CustomSubjectView>()('create-subject', {
  workspaceId: Id,
  slug: Slug,
  name: Name,
})

/**
 * Creates a signal. The signal's slug is made from its name. Errors: validation `Signal name taken`. Fails with `invalid_state` on a
 * website monitor, unless `convert` makes the monitor a custom subject for good (reference/custom-subjects 1.5).
 */
export const CreateSignal = command<SignalView>()('create-signal', {
  name: Name,
  signalKind: CustomSignalKind,
  meta: JsonText,
  convert: Type.Boolean(),
})
/**
 * Replaces the name and the meta of a signal. Errors: not_found `Signal not found`, forbidden `Signal is managed by Website monitoring`.
 */
export const UpdateSignal = command<SignalView>()('update-signal', {
  signal: Slug,
  name: Name,
  meta: JsonText,
})
/** Deletes a signal with its observations. Errors: those of `update-signal`, and forbidden `Signal is still used by a rule`. */
export const DeleteSignal = command<{ slug: string }>()('delete-signal', { signal: Slug })

/**
 * Creates a rule. Errors: validation `Rule name taken`, `Unknown input` (also if an input names the new rule itself, which does not exist
 * yet).
 */
export const CreateRule = command<RuleView>()('create-rule', {
  name: Name,
  policy: Policy,
  convert: Type.Boolean(),
})
/** Replaces a rule. The slug and the open incident of the rule stay. Errors: validation `Unknown input`, `Invalid rule document`. */
export const ReplaceRule = command<RuleView>()('replace-rule', { rule: Slug, name: Name, policy: Policy })
/** Deletes a rule. The open incident of the rule is closed without a message. Errors: forbidden `Rule is still used as an input`. */
export const DeleteRule = command<{ slug: string }>()('delete-rule', { rule: Slug })

/**
 * Stores one observation, accepted or not, and judges it. If a stored observation has the same signal, instant and labels, the new
 * observation replaces it. Errors: not_found, forbidden `Signal does not accept posted observations`.
 */
export const ReportObservation = command<ObservationView>()('report-observation', {
  signal: Slug,
  /** Instant of the observation, microseconds since the epoch. Null: the keeper uses its present time. */
  observedAtUs: Nullable(Type.Integer()),
  status: Type.Enum(['ok', 'problem']),
  value: Nullable(Type.Number()),
  error: Type.String({ maxLength: 4_000 }),
  labels: Type.Record(Type.String({ minLength: 1 }), Type.String()),
})

/** Reports several observations of one subject in one message. They are handled in the given order. */
export const ReportObservations = command<{ results: ReportedObservation[] }>()('report-observations', {
  observations: Type.Array(Type.Omit(ReportObservation, ['kind', 'id']), { minItems: 1, maxItems: 500 }),
})

/**
 * Acknowledges an incident. `recorded` is false if somebody had acknowledged the incident before. Errors: not_found `Incident not found`.
 */
export const AcknowledgeIncident = command<AcknowledgementView>()('acknowledge-incident', {
  incidentId: Id,
  /** A name; by a link also the name of the link's destination. */
  by: Type.String({ minLength: 1, maxLength: 600 }),
  via: Type.Enum(acknowledgedVias),
})

/** Starts a maintenance window. Errors: invalid_state `Already in maintenance`. */
export const StartMaintenance = command<WindowView>()('start-maintenance', {
  endsAt: Instant,
  by: Type.String({ minLength: 1, maxLength: 200 }),
})
/** Changes the end of the running maintenance window. Errors: not_found `No maintenance window`. */
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
  Ping,
  AcknowledgeIncident,
  StartMaintenance,
  MoveMaintenance,
  CancelMaintenance,
] as const

export const Command = Type.Union([...commands])
export type Command = Static<typeof Command>
export type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>

export type CommandResults = { [C in (typeof commands)[number] as Static<C>['kind']]: C['~result'] }

export type ReportedObservation = { ok: true; observation: ObservationView } | { ok: false; error: Static<typeof ErrorReply> }
