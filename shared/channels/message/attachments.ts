// Attachment of a message: title, colour and lines, as chat services with attachments show them. Pure. Rules: docs/notifications.md, and
// docs/reference/v3.md, 10.7.
import type { AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { MessageFacts, MessageLinks } from '../port.ts'
import { fitted } from './fitted.ts'
import { linesOf, type MessageLines } from './lines.ts'
import { acknowledgeWord, textBelow } from './said.ts'
import type { Guard } from './words.ts'

/** Slack shows longer texts only in part. */
const digestRoom = { most: 3_000, size: (some: MessageLines) => textBelow(some).length }
const productName = 'Watchkeeper'
/** Grey, the colour of neither a problem nor a recovery. */
const testColor = '#6b7280'

const colors: Record<AlertKind, string> = {
  opened: '#f0ad4e',
  problem: '#d50201',
  no_data: '#f0ad4e',
  recovery: '#2eb887',
  acknowledged: '#4f46e5',
  withdrawn: '#4f46e5',
}

export const colorOf = ({ alert }: MessageFacts): string => (alert.facts.isTest ? testColor : colors[alert.kind])

/** `guard` makes text from outside safe for the far end. */
export const attachmentsOf = (facts: MessageFacts, links: MessageLinks, guard: Guard) => {
  const said = linesOf(facts, links, guard, text => quoted(text, guard))
  const { title, lines, link, acknowledge } = facts.digest === undefined ? said : fitted(said, digestRoom)
  return [
    {
      author_name: productName,
      title,
      color: colorOf(facts),
      text: [...lines.map(({ text }) => text), `<${link}|View timeline>`, ...linked(acknowledge)].join('\n'),
      footer: productName,
      timestamp: Math.floor(facts.alert.decidedAt / 1_000),
    },
  ]
}

const linked = (acknowledge: string | undefined): string[] =>
  acknowledge === undefined ? [] : [`<${acknowledge}|${acknowledgeWord}>`]

/** Returns the text in back-ticks. A back-tick inside the text would end the quotation, so an apostrophe replaces it. */
const quoted = (text: string, guard: Guard): string => `\`${guard(text.replaceAll('`', "'"))}\``
