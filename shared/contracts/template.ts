// A Template revision of generation 3: as people publish it, as it is judged, and as it is stored. Rules: docs/reference/v3.md, section 3.
import { type Static, Type } from 'typebox'
import { Nullable, type Stored } from '#shared/contracts/common.ts'

/** Seconds in a year: the longest wait and the longest duration an answer may have. */
export const maxSeconds = 31_536_000

export const templateKeyPattern = '^[a-z0-9][a-z0-9._-]{0,62}$'
export const fieldKeyPattern = '^[a-z][a-z0-9_]{0,62}$'

const TemplateKey = Type.String({ pattern: templateKeyPattern })
const FieldKey = Type.String({ pattern: fieldKeyPattern })
/** Of a signal and of a rule; `@` belongs to the platform's own signals. */
const PartKey = Type.String({ pattern: templateKeyPattern })
/** `plain: 'line'` allows no control characters, `'text'` line breaks and tabs alone; `trimmed` measures without outer white space. */
const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, plain: 'line', trimmed: true })
const Help = Type.String({ maxLength: 500, plain: 'text' })
/** An optional member: absent and null are the same. */
const Maybe = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

export const publishedFieldTypes = [
  'string',
  'integer',
  'number',
  'boolean',
  'enum',
  'duration',
  'duration_seconds',
  'string_list',
  'integer_list',
] as const
/** System Templates also have these. */
export type FieldType = (typeof publishedFieldTypes)[number] | 'url' | 'location_list'

export const ManifestField = Type.Object(
  {
    key: FieldKey,
    label: Maybe(Line(100)),
    help: Maybe(Help),
    type: Type.Enum([...publishedFieldTypes]),
    required: Maybe(Type.Boolean()),
    /** Its JSON type follows from `type`, so the reader of fields checks it. */
    default: Type.Optional(Type.Unknown()),
    options: Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 128, plain: 'line' }), { minItems: 1, maxItems: 64 })),
    min: Maybe(Type.Number()),
    max: Maybe(Type.Number()),
  },
  { additionalProperties: false },
)

export const ManifestSignal = Type.Object(
  {
    key: PartKey,
    kind: Type.Enum(['heartbeat', 'periodic', 'event']),
    every_seconds: Maybe(Type.Integer({ minimum: 10, maximum: 86_400 })),
    help: Maybe(Help),
  },
  { additionalProperties: false },
)

const MetaReference = Type.Object({ meta: FieldKey }, { additionalProperties: false })
const Operator = Type.Enum(['eq', 'neq', 'gt', 'gte', 'lt', 'lte'])
const SignalName = Type.String({ minLength: 1, maxLength: 200 })

/** Which value fits an operand depends on its comparison, so the reader of decisions checks it. */
const StatusComparison = Type.Object(
  {
    signal: SignalName,
    field: Type.Literal('status'),
    operator: Operator,
    operand: Type.Union([Type.String(), Type.Number(), MetaReference]),
  },
  { additionalProperties: false },
)
const ValueComparison = Type.Object(
  {
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
  },
  { additionalProperties: false },
)
const KnownComparison = Type.Object(
  { signal: SignalName, field: Type.Literal('known'), within_seconds: Maybe(Type.Integer({ minimum: 60, maximum: 86_400 })) },
  { additionalProperties: false },
)

const Node = Type.Ref('DecisionNode')
const Comparison = Type.Union([StatusComparison, ValueComparison])
/** `all_known` and `any_known` hold comparisons of status and value alone. */
const Known = { min_known: Type.Integer({ minimum: 1, maximum: 16 }) }
const comparisonsOfKnown = Type.Array(Comparison, { minItems: 2, maxItems: 16 })

export const Decision = Type.Cyclic(
  {
    DecisionNode: Type.Union([
      Type.Object({ all: Type.Array(Node, { minItems: 2, maxItems: 16 }) }, { additionalProperties: false }),
      Type.Object({ any: Type.Array(Node, { minItems: 2, maxItems: 16 }) }, { additionalProperties: false }),
      Type.Object({ not: Node }, { additionalProperties: false }),
      Type.Object({ all_known: comparisonsOfKnown, ...Known }, { additionalProperties: false }),
      Type.Object({ any_known: comparisonsOfKnown, ...Known }, { additionalProperties: false }),
      StatusComparison,
      KnownComparison,
      /** The last: a comparison whose `field` has no such word is read as this one. */
      ValueComparison,
    ]),
  },
  'DecisionNode',
)

export const routeTransitions = ['opened', 'problem', 'no_data', 'recovery', 'acknowledged'] as const
export type RouteTransition = (typeof routeTransitions)[number]

/** A destination by id, or by name, which publication resolves. */
const DestinationReference = Type.Union([
  Type.String({ minLength: 1, maxLength: 100 }),
  Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }, { additionalProperties: false }),
  Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }, { additionalProperties: false }),
])

const Wait = Type.Union([Type.Integer({ minimum: 0, maximum: maxSeconds }), MetaReference])

export const ManifestRule = Type.Object(
  {
    key: PartKey,
    action: Line(200),
    wait: Type.Object({ confirm_after: Wait, recover_after: Wait }, { additionalProperties: false }),
    decision: Decision,
    help: Maybe(Help),
    destination: Maybe(DestinationReference),
    routes: Maybe(
      Type.Array(
        Type.Object(
          {
            destination: DestinationReference,
            on: Maybe(Type.Array(Type.Enum([...routeTransitions]), { minItems: 1, maxItems: 5 })),
          },
          { additionalProperties: false },
        ),
        { maxItems: 10 },
      ),
    ),
  },
  { additionalProperties: false },
)

/** A Template as it is sent. Members are required in this order: a missing one is named in it. */
export const Manifest = Type.Object(
  {
    key: TemplateKey,
    version: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    name: Line(100),
    summary: Maybe(Help),
    fields: Maybe(Type.Array(ManifestField, { maxItems: 32 })),
    signals: Type.Array(ManifestSignal, { minItems: 1, maxItems: 16 }),
    rules: Type.Array(ManifestRule, { minItems: 1, maxItems: 10 }),
  },
  { additionalProperties: false },
)
export type Manifest = Static<typeof Manifest>

export interface MetaReference {
  meta: string
}
export type Operator = 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte'

export interface StatusComparison {
  signal: string
  field: 'status'
  operator: 'eq' | 'neq'
  operand: 'ok' | 'problem'
}

/** Counted with `min_count` and `within_seconds`, against a baseline with `baseline`, else a plain comparison of the newest value. */
export interface ValueComparison {
  signal: string
  field: 'value'
  operator: Operator
  operand: number | MetaReference
  min_count?: number | null
  within_seconds?: number | null
  baseline?: { days: number; min_samples: number } | null
}

export interface KnownComparison {
  signal: string
  field: 'known'
  within_seconds?: number | null
}

export type Comparison = StatusComparison | ValueComparison | KnownComparison

/** A rule's decision as it was published, after its reader accepted it. */
export type DecisionNode =
  | { all: DecisionNode[] }
  | { any: DecisionNode[] }
  | { not: DecisionNode }
  | { all_known: Comparison[]; min_known: number }
  | { any_known: Comparison[]; min_known: number }
  | Comparison

/** The value of a field: what a Resource answers, or its default. */
export type Answer = string | number | boolean | string[] | number[]
export type Answers = Readonly<Record<string, Answer>>

export interface TemplateField {
  key: string
  label: string
  help: string
  type: FieldType
  required: boolean
  default: Answer | null
  options: string[]
  min: number | null
  max: number | null
  /** Read as `[redacted]` by scoped keys; only system Templates have such fields. */
  secret: boolean
}

export interface TemplateSignal {
  key: string
  kind: 'heartbeat' | 'periodic' | 'event'
  /** Null of an event, which never goes quiet. */
  everySeconds: number | null
  help: string
}

export interface TemplateRoute {
  /** A destination's id. */
  destination: string
  on: RouteTransition[]
}

export interface TemplateRule {
  key: string
  action: string
  help: string
  /** Seconds, or the field that holds them. */
  wait: { confirmAfter: number | MetaReference; recoverAfter: number | MetaReference }
  decision: DecisionNode
  /** A destination's id; null: none is named. */
  destination: string | null
  /** Null: none are declared. Empty: nobody is notified. */
  routes: TemplateRoute[] | null
}

/** A Template's words, without where and when it was published. */
export interface Template {
  key: string
  version: number
  name: string
  summary: string
  fields: TemplateField[]
  signals: TemplateSignal[]
  rules: TemplateRule[]
}

/** The rule of a system Template: the installation judges it by itself. */
export interface SystemRule extends Omit<TemplateRule, 'action' | 'decision'> {
  action: null
  decision: null
}

export interface SystemTemplate extends Omit<Template, 'rules'> {
  rules: SystemRule[]
}

/** One published revision, written once and never changed. id: `<workspace id>/<key>@<version>`. */
export interface TemplateDocument extends Stored {
  workspaceId: string
  key: string
  version: number
  publishedAt: number
  /** UTF-8 bytes of the Template as JSON; a workspace has a bound for all of them. */
  bytes: number
  template: Template
}
