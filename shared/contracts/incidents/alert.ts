// An alert: one message to send, before its destinations are chosen. The keeper inserts an alert; only notifiers change it afterwards.
import type { Stored } from '#shared/contracts/common.ts'
import type { IncidentCause, IncidentCourse } from '#shared/contracts/incidents/incident.ts'
import type { TemplateRoute } from '#shared/contracts/resources/template.ts'
import type { Condition, DecisionInput, Evidence } from '#shared/contracts/subjects/verdict.ts'

/**
 * Kinds of messages. Messages of the kinds `opened` and `acknowledged` are sent only if a route or `send_on_open` requests them, or where an
 * alert stays open until it is ended. Those of the kind `withdrawn` are sent only there: the incident ended because its rule or its subject
 * went away.
 */
export type AlertKind = 'opened' | 'problem' | 'no_data' | 'recovery' | 'acknowledged' | 'withdrawn'

/**
 * Alert kinds of generation 2. In generation 2, delivery tables can select only these kinds, and the delivery log contains only these
 * kinds.
 */
export type TableKind = Exclude<AlertKind, 'opened' | 'acknowledged' | 'withdrawn'>

/** Reasons why a message is not sent to one destination, or to none at all (docs/reference/v3.md, 10.3). */
export type SkipReason =
  | 'maintenance'
  | 'no_destination'
  | 'destination_disabled'
  | 'resource_gone'
  | 'not_announced'
  | 'not_routed'
  | 'not_opted_in'
  | 'confirmed_first'
  | 'not_due'

/** id: `<incident>.a<number>`. `facts` are copied from the subject when the keeper decides the alert, and never change afterwards. */
export interface AlertDocument extends Stored {
  workspaceId: string
  subjectId: string
  incidentId: string
  /** Number of the alert within its incident, from 1. A destination gets the messages of an incident in this order. */
  number: number
  kind: AlertKind
  /** True if the message repeats an earlier problem message. */
  reminder: boolean
  /** Reason why the alert is stored but never sent; null: the alert is sent. */
  held: 'maintenance' | null
  decidedAt: number
  facts: AlertFacts
  /** `open` until a delivery was created for every destination that gets the message. */
  state: 'open' | 'dispatched'
  /** Number of deliveries that the dispatch created; null: the alert is still open. */
  deliveries: number | null
  /** Destinations that do not get the message, with the reason. `destinationId` null: the reason applies to all destinations. */
  skipped?: { destinationId: string | null; reason: SkipReason }[]
  expireAt: number
}

/**
 * An input of an authored rule whose reading is a problem. `number`: value that crossed the threshold; null: the reports have the state
 * `problem`.
 */
export type AlertProblem =
  | { of: 'rule'; name: string }
  | { of: 'signal'; signal: string; number: { value: number; compare: '<' | '>'; threshold: number } | null }

/** Targets that the rule names: the routes of a Template's rule, or the id of its only destination. Null: the rule names no target. */
export type AlertRouting = { routes: readonly TemplateRoute[] } | { destination: string } | null

/** Facts that messages about rules of Templates need, and messages about openings and acknowledgements. */
export interface TemplateFacts {
  /** Instruction for the person who gets the message. Absent or null: the rule belongs to no Template. */
  action?: string | null
  routing?: AlertRouting
  /** Key of the Resource; absent: the slug of the Resource. */
  resourceKey?: string
  /** Reasons that senders reported, by signal, in the order of the rule's inputs. */
  reasons?: readonly { signal: string; text: string }[]
  /** Evidence of the rule's comparisons, in the order of the comparisons. Absent: the message shows `evidence` instead. */
  comparisons?: { inputs: readonly DecisionInput[]; omitted: number; truncated: boolean }
  /** Condition of the rule when the alert was decided. Absent: the kind of the message implies the condition. */
  condition?: Condition
  /** Display name of the person who acknowledged. */
  acknowledgedBy?: string
  /** Set for the rule that says whether a monitor is up or down: titles say so instead of its key and action. */
  saysDown?: true
  /** Set for a job that must have run: the message says what became of the run. */
  job?: JobFacts
}

/** A job that must have run. Instants in ms. */
export interface JobFacts {
  /** `missed`: no run came. `unfinished`: one started and did not end. `anew`: nothing has come, and a run is expected later. */
  state: 'missed' | 'unfinished' | 'failed' | 'reports' | 'anew'
  expectedAt: number | null
  startedAt: number | null
  zone: string
  graceMs: number
  exitStatus: number | null
  /** Last line of the output; null: there is none, or messages do not quote it. */
  line: string | null
  /** The newest success. `seconds`: how long it took; null: not known. Null: none yet. */
  success: { at: number; seconds: number | null } | null
}

export interface AlertFacts extends TemplateFacts, IncidentCourse {
  subjectName: string
  subjectSlug: string
  /** Key of the rule that people see: `availability` for the built-in rule of a website monitor, the slug for an authored rule. */
  ruleKey: string
  /** Name that the author gave the rule; empty for the built-in rule of website monitors. */
  ruleName: string
  /** `key@version` of the Template; null: the subject is a custom subject. */
  template: string | null
  /** URL of the check without credentials; empty: the subject has no check. */
  url: string
  /** Values of the Template's fields, without lists, URLs and secrets. */
  fields: Record<string, unknown>
  /** Number of fields that are omitted from `fields`. */
  fieldsOmitted: number
  evidence: Evidence
  /** Ids of the failing locations of a website monitor's built-in rule; the notifier resolves them to names. Empty for authored rules. */
  failing: string[]
  unknown: string[]
  ok: string[]
  /**
   * Inputs that read as a problem, in the order of the rule; only for a rule that a person wrote. Empty for other rules, and in messages
   * that do not report a problem.
   */
  problems: AlertProblem[]
  /**
   * Silence of the rule's inputs. `lastAt`: instant of the latest report among all silent inputs; null: no silent input has ever reported.
   * `silence` null: no input is silent, or the message has another kind.
   */
  silence: { lastAt: number | null } | null
  isTest?: true
  /** Error of the check; empty: there is no error. */
  error: string
  explanation: string
  /** Cause of the incident, redacted. Absent: the alert was decided before causes were stored, or is a test. */
  cause?: IncidentCause | null
}
