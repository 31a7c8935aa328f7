// Slots: places of secrets and addresses in a rendered request. Pure.
import type { Slot, Slotted } from '#shared/contracts/notifications/delivery.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import type { Settings } from './port.ts'

export const slot = (key: string, form: Omit<Slot, 'slot'> = {}): Slot => ({ slot: key, ...form })

/** Returns the text with the values of its slots. The slot of an unset setting is empty. */
export const filled = (text: Slotted, values: Settings): string =>
  typeof text === 'string' ? text : text.map(part => (typeof part === 'string' ? part : valueIn(part, values))).join('')

/** Returns the text as the delivery log shows it. */
export const withoutValues = (text: Slotted): string =>
  typeof text === 'string' ? text : text.map(part => (typeof part === 'string' ? part : hidden)).join('')

function valueIn({ slot: key, as, password, query, names }: Slot, values: Settings): string {
  const value = String(values[key] ?? '')
  if (password !== undefined) return Buffer.from(`${value}:${values[password] ?? ''}`).toString('base64')
  if (query !== undefined) return withQuery(value, query)
  // Far ends may want a colon as it is, which a part may have.
  if (as === 'part') return encodeURIComponent(value).replaceAll('%3A', ':')
  if (as === 'base') return value.replace(/\/+$/, '')
  if (as === 'form') return `${nameFor(value, names)}${formText(value)}`
  return as === 'json' ? JSON.stringify(value).slice(1, -1) : value
}

/** Returns the texts as one, with the separator between them. */
export const joined = (texts: readonly Slotted[], separator: string): Slotted =>
  texts.flatMap((text, i) => [...(i === 0 ? [] : [separator]), ...(typeof text === 'string' ? [text] : text)])

/** Returns a text as a value of a form has it. */
export const formText = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)

/** Returns the name of a form's member with `=`; empty: the text before the slot has it. */
function nameFor(value: string, names: Slot['names']): string {
  const [, name] = Object.entries(names ?? {}).find(([beginning]) => value.startsWith(beginning)) ?? []
  return name === undefined ? '' : `${name}=`
}

/** Every other byte of the address stays, because far ends sign it. */
function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const added = new URLSearchParams(query).toString()
  if (added === '') return address
  const [base = '', fragment] = address.split('#', 2)
  const joined = `${base}${base.includes('?') ? (/[?&]$/.test(base) ? '' : '&') : '?'}${added}`
  return fragment === undefined ? joined : `${joined}#${fragment}`
}

/** Between these two, a JSON text has the number of a slot until it is cut into parts. Texts of a message lose them. */
const [opening, closing] = ['\ue000', '\ue001']

/** Returns a value as JSON. Slots in it, as values of members, become slots of the text. */
export function slottedJson(value: object): Slotted {
  const slots: Slot[] = []
  const json = JSON.stringify(value, (_key, member: unknown) => {
    if (isSlot(member)) return `${opening}${slots.push(member) - 1}${closing}`
    return typeof member === 'string' ? member.replace(/[\ue000\ue001]/g, '') : member
  })
  const parts = json
    .split(new RegExp(`${opening}(\\d+)${closing}`))
    .map((part, i) => (i % 2 === 0 ? part : { ...(slots[Number(part)] as Slot), as: 'json' as const }))
  return parts.length === 1 ? json : parts.filter(part => part !== '')
}

const isSlot = (value: unknown): value is Slot => typeof value === 'object' && value !== null && 'slot' in value
