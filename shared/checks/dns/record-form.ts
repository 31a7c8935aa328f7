// The one form in which records are compared and shown. Both records of answers and those that people expect are brought into it. Pure.
import { isIPv6, SocketAddress } from 'node:net'
import type { RecordType } from './fields.ts'

/** Returns the form of a record, or of a text that a person has typed as one: its parts with a blank between them. */
export function recordForm(record: RecordType, text: string): string {
  if (record === 'TXT') return text
  if (record === 'CAA') return text.trim().replace(/^(\d+)\s+(\w+)\s+"?(.*?)"?$/s, caaForm)
  return text.trim().split(/\s+/).map(partForm).join(' ')
}

/** The value may have been typed without quotes. */
const caaForm = (_: string, flags: string, tag: string, value: string): string =>
  `${partForm(flags)} ${tag.toLowerCase()} "${value}"`

/** Returns the form of a number, an address or a name. */
function partForm(part: string): string {
  if (/^\d+$/.test(part)) return String(Number(part))
  if (isIPv6(part)) return new SocketAddress({ address: part, family: 'ipv6' }).address
  return part.toLowerCase().replace(/(?<=.)\.$/, '')
}
