// A Template in responses of generation 3. No member is omitted, even if it is null. Contains only types, because browsers use them too.
// Reference: docs/reference/v3.md, 3.6.
import type { SignalSchedule } from '#shared/contracts/resources/schedule.ts'
import type {
  CheckSignal,
  DecisionNode,
  MetaReference,
  RouteTransition,
  TemplateField,
  TemplateSignal,
} from '#shared/contracts/resources/template.ts'

/** A field as published, without the mark `secret`. */
export type SentField = Omit<TemplateField, 'secret'>

export interface SentSignal {
  key: string
  kind: TemplateSignal['kind']
  every_seconds: number | null
  help: string
  /** Of a check, as the three members after it. `every`: the field that states the seconds; `every_seconds` is then null. */
  every?: MetaReference
  check?: CheckSignal['check']
  locations?: MetaReference
  agreement?: CheckSignal['agreement']
  /** Of a scheduled signal. */
  schedule?: {
    period_seconds: SignalSchedule['periodSeconds']
    cron: SignalSchedule['cron']
    zone: SignalSchedule['zone']
    grace_seconds: SignalSchedule['graceSeconds']
    first: SignalSchedule['first']
  }
}

export interface SentRule {
  key: string
  signals: string[]
  help: string
  /** Instruction for people. `action` and `decision` are null for a system Template. */
  action: string | null
  /** `flapping` is absent if the rule does not count changes. */
  wait: {
    confirm_after: number | MetaReference
    recover_after: number | MetaReference
    flapping?: { changes: number; within_seconds: number }
  }
  decision: DecisionNode | null
  /** Only of a rule whose unknown result is the verdict no data. */
  unknown?: 'no_data'
  /** Id of a destination. */
  destination: string | null
  /** `after_minutes` is absent of a route that notifies at once. */
  routes: { destination: string; on: RouteTransition[]; after_minutes?: number }[] | null
}

export interface SentTemplate {
  /** Only of a system Template whose rules are no built-in ones. */
  system?: true
  /** `key@version`. */
  id: string
  key: string
  version: number
  name: string
  summary: string
  fields: SentField[]
  signals: SentSignal[]
  rules: SentRule[]
}
