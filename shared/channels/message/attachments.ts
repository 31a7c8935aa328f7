// Attachment of a message: title, colour and lines, as chat services with attachments show them. Pure. Rules: docs/notifications.md, and
// docs/reference/v3.md, 10.7.
import type { AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { MessageFacts, MessageLinks } from '../port.ts'
import {
  actionOf,
  durationLineOf,
  endLineOf,
  errorOf,
  explanationOf,
  extentOf,
  type Guard,
  reasonLinesOf,
  ruleLineOf,
  silenceLinesOf,
  testWords,
  titleOf,
} from './words.ts'

const productName = 'Watchkeeper'
/** Grey, the colour of neither a problem nor a recovery. */
const testColor = '#6b7280'

const colors: Record<AlertKind, string> = {
  opened: '#f0ad4e',
  problem: '#d50201',
  no_data: '#f0ad4e',
  recovery: '#2eb887',
  acknowledged: '#4f46e5',
}

/** `guard` makes text from outside safe for the far end. */
export const attachmentsOf = (facts: MessageFacts, links: MessageLinks, guard: Guard) => {
  const { alert } = facts
  return [
    {
      author_name: productName,
      title: titleOf(alert, guard),
      color: alert.facts.isTest ? testColor : colors[alert.kind],
      text: textLines(facts, links, guard).join('\n'),
      footer: productName,
      timestamp: Math.floor(alert.decidedAt / 1_000),
    },
  ]
}

/**
 * For a rule of a Template, the text shows the rule's readings and the reasons that senders gave. For any other rule, the text shows the
 * failing locations and the error.
 */
function textLines({ alert, locationName }: MessageFacts, links: MessageLinks, guard: Guard): string[] {
  const isOfTemplate = actionOf(alert) !== ''
  const about = isOfTemplate
    ? [quoted(explanationOf(alert), guard), ...reasonLinesOf(alert).map(guard), durationLineOf(alert, locationName, guard)]
    : [
        alert.facts.isTest ? testWords : '',
        extentOf(alert, id => guard(locationName(id))),
        alert.facts.isTest ? '' : quoted(errorOf(alert), guard),
        durationLineOf(alert, locationName, guard),
        guard(ruleLineOf(alert)),
        ...silenceLinesOf(alert),
      ]
  const lines = [...about, endLineOf(alert), `<${links.subject}|View timeline>`]
  return lines.filter(line => line !== '')
}

/** Returns the text in back-ticks. A back-tick inside the text would end the quotation, so an apostrophe replaces it. */
function quoted(text: string, guard: Guard): string {
  return text === '' ? '' : `\`${guard(text.replaceAll('`', "'"))}\``
}
