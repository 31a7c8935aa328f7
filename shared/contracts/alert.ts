// An alert: one message to be told, before destinations are chosen. The keeper inserts it, only notifiers change it afterwards.
import type { Stored } from '#shared/contracts/common.ts'
import type { Evidence } from '#shared/contracts/verdict.ts'

export type AlertKind = 'problem' | 'no_data' | 'recovery'

/** Why a message is not sent to somebody (spec C, Delivery; spec D 3). */
export type UntoldReason =
  | 'maintenance'
  | 'no_destination'
  | 'destination_disabled'
  | 'resource_gone'
  | 'not_announced'
  | 'not_routed'

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

export interface AlertFacts {
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
