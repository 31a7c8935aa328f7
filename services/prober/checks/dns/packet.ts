// Questions to name servers and their answers, as bytes. Pure.
import { randomInt } from 'node:crypto'
import { type Answer, decode, encode, RECURSION_DESIRED } from 'dns-packet'
import type { RecordType } from '#shared/checks/dns/fields.ts'
import type { DnsAnswer } from '#shared/checks/dns/judge.ts'
import { recordForm } from '#shared/checks/dns/record-form.ts'

/** Longest message that is read, bytes. */
const messageBytes = 4_096
/** Largest number of records of an answer that is read. */
const recordsMost = 64
/** Longest answer by UDP that the server is asked for, bytes: networks pass it in one piece (dnsflagday.net/2020). */
const extension = { udpPayloadSize: 1_232, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }
const headerBytes = 12

export interface Question {
  /** In ASCII and lower case, without a last dot. */
  name: string
  record: RecordType
  bytes: Buffer
}

export function createQuestion(name: string, record: RecordType): Question {
  const bytes = encode({
    id: randomInt(0x1_0000),
    flags: RECURSION_DESIRED,
    questions: [{ type: record, name }],
    additionals: [{ type: 'OPT', name: '.', ...extension }],
  })
  return { name, record, bytes }
}

/** Whether a message is an answer with the id and the question. Upper case in its name makes no difference. */
export function isAnswerTo({ name, bytes }: Question, message: Buffer): boolean {
  // The name has a length before each label and a zero after the last one; type and class follow.
  const end = headerBytes + name.length + 2 + 4
  if (message.length < end || message.length > messageBytes) return false
  const [sent, got] = [bytes, message].map(from => from.toString('latin1', headerBytes, end).toLowerCase())
  const [isAnswer, questions] = [message.readUInt16BE(2) >= 0x8000, message.readUInt16BE(4)]
  return isAnswer && questions === 1 && message.readUInt16BE() === bytes.readUInt16BE() && got === sent
}

/** Whether an answer says that it was too long for its way. */
export const isTruncated = (message: Buffer): boolean => (message.readUInt16BE(2) & 0x200) !== 0

/** Reads an answer to the question, without the records beside it. Null: it cannot be read, or has too many records. */
export function readAnswer({ name, record }: Question, message: Buffer): DnsAnswer | null {
  if (message.readUInt16BE(6) > recordsMost) return null
  const alone = Buffer.from(message)
  // Numbers of the records of authorities, and of further ones.
  alone.writeUInt32BE(0, 8)
  try {
    const { answers = [], ...head } = decode(alone)
    // The library reads some records over the end.
    if (decode.bytes > alone.length) return null
    const records = recordsOf(answers, name, record).map(answer => recordForm(record, textOf(answer, record)))
    return { rcode: (head as unknown as { rcode: string }).rcode, records }
  } catch {
    return null
  }
}

/** Returns the records of a name. Follows its CNAME, and the CNAME of that name, as far as the answer has them. */
function recordsOf(answers: readonly Answer[], name: string, record: RecordType): Answer[] {
  let at = name
  for (const _ of [null, ...answers]) {
    const here = answers.filter(answer => answer.name.toLowerCase() === at)
    const found = here.filter(answer => answer.type === record)
    const alias = here.find(answer => answer.type === 'CNAME')
    if (found.length > 0 || alias?.type !== 'CNAME') return found
    at = alias.data.toLowerCase()
  }
  return []
}

/** Parts of the records that have several, in their order. */
const parts: Partial<Record<RecordType, readonly string[]>> = {
  CAA: ['flags', 'tag', 'value'],
  MX: ['preference', 'exchange'],
  SOA: ['mname', 'serial'],
  SRV: ['priority', 'weight', 'port', 'target'],
}

function textOf(answer: Answer, record: RecordType): string {
  const data: unknown = 'data' in answer ? answer.data : ''
  // The strings of a TXT record are one text.
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return parts[record]?.map(part => String((data as Record<string, unknown>)[part])).join(' ') ?? String(data)
}

/** Returns a message as TCP has it, with its length before it (RFC 1035, 4.2.2). */
export const framed = (message: Buffer): Buffer =>
  Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message])

/** Returns the first message of what TCP has brought; null: more must come. */
export function unframed(received: Buffer): Buffer | null {
  if (received.length < 2) return null
  const end = 2 + received.readUInt16BE()
  return received.length < end ? null : received.subarray(2, end)
}
