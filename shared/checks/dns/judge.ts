// Judgement of a name server's answer, with its words. Pure.
import { cut } from '#shared/text/plain-text.ts'
import type { DnsAnswers } from './fields.ts'
import { recordForm } from './record-form.ts'

/** What a name server has answered. */
export interface DnsAnswer {
  /** Response code, such as `SERVFAIL`. */
  rcode: string
  /** Records of the asked type at the end of the chain of CNAMEs, in the form of `recordForm`. */
  records: readonly string[]
}

type Expectations = Pick<DnsAnswers, 'record' | 'rcode' | 'expected' | 'match'>

/** Reasons of checks that have no answer to judge. */
export const withoutAnswer = {
  noServer: 'the prober knows no name server',
  unreadable: 'answer cannot be read',
  silent: (server: string, ms: number) => `no answer from ${server} in ${ms / 1_000} s`,
} as const

/** Largest number of characters of an answer that a sentence quotes. */
const quotedCharacters = 60

/** Returns the first fault of an answer, as a sentence; null: it is as expected. The time is not judged here. */
export function judgeAnswer(options: Expectations, { rcode, records }: DnsAnswer): string | null {
  const { record } = options
  if (rcode !== options.rcode) return rcodeFault(options.rcode, rcode)
  if (rcode === 'NXDOMAIN') return null
  if (records.length === 0) return `no ${record} record`
  const expected = options.expected.map(text => recordForm(record, text))
  if (expected.length === 0 || fits(options.match, expected, records)) return null
  const list = expected.join(options.match === 'any' ? ' or ' : ' and ')
  return `${record} is ${quoted(records.join(' and '))}, expected ${options.match === 'exact' ? 'only ' : ''}${quoted(list)}`
}

const quoted = (text: string): string => cut(text, quotedCharacters)

function rcodeFault(expected: string, rcode: string): string {
  if (rcode === 'NXDOMAIN') return 'name does not exist'
  return `server answered ${rcode}${rcode === 'NOERROR' ? `, expected ${expected}` : ''}`
}

function fits(match: DnsAnswers['match'], expected: readonly string[], records: readonly string[]): boolean {
  if (match === 'any') return expected.some(text => records.includes(text))
  const areThere = expected.every(text => records.includes(text))
  return areThere && (match === 'all' || records.every(text => expected.includes(text)))
}
