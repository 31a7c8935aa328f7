// Field of a kind of check: everything that an API, a form, a file or a message must know about one setting, stated once. Data alone,
// because a browser loads it too.
import type { FieldType, TemplateField } from '#shared/contracts/resources/template.ts'
import type { Section } from './sections.ts'

export interface CheckField extends Omit<TemplateField, 'default' | 'options'> {
  default: string | number | boolean | readonly string[] | readonly number[] | null
  options: readonly string[]
  /** For people, of each option; absent: the options are shown as they are. */
  words?: Readonly<Record<string, string>>
  /** For people who fill in a form. A Template shows `help` instead. */
  hint?: string
  /** An answer, for people who have given none. */
  example?: string
  /** Section of a form in which the field stands. Absent: the form shows it first. */
  section?: Section
  /** Largest length of a text, or of each text of a list, in characters. */
  characters?: number
  /** Largest length of a text in UTF-8, bytes. */
  bytes?: number
  /** Least and largest number of items of a list. */
  items?: readonly [least: number, most: number]
  /** What the items of a list are, in the plural, for the sentence about an answer that is refused. Absent: it follows from the type. */
  itemWords?: string
  /** Least and largest number in a list of numbers. */
  each?: readonly [least: number, most: number]
  /** Form of a text (`text-forms.ts`). Absent: any text. */
  form?: TextForm
  /** Whether a text of the form, or each text of a list, is also as `must` states. Absent: every text is. Pure. */
  fits?: (text: string) => boolean
  /** End of the sentence `Field 'url' must …` for an answer that is refused. Absent: it follows from the bounds. */
  must?: string
  /** Set for a field that says what is watched: with another answer, earlier results tell nothing about it. */
  isTarget?: true
  /** Set for a secret that need not be one: a Template may also state it as a value, or read it from a field that is no secret. */
  mayBePlain?: true
  /**
   * Set for a field that stored checks may lack, because it is newer than they are, and that check entries lack if its answer is the default,
   * because a prober may have 50,000 of them. Both then have the default.
   */
  isLater?: true
}

/**
 * `lines`: a `string` that may have several lines, which older Templates have, or a secret that may. `endpoint`: a host, `host:port` or a
 * URL. `escaped`: stands for bytes. `certificates`: those of an authority, in PEM. `domain name`: a name that name servers are asked for. `name server`: address of one,
 * with or without a port.
 */
export type TextForm =
  | 'media type'
  | 'lines'
  | 'host'
  | 'host name'
  | 'endpoint'
  | 'escaped'
  | 'certificates'
  | 'domain name'
  | 'name server'

const usual = { help: '', required: false, default: null, options: [], min: null, max: null, secret: false } as const

/** Returns the field, with what is usual for everything that is not stated. */
export const checkField = <const F extends Partial<CheckField> & Pick<CheckField, 'key' | 'type' | 'label'>>(stated: F) =>
  ({ ...usual, ...stated }) as Unstated<F> & F

type Unstated<F> = Omit<CheckField, keyof F>

type ValueOf<F extends CheckField> = F extends { type: 'enum'; options: readonly (infer O)[] } ? O : Values[F['type']]

interface Values extends Record<FieldType, unknown> {
  string: string
  text: string
  secret: string
  url: string
  integer: number
  number: number
  boolean: boolean
  enum: string
  duration: number
  duration_seconds: number
  string_list: string[]
  integer_list: number[]
  location_list: string[]
}

/** Answers to fields, as they are stored. */
export type AnswersOf<Fields extends readonly CheckField[]> = {
  [F in Fields[number] as F extends { isLater: true } ? never : F['key']]: ValueOf<F>
} & { [F in Fields[number] as F extends { isLater: true } ? F['key'] : never]?: ValueOf<F> }
