// What a kind of check is, without input and output: a folder here, and a line in the registry. How it is made is in the prober.
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { CheckField } from './check-field.ts'
import { isOfType } from './field-values.ts'

/** What a check watches, for people. Without secrets. */
export interface Shown {
  /** What is done, in one word, such as `GET`. */
  method: string
  /** To what it is done, such as an address without credentials. */
  target: string
  /** The target if it is an address that a person can open; else empty. */
  url: string
  /** Host of the target; null: it has none, or cannot be read. */
  host: string | null
}

/** Fault of an answer: the key of its field, and the end of the sentence `Field '<key>' …`. */
export interface Refused {
  key: string
  fault: string
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
  value: { name: string; unit: string }
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
  /** System Templates whose Resources have one check of this kind. They have its `fields` and `watch`. */
  templates: readonly { key: string; version: number; name: string; summary: string }[]
  shown(check: StoredCheck): Shown
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
