// Types of destinations as the API lists them, with the members of a request that the fields of a form make.
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { askV3 } from '../data/api.ts'
import { answersIn, type FieldAnswers, type FormField } from '../parts/form/field-values.ts'

export interface ListedField extends FormField {
  secret: boolean
  /** True: a member of the destination itself, not of its `settings`. */
  top?: true
}

export interface ListedChannel {
  type: string
  name: string
  /** `alert`: what is sent there stays open until it is ended. */
  life: 'none' | 'message' | 'alert'
  fields: readonly ListedField[]
}

/** Reads the types without their fields. */
export const readTypes = () => askV3<readonly ListedChannel[]>('GET', '/channels?form=short')

export async function readChannels(): Promise<readonly ListedChannel[]> {
  const listed = await askV3<readonly ListedChannel[]>('GET', '/channels')
  return listed.map(one => ({ ...one, fields: one.fields.map(field => ({ ...field, isWriteOnly: field.secret })) }))
}

/** Returns the name of a field's input, as refusals name the field. */
export const nameIn =
  (fields: readonly ListedField[]) =>
  (key: string): string =>
    fields.some(field => field.top && field.key === key) ? key : `settings.${key}`

/** Returns the present settings of a destination by the key of their field. */
export function settingsOf(fields: readonly ListedField[], present: SentDestination): FieldAnswers {
  const [own, top] = [present.settings ?? {}, present].map(members => new Map<string, unknown>(Object.entries(members)))
  return Object.fromEntries(fields.map(field => [field.key, (field.top ? top : own)?.get(field.key)]))
}

/**
 * Returns the members of a request. A secret without an input is left out, so that a stored one stays. So is one that is empty, unless a
 * stored one is replaced by it.
 */
export function membersOf(fields: readonly ListedField[], values: FormData, present: FieldAnswers = {}): object {
  const answers = new Map(Object.entries(answersIn(fields, values, nameIn(fields))))
  const stored = new Map(Object.entries(present))
  const isReplaced = (key: string) => Boolean(stored.get(key)) && values.has(nameIn(fields)(key))
  const sent = fields.filter(({ key, secret }) => !secret || answers.has(key) || isReplaced(key))
  const own = sent.filter(({ top }) => !top).map(({ key }) => [key, answers.get(key) ?? null])
  return {
    ...Object.fromEntries(sent.filter(({ top }) => top).map(({ key }) => [key, answers.get(key) ?? ''])),
    ...(own.length === 0 ? {} : { settings: Object.fromEntries(own) }),
  }
}
