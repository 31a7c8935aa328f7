// An alert: one message to send, before destinations are chosen. The keeper inserts it, only notifiers change it afterwards.
import type { Stored } from '#shared/contracts/common.ts'
import type { TemplateRoute } from '#shared/contracts/template.ts'
import type { Condition, DecisionInput, Evidence } from '#shared/contracts/verdict.ts'

/** `opened` and `acknowledged` go only where a route or `send_on_open` asks for them. */
export type AlertKind = 'opened' | 'problem' | 'no_data' | 'recovery' | 'acknowledged'

/** The kinds that generation 2 knows: delivery tables choose among them, and its log shows no others. */
export type TableKind = Exclude<AlertKind, 'opened' | 'acknowledged'>

/** Why a message is not sent to a destination, or to nobody (docs/reference/v3.md, 10.3). */
export type UntoldReason =
  | 'maintenance'
  | 'no_destination'
  | 'destination_disabled'
  | 'resource_gone'
  | 'not_announced'
  | 'not_routed'
  | 'not_opted_in'
  | 'confirmed_first'

/** id is `<incident>.a<number>`. The facts are frozen when the alert is decided. */
export interface AlertDocument extends Stored {
  workspaceId: string
  subjectId: string
  incidentId: string
  /** Number within its incident, from 1: a later message waits for its predecessor at the same destination. */
  number: number
  kind: AlertKind
  /** True for the repetition of a problem message. */
  reminder: boolean
  /** Why it is kept and told to nobody; null: it is told. */
  held: 'maintenance' | null
  decidedAt: number
  facts: AlertFacts
  /** `open` until a delivery exists for each destination that is to be told. */
  state: 'open' | 'dispatched'
  /** How many deliveries it was dispatched to; null while open. */
  deliveries: number | null
  /**
   * Who was left out when it was dispatched although something spoke for telling them. `destinationId` null: nobody at all is told, for
   * this reason.
   */
  untold?: { destinationId: string | null; reason: UntoldReason }[]
  expireAt: number
}

/** An input of an authored rule that reads a problem. `number` null: the reports themselves say so. */
export type AlertProblem =
  | { of: 'rule'; name: string }
  | { of: 'signal'; signal: string; number: { value: number; compare: '<' | '>'; threshold: number } | null }

/** Targets that the rule itself names: a Template's routes, or its one destination by id; null: it names none. */
export type AlertRouting = { routes: readonly TemplateRoute[] } | { destination: string } | null

/** Facts of messages about rules of Templates, and of openings and acknowledgements. */
export interface TemplateFacts {
  /** The text that tells a person what to do. Absent or null: it is no Template's rule. */
  action?: string | null
  routing?: AlertRouting
  /** The Resource's key; absent: its slug. */
  resourceKey?: string
  /** Reasons that senders gave for their readings, in the order of the rule's inputs. */
  reasons?: readonly { signal: string; text: string }[]
  /** One input for each comparison in its order; absent: `evidence` counts. */
  comparisons?: { inputs: readonly DecisionInput[]; omitted: number; truncated: boolean }
  /** The rule's condition when the message was decided; absent: the one that its kind means. */
  condition?: Condition
  /** The display name of the person who acknowledged. */
  acknowledgedBy?: string
}

export interface AlertFacts extends TemplateFacts {
  subjectName: string
  subjectSlug: string
  /** As people know the rule: `availability` of a website monitor, the slug of an authored one. */
  ruleKey: string
  /** As its author named it; empty of the rule that website monitoring maintains. */
  ruleName: string
  /** `key@version`; null for a custom subject. */
  template: string | null
  /** The checked address, redacted; empty where there is none. */
  url: string
  /** Values of the template's fields: single ones, without addresses and secrets. */
  fields: Record<string, unknown>
  /** How many fields were left out of `fields`. */
  fieldsOmitted: number
  evidence: Evidence
  /** Location ids of a website monitor's own rule (names are looked up when the body is made); empty for authored rules. */
  failing: string[]
  unknown: string[]
  ok: string[]
  /** Inputs of an authored rule that read a problem, in the rule's order; empty in other messages. */
  problems: AlertProblem[]
  /** When the silent inputs were last heard, the latest of them; `lastAt` null: never. Null: none is silent, or another message. */
  silence: { lastAt: number | null } | null
  /** True of a test message. */
  isTest?: true
  /** The check's own error; empty when none. */
  error: string
  explanation: string
  troubleSince: number
  confirmedAt: number | null
  wellSince: number | null
  closedAt: number | null
}
