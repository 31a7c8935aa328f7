// An alert: one message to send, before its destinations are chosen. The keeper inserts an alert; only notifiers change it afterwards.
import type { Stored } from '#shared/contracts/common.ts'
import type { IncidentCourse } from '#shared/contracts/incidents/incident.ts'
import type { TemplateRoute } from '#shared/contracts/resources/template.ts'
import type { Condition, DecisionInput, Evidence } from '#shared/contracts/subjects/verdict.ts'

/** Kinds of messages. `opened` and `acknowledged` are sent only if a route or `send_on_open` requests them. */
export type AlertKind = 'opened' | 'problem' | 'no_data' | 'recovery' | 'acknowledged'

/** Alert kinds of generation 2: its delivery tables select among these kinds, and its delivery log shows only these kinds. */
export type TableKind = Exclude<AlertKind, 'opened' | 'acknowledged'>

/** Reasons why one destination, or every destination, does not get a message (docs/reference/v3.md, 10.3). */
export type SkipReason =
  | 'maintenance'
  | 'no_destination'
  | 'destination_disabled'
  | 'resource_gone'
  | 'not_announced'
  | 'not_routed'
  | 'not_opted_in'
  | 'confirmed_first'

/** id: `<incident>.a<number>`. The facts are copied when the keeper decides the alert, and never change afterwards. */
export interface AlertDocument extends Stored {
  workspaceId: string
  subjectId: string
  incidentId: string
  /** Number within its incident, from 1. At the same destination, a later message waits for the earlier ones. */
  number: number
  kind: AlertKind
  /** True for a repeated problem message. */
  reminder: boolean
  /** Reason why the alert is stored but never sent; null: it is sent. */
  held: 'maintenance' | null
  decidedAt: number
  facts: AlertFacts
  /** `open` until each destination that gets the message has a delivery. */
  state: 'open' | 'dispatched'
  /** Number of deliveries created at the dispatch; null: still open. */
  deliveries: number | null
  /** Destinations that the dispatch skipped. `destinationId` null: no destination gets the message. */
  skipped?: { destinationId: string | null; reason: SkipReason }[]
  expireAt: number
}

/** An input of an authored rule that reads a problem. `number` null: the reports themselves have the state `problem`. */
export type AlertProblem =
  | { of: 'rule'; name: string }
  | { of: 'signal'; signal: string; number: { value: number; compare: '<' | '>'; threshold: number } | null }

/** Targets that the rule names: the routes of a Template's rule, or its only destination by id; null: none. */
export type AlertRouting = { routes: readonly TemplateRoute[] } | { destination: string } | null

/** Facts for messages about rules of Templates, and about openings and acknowledgements. */
export interface TemplateFacts {
  /** Instruction for the person who gets the message. Absent or null: the rule belongs to no Template. */
  action?: string | null
  routing?: AlertRouting
  /** Key of the Resource; absent: its slug. */
  resourceKey?: string
  /** Reasons that senders reported for the readings, in the order of the rule's inputs. */
  reasons?: readonly { signal: string; text: string }[]
  /** One input for each comparison, in the order of the comparisons; absent: the message uses `evidence`. */
  comparisons?: { inputs: readonly DecisionInput[]; omitted: number; truncated: boolean }
  /** Condition of the rule at the decision; absent: the condition follows from the kind of the message. */
  condition?: Condition
  /** Display name of the person who acknowledged. */
  acknowledgedBy?: string
}

export interface AlertFacts extends TemplateFacts, IncidentCourse {
  subjectName: string
  subjectSlug: string
  /** Key of the rule for people: `availability` for a website monitor, the slug for an authored rule. */
  ruleKey: string
  /** Name that the author gave the rule; empty for the built-in rule of website monitors. */
  ruleName: string
  /** `key@version`; null: a custom subject. */
  template: string | null
  /** URL of the check, redacted; empty: the subject has no check. */
  url: string
  /** Values of the Template's fields, without lists, URLs and secrets. */
  fields: Record<string, unknown>
  /** Number of fields that are omitted from `fields`. */
  fieldsOmitted: number
  evidence: Evidence
  /** Location ids of a website monitor's built-in rule, which the notifier resolves to names. Empty for authored rules. */
  failing: string[]
  unknown: string[]
  ok: string[]
  /** Inputs of an authored rule that read a problem, in the rule's order; empty in other messages. */
  problems: AlertProblem[]
  /** `lastAt`: latest report of all silent inputs; null: none ever reported. Null: no silent input, or another kind of message. */
  silence: { lastAt: number | null } | null
  /** True for a test message. */
  isTest?: true
  /** Error of the check; empty: none. */
  error: string
  explanation: string
}
