// A Template revision of generation 3 in three forms: as published, as rules judge by it, and as stored. Reference: docs/reference/v3.md,
// section 3.
import { type Static, type TProperties, Type } from 'typebox'
import { Nullable, SignalName, type Stored, Strict } from '#shared/contracts/common.ts'
import { type FieldType, fieldTypes, maxSeconds } from '#shared/contracts/resources/field-types.ts'
import { ManifestSchedule, type ScheduledSignal, scheduleKind } from '#shared/contracts/resources/schedule.ts'
import { type Agreement, agreements } from '#shared/contracts/subjects/checked-signal.ts'

export const templateKeyPattern = '^[a-z0-9][a-z0-9._-]{0,62}$'
export const fieldKeyPattern = '^[a-z][a-z0-9_]{0,62}$'

const TemplateKey = Type.String({ pattern: templateKeyPattern })
const FieldKey = Type.String({ pattern: fieldKeyPattern })
/** Key of a signal or a rule. Only keys of built-in signals contain `@`. */
const PartKey = Type.String({ pattern: templateKeyPattern })
/**
 * `plain: 'line'` forbids control characters; `plain: 'text'` forbids control characters except line breaks and tabs. With `trimmed`, the
 * length does not count leading and trailing white space.
 */
const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, plain: 'line', trimmed: true })
const Help = Type.String({ maxLength: 500, plain: 'text' })
/** Returns the schema of an optional field. Absent and null have the same meaning. */
const Maybe = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

export { type FieldType, fieldTypes, maxSeconds }

export const ManifestField = Strict({
  key: FieldKey,
  label: Maybe(Line(100)),
  help: Maybe(Help),
  type: Type.Enum([...fieldTypes]),
  required: Maybe(Type.Boolean()),
  /** Default of the field. Its JSON type depends on `type`, so the field reader checks it. */
  default: Type.Optional(Type.Unknown()),
  options: Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 128, plain: 'line' }), { minItems: 1, maxItems: 64 })),
  min: Maybe(Type.Number()),
  max: Maybe(Type.Number()),
})

const MetaReference = Strict({ meta: FieldKey })

/** Kinds of the signals on which senders report. */
export const pushedKinds = ['heartbeat', 'periodic', 'event'] as const
/** Kind of the signals that probers check. */
export const checkKind = 'check'
export const signalKinds = [...pushedKinds, checkKind, scheduleKind] as const

/** Seconds between two reports, or between two checks. */
const EverySeconds = Type.Integer({ minimum: 10, maximum: 86_400 })

/**
 * A signal of senders has `key`, `kind`, `every_seconds` and `help`; a scheduled one has `schedule` in the place of `every_seconds`. The other
 * members are those of a check.
 */
export const ManifestSignal = Strict({
  key: PartKey,
  kind: Type.Enum([...signalKinds]),
  every_seconds: Type.Optional(Type.Union([EverySeconds, MetaReference, Type.Null()])),
  /** What `every_seconds` reads where a field says it: a reference, taken as if it were sent there. */
  every: Maybe(MetaReference),
  /** Kind of the check (`type`), and its options: values or references. The kind decides which there are, so the signal reader checks them. */
  check: Maybe(Type.Object({ type: Type.String({ minLength: 1, maxLength: 32 }) }, { additionalProperties: true })),
  locations: Maybe(MetaReference),
  agreement: Type.Optional(Type.Union([Type.Enum([...agreements, 'at_least_one']), MetaReference, Type.Null()])),
  schedule: Maybe(ManifestSchedule),
  help: Maybe(Help),
})

const Operator = Type.Enum(['eq', 'neq', 'gt', 'gte', 'lt', 'lte'])

/** A part of a decision. `component`: its name in the OpenAPI documents; generators of clients need a name for each part of a cycle. */
const Part = <P extends TProperties>(component: string, properties: P) =>
  Type.Object(properties, { additionalProperties: false, component })

/** Comparison of a status. The valid operands depend on the comparison, so the decision reader checks them. */
const StatusComparison = Part('StatusComparison', {
  signal: SignalName,
  field: Type.Literal('status'),
  operator: Operator,
  operand: Type.Union([Type.String(), Type.Number(), MetaReference]),
})
const ValueComparison = Part('ValueComparison', {
  signal: SignalName,
  field: Type.Literal('value'),
  operator: Operator,
  operand: Type.Union([Type.String(), Type.Number(), MetaReference]),
  min_count: Maybe(Type.Integer({ minimum: 1, maximum: 100 })),
  within_seconds: Maybe(Type.Integer({ minimum: 60, maximum: 86_400 })),
  baseline: Maybe(
    Type.Object(
      { days: Type.Integer({ minimum: 1, maximum: 30 }), min_samples: Type.Integer({ minimum: 1, maximum: 10_000 }) },
      { additionalProperties: false },
    ),
  ),
})
const KnownComparison = Part('KnownComparison', {
  signal: SignalName,
  field: Type.Literal('known'),
  within_seconds: Maybe(Type.Integer({ minimum: 60, maximum: 86_400 })),
})

const MissedComparison = Part('MissedComparison', { signal: SignalName, field: Type.Literal('missed') })

const Node = Type.Ref('DecisionNode')
const Comparison = Type.Union([StatusComparison, ValueComparison])
/** Member that a node `all_known` or `any_known` has in addition. Such a node may contain only comparisons of status and value. */
const Known = { min_known: Type.Integer({ minimum: 1, maximum: 16 }) }
const comparisonsOfKnown = Type.Array(Comparison, { minItems: 2, maxItems: 16 })

export const Decision = Type.Cyclic(
  {
    DecisionNode: Type.Union([
      Part('DecisionAll', { all: Type.Array(Node, { minItems: 2, maxItems: 16 }) }),
      Part('DecisionAny', { any: Type.Array(Node, { minItems: 2, maxItems: 16 }) }),
      Part('DecisionNot', { not: Node }),
      Part('DecisionAllKnown', { all_known: comparisonsOfKnown, ...Known }),
      Part('DecisionAnyKnown', { any_known: comparisonsOfKnown, ...Known }),
      StatusComparison,
      KnownComparison,
      MissedComparison,
      /**
       * This alternative must stay the last one. A comparison with an unknown `field` matches no alternative, and is refused with the
       * errors of the last alternative.
       */
      ValueComparison,
    ]),
  },
  'DecisionNode',
)

export const routeTransitions = ['opened', 'problem', 'no_data', 'recovery', 'acknowledged'] as const
export type RouteTransition = (typeof routeTransitions)[number]

/** Longest time that an escalation waits before it notifies, minutes. */
export const maxAfterMinutes = 1_440

/** A destination by id or by name. A name is replaced by the id at publication. */
const DestinationReference = Type.Union([
  Type.String({ minLength: 1, maxLength: 100 }),
  Strict({ id: Type.String({ minLength: 1, maxLength: 100 }) }),
  Strict({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
])

const Wait = Type.Union([Type.Integer({ minimum: 0, maximum: maxSeconds }), MetaReference])

/** So many changes of a rule's result within this time confirm its open Incident as a problem (v3 4.14). */
const Flapping = Strict({
  changes: Type.Integer({ minimum: 3, maximum: 100 }),
  within_seconds: Type.Integer({ minimum: 60, maximum: 86_400 }),
})

export const ManifestRule = Strict({
  key: PartKey,
  action: Line(200),
  wait: Strict({ confirm_after: Wait, recover_after: Wait, flapping: Maybe(Flapping) }),
  decision: Decision,
  /** What an unknown result is: nothing, so that holds stand still, or the verdict no data. */
  unknown: Maybe(Type.Enum(['hold', 'no_data'])),
  help: Maybe(Help),
  destination: Maybe(DestinationReference),
  routes: Maybe(
    Type.Array(
      Type.Object(
        {
          destination: DestinationReference,
          on: Maybe(Type.Array(Type.Enum([...routeTransitions]), { minItems: 1, maxItems: 5 })),
          after_minutes: Maybe(Type.Integer({ minimum: 0, maximum: maxAfterMinutes })),
        },
        { additionalProperties: false },
      ),
      { maxItems: 10 },
    ),
  ),
})

/** A Template as the client sends it. Required fields are checked in this order, so an error names the first missing field. */
export const Manifest = Strict({
  key: TemplateKey,
  version: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  name: Line(100),
  summary: Maybe(Help),
  fields: Maybe(Type.Array(ManifestField, { maxItems: 32 })),
  signals: Type.Array(ManifestSignal, { minItems: 1, maxItems: 16 }),
  rules: Type.Array(ManifestRule, { minItems: 1, maxItems: 10 }),
})
export type Manifest = Static<typeof Manifest>
const { signals, rules } = Manifest.properties
export const ManifestParts = Strict({ signals, rules })
export type ManifestParts = Static<typeof ManifestParts>

export type MetaReference = Static<typeof MetaReference>
export type Operator = Static<typeof Operator>

export interface StatusComparison {
  signal: string
  field: 'status'
  operator: 'eq' | 'neq'
  operand: 'ok' | 'problem'
}

/**
 * Comparison of values. With `min_count` and `within_seconds` it counts Observations. With `baseline` it compares with the baseline.
 * Without these members it compares the newest value.
 */
export interface ValueComparison {
  signal: string
  field: 'value'
  operator: Operator
  operand: number | MetaReference
  min_count?: number | null
  within_seconds?: number | null
  baseline?: { days: number; min_samples: number } | null
}

export type KnownComparison = Static<typeof KnownComparison>
export type MissedComparison = Static<typeof MissedComparison>

export type Comparison = StatusComparison | ValueComparison | KnownComparison | MissedComparison

/** Decision of a rule as published, after the decision reader has accepted it. */
export type DecisionNode =
  | { all: DecisionNode[] }
  | { any: DecisionNode[] }
  | { not: DecisionNode }
  | { all_known: Comparison[]; min_known: number }
  | { any_known: Comparison[]; min_known: number }
  | Comparison

/** Value of a field: the answer of a Resource, or the field's default. */
export type TemplateAnswer = string | number | boolean | string[] | number[]
export type Answers = Readonly<Record<string, TemplateAnswer>>

export interface TemplateField {
  key: string
  label: string
  help: string
  type: FieldType
  required: boolean
  default: TemplateAnswer | null
  options: string[]
  min: number | null
  max: number | null
  /** True if the value of the field is a secret, which scoped keys read as `[redacted]`. */
  secret: boolean
}

/** A signal on which senders report. */
export interface PushedSignal {
  key: string
  kind: (typeof pushedKinds)[number]
  /** Time between two reports, seconds. Null for an event signal, whose silence has no meaning. */
  everySeconds: number | null
  help: string
}

/** A signal that probers check, once from each location. */
export interface CheckSignal {
  key: string
  kind: typeof checkKind
  /** Time between two checks at one location, seconds, or the field that says it. */
  everySeconds: number | MetaReference
  /** Key of the kind of check, and its options by key. */
  check: { type: string } & Readonly<Record<string, TemplateAnswer | MetaReference>>
  /** The field with the locations. */
  locations: MetaReference
  /** As it was published. */
  agreement: Agreement | 'at_least_one' | MetaReference
  help: string
}

export type TemplateSignal = PushedSignal | CheckSignal | ScheduledSignal

export interface TemplateRoute {
  /** Id of a destination. */
  destination: string
  on: RouteTransition[]
  /** Minutes, 1 to 1,440, after which the destination hears of a problem that nobody has taken. Absent: at once. */
  afterMinutes?: number
}

/** So many changes of the result, 3 to 100, within so many seconds, 60 to 86,400. */
export interface Flapping {
  changes: number
  withinSeconds: number
}

export interface TemplateRule {
  key: string
  action: string
  help: string
  /**
   * Confirmation delay and recovery delay: seconds, or a reference to the field that contains the seconds. `flapping` absent: changes are
   * not counted.
   */
  wait: { confirmAfter: number | MetaReference; recoverAfter: number | MetaReference; flapping?: Flapping }
  decision: DecisionNode
  /** An unknown result is the verdict no data. Absent: it is no verdict, and holds stand still. */
  unknown?: 'no_data'
  /** Id of the rule's destination; null: the rule names no destination. */
  destination: string | null
  /** Routes of the rule. Null: the rule declares no routes. An empty list: nobody is notified. */
  routes: TemplateRoute[] | null
}

/** The published content of a Template, without its workspace and its instant of publication. */
export interface Template {
  key: string
  version: number
  name: string
  summary: string
  fields: TemplateField[]
  signals: TemplateSignal[]
  rules: TemplateRule[]
  /** Set for a Template that the program brings. A workspace may have published one under the same key before the program did. */
  isSystem?: true
}

/** A rule of the system Template of website monitors; its decision is part of the program. */
export interface BuiltInRule extends Omit<TemplateRule, 'action' | 'decision'> {
  action: null
  decision: null
}

/** The system Template of website monitors, whose Resources have one stored check. */
export interface BuiltInTemplate extends Omit<Template, 'rules'> {
  rules: BuiltInRule[]
}

export type AnyTemplate = Template | BuiltInTemplate

/** One published revision, which never changes. id: `<workspace id>/<key>@<version>`. */
export interface TemplateDocument extends Stored {
  workspaceId: string
  key: string
  version: number
  publishedAt: number
  /** Size of the Template as JSON in UTF-8, bytes. The sum of these sizes over a workspace is bounded. */
  bytes: number
  template: Template
}
