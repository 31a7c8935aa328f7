// Types of destinations as the API lists them, with the members of a request that the fields of a form make.
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { askV3 } from '../data/api.ts'

export interface ListedField {
  key: string
  label: string
  help: string
  type: 'string' | 'url' | 'integer' | 'boolean' | 'enum' | 'string_list'
  secret: boolean
  default: unknown
  options: readonly string[]
  /** True: a member of the destination itself, not of its `settings`. */
  top?: true
}

export interface ListedChannel {
  type: string
  name: string
  fields: readonly ListedField[]
}

export const readChannels = (): Promise<readonly ListedChannel[]> => askV3<readonly ListedChannel[]>('GET', '/channels')

/** Returns the name of a field in a form, as refusals name it. */
export const nameOf = ({ key, top }: ListedField): string => (top ? key : `settings.${key}`)

/** Returns the present value of a field as a form shows it; empty for a secret. */
export function shownValue(field: ListedField, present: SentDestination | undefined): string {
  if (field.secret) return ''
  const members = (field.top ? present : present?.settings) as Readonly<Record<string, unknown>> | undefined
  return String(members?.[field.key] ?? field.default ?? '')
}

/** Returns the members of a request. A secret that is empty is left out of a change, so that the stored one stays. */
export function membersOf(fields: readonly ListedField[], values: FormData, isNew: boolean): object {
  const sent = fields
    .filter(field => isNew || !field.secret || textOf(field, values) !== '')
    .map(field => [field, sentValue(field, values)] as const)
    .filter(([{ top }, value]) => top || !isNew || value !== null)
  const own = sent.filter(([{ top }]) => !top).map(([{ key }, value]) => [key, value])
  return {
    ...Object.fromEntries(sent.filter(([{ top }]) => top).map(([{ key }, value]) => [key, value ?? ''])),
    ...(own.length === 0 ? {} : { settings: Object.fromEntries(own) }),
  }
}

const textOf = (field: ListedField, values: FormData): string => String(values.get(nameOf(field)) ?? '').trim()

/** Returns null for an empty field: its default applies. A text that is no number is sent as it is, and the API says so. */
function sentValue(field: ListedField, values: FormData): unknown {
  const text = textOf(field, values)
  if (field.type === 'boolean') return values.has(nameOf(field))
  if (text === '') return null
  if (field.type === 'string_list') return text.split(',').map(item => item.trim())
  return field.type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text
}
