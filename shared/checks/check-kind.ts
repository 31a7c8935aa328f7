// What a kind of check is, without input and output: a folder here, and a line in the registry. How it is made is in the prober.
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { Shown } from '#shared/contracts/subjects/checked-signal.ts'
import type { CheckField } from './check-field.ts'
import { isOfType } from './field-values.ts'
import type { TemplateParts } from './template-parts.ts'

/** Fault of an answer: the key of its field, and the end of the sentence `Field '<key>' …`. */
export interface Refused {
  key: string
  fault: string
}

export interface CheckUpgrade {
  /** The other Template, `key@version`, whose monitors have one stored check. */
  from: string
  /** Returns the answers to the fields of the kind that check and judge as the stored check does. Secrets are not sealed. */
  answers(check: StoredCheck): Record<string, unknown>
}

export interface FoundValue {
  name: string
  unit: string
  /** Set if the value is the time until something ends: what ends, for people, and the length of the value's unit, ms. */
  ends?: { what: string; unitMs: number }
}

export interface CheckTemplate {
  key: string
  version: number
  name: string
  summary: string
  /** Fields that the Template has after those of the kind. */
  fields?: readonly CheckField[]
  /** Set for a Template to which monitors of another one can be bound, without a way back. */
  upgrade?: CheckUpgrade
  /** Its signals and rules. Absent: its monitors have one stored check, which the built-in rule judges. */
  parts?: TemplateParts
}

export interface CheckKind {
  /** Word of the kind in stored checks and in check entries. */
  key: string
  /** Its name for people. */
  name: string
  /** What it watches, as the answer to `What do you want to watch?`. */
  watches: string
  /** One sentence: what it does. */
  help: string
  /** The number that a check finds, which results and charts show. */
  value: FoundValue
  /** Fields in the order in which they are asked for. Their keys differ from those of `watch-fields.ts`, and none is `kind`. */
  fields: readonly CheckField[]
  /** From where and how often it is made, and when it counts as down: `watchFields` of its usual interval. */
  watch: readonly CheckField[]
  /** Returns the answers that a target means as people type it; null: it means none. Absent: it answers the first field. */
  typed?(target: string): Record<string, unknown> | null
  /** Returns the first fault of answers that fit their fields but not each other; null: there is none. Absent: any answers fit. */
  refuse?(answers: Readonly<Record<string, unknown>>): Refused | null
  /** Set for a kind that new monitors should not have, because another one does more. Its monitors go on. */
  isSuperseded?: true
  /** Set for a kind whose failed checks carry what the server answered (v3 5.10). */
  keepsAnswers?: true
  /** System Templates of monitors of this kind. They have its `fields` and `watch`. */
  templates: readonly CheckTemplate[]
  /** `check`: the answers, with the defaults of those that nobody gave. */
  shown(check: Readonly<Record<string, unknown>>): Shown
  /**
   * Returns where secret answers go and what guards them there, as one text: a stored secret is kept only while this stays. Absent: the kind
   * has no field of the type `secret`.
   */
  aim?(check: Readonly<Record<string, unknown>>): string
  /** Returns what a check entry holds of this kind, beside its `rev` and interval. An answer that is absent is its default. */
  entry(check: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** Whether a value of the bucket has what `entry` returns. It may have other members. */
  isEntry(value: Readonly<Record<string, unknown>>): boolean
}

/** Returns the form that check entries have unless their kind states another one: the answers as `options`. */
export const plainEntry = (key: string, fields: readonly CheckField[]): Pick<CheckKind, 'entry' | 'isEntry'> => ({
  entry: check => ({ kind: key, options: optionsOf(fields, check) }),
  isEntry: ({ options }) => typeof options === 'object' && options !== null && hasOptions(fields, { ...options }),
})

/** Returns the answers to the fields of a kind. A later field with its default is absent, as in checks that are older than it. */
export const optionsOf = (fields: readonly CheckField[], check: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(fields.filter(field => !isUsual(field, check[field.key])).map(({ key }) => [key, check[key]]))

const isUsual = ({ isLater, default: usual }: CheckField, answer: unknown): boolean =>
  isLater === true && (answer === undefined || JSON.stringify(answer) === JSON.stringify(usual))

/** Whether the values by key are of the types of their fields. Only a later field may be absent. */
export const hasOptions = (fields: readonly CheckField[], values: Readonly<Record<string, unknown>>): boolean =>
  fields.every(field => (values[field.key] === undefined ? field.isLater === true : isOfType(field, values[field.key])))
