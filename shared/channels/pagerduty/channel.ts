// Channel of PagerDuty: incidents of a service, by its Events API v2. Written by PagerDuty's documents.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import { second } from '#shared/limits/limits.ts'
import { objectIn } from '../answered.ts'
import { fitted } from '../message/fitted.ts'
import { linesOf } from '../message/lines.ts'
import { plainText } from '../message/neutral.ts'
import { acknowledgeWord, bytes } from '../message/said.ts'
import { resourceKeyOf, subjectOf } from '../message/words.ts'
import type { Channel } from '../port.ts'
import { requestOf } from '../posted.ts'
import { readAnswer } from '../read-answer.ts'
import { slot } from '../slots.ts'

const hosts: Readonly<Record<string, string>> = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' }
/** A summary has at most 1,024 characters, a whole event 512 KB. */
const room = { title: 1_024, most: 16 * 1_024 } as const

export const pagerduty: Channel = {
  type: 'pagerduty',
  name: 'PagerDuty',
  help: 'Opens, acknowledges and resolves incidents of a service of PagerDuty.',
  life: 'alert',
  answers: 'accepted',
  fields: [
    {
      key: 'routing_key',
      label: 'Integration key',
      help: 'Of the service, from Integrations, Events API V2.',
      type: 'string',
      mark: 'secret',
      isRequired: true,
      min: 32,
      max: 32,
    },
    {
      key: 'region',
      label: 'Region',
      help: 'Of the account: eu if its address has eu in it.',
      type: 'enum',
      mark: 'shape',
      isPlace: true,
      options: ['us', 'eu'],
      default: 'us',
    },
  ],
  spacing: [{ messages: 2, inMs: second }],
  generations: [],
  isSigned: false,
  neutralise: plainText,
  render: (facts, event, { region }, links) => {
    const frame = { url: [`${hosts[String(region)] ?? hosts['us']}/v2/enqueue`] }
    const about = { routing_key: slot('routing_key'), dedup_key: facts.incident }
    if (event === 'acknowledged') return requestOf(frame, { ...about, event_action: 'acknowledge' })
    if (event === 'recovery' || event === 'withdrawn') return requestOf(frame, { ...about, event_action: 'resolve' })
    if (event === 'opened') return null
    const { alert } = facts
    const said = fitted(linesOf(facts, links, plainText), { ...room, size: some => bytes(JSON.stringify(some)) })
    return requestOf(frame, {
      ...about,
      event_action: 'trigger',
      client: 'Watchkeeper',
      client_url: said.link,
      links: [
        { href: said.link, text: 'View timeline' },
        ...(said.acknowledge === undefined ? [] : [{ href: said.acknowledge, text: acknowledgeWord }]),
      ],
      payload: {
        summary: said.title,
        source: plainText(resourceKeyOf(alert)),
        severity: severityOf(alert),
        timestamp: new Date(alert.decidedAt).toISOString(),
        component: plainText(subjectOf(alert)),
        class: plainText(alert.facts.ruleKey),
        custom_details: { details: said.lines.map(({ text }) => text).join('\n') },
      },
    })
  },
  read: answer => {
    const reading = readAnswer(answer)
    const { errors } = objectIn(answer)
    const [first] = Array.isArray(errors) ? errors : []
    return reading.kind === 'failed' && typeof first === 'string'
      ? { ...reading, sentence: `PagerDuty says: ${first}.` }
      : reading
  },
  tested: 'PagerDuty took a test alert and its end. Look whether both are listed.',
}

function severityOf({ kind, facts }: AlertDocument): 'critical' | 'warning' | 'info' {
  if (facts.isTest) return 'info'
  return kind === 'no_data' ? 'warning' : 'critical'
}
