// Channel of Jira Service Management, and of Opsgenie, which has the same API: alerts of a team. Written by Atlassian's documents.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import { second } from '#shared/limits/limits.ts'
import { objectIn } from '../answered.ts'
import { fitted } from '../message/fitted.ts'
import { linesOf } from '../message/lines.ts'
import { plainText } from '../message/neutral.ts'
import { textBelow } from '../message/said.ts'
import { resourceKeyOf } from '../message/words.ts'
import type { Channel, Settings } from '../port.ts'
import { requestOf } from '../posted.ts'
import { readAnswer } from '../read-answer.ts'
import { slot } from '../slots.ts'

const bases = {
  jsm: 'https://api.atlassian.com/jsm/ops/integration',
  opsgenie: 'https://api.opsgenie.com',
  'opsgenie-eu': 'https://api.eu.opsgenie.com',
} as const
const present = Object.keys(bases)[0] ?? ''
const room = { title: 130, most: 15_000 } as const
const tagCharacters = 50
const source = 'Watchkeeper'
const priorities: readonly string[] = ['P1', 'P2', 'P3', 'P4', 'P5']
const usualPriority = 'P2'
/** Answers that say in `message` what is wrong with a request. */
const explained: readonly number[] = [401, 403, 422]

export const jsm: Channel = {
  type: 'jsm',
  name: 'Jira Service Management',
  help: 'Opens, acknowledges and closes alerts of a team, there or in Opsgenie.',
  life: 'alert',
  answers: 'accepted',
  fields: [
    {
      key: 'api_key',
      label: 'API key',
      help: 'Of an integration of the type API, from the operations of the team.',
      type: 'string',
      mark: 'secret',
      isRequired: true,
    },
    {
      key: 'base',
      label: 'Service',
      help: 'Opsgenie ends on 5 April 2027.',
      type: 'enum',
      mark: 'shape',
      isPlace: true,
      options: Object.keys(bases),
      default: present,
    },
    {
      key: 'priority',
      label: 'Priority',
      help: 'Of a problem. No data has P3 at most.',
      type: 'enum',
      mark: 'shape',
      options: priorities,
      default: usualPriority,
    },
    {
      key: 'tags',
      label: 'Tags',
      help: 'Of the alerts.',
      type: 'string_list',
      mark: 'shape',
      max: 20,
      fits: text => text.length <= tagCharacters,
      must: `hold texts of at most ${tagCharacters} characters`,
    },
  ],
  spacing: [{ messages: 2, inMs: second }],
  generations: [],
  isSigned: false,
  neutralise: plainText,
  render: (facts, event, settings, links) => {
    const { alert, incident: alias } = facts
    const base = Object.entries(bases).find(([key]) => key === settings['base'])?.[1] ?? bases.jsm
    const headers = { authorization: ['GenieKey ', slot('api_key')] }
    const said = fitted(linesOf(facts, links, plainText), { ...room, size: some => textBelow(some).length })
    if (event === 'opened') return null
    const change = { acknowledged: 'acknowledge', recovery: 'close', withdrawn: 'close' }[event as string]
    if (change !== undefined) {
      const url = [`${base}/v2/alerts/${encodeURIComponent(alias)}/${change}?identifierType=alias`]
      const by = plainText(alert.facts.acknowledgedBy ?? '')
      return requestOf({ url, headers }, { source, ...(by === '' ? {} : { user: by.slice(0, 100) }), note: said.title })
    }
    const { tags } = settings
    return requestOf(
      { url: [`${base}/v2/alerts`], headers },
      {
        message: said.title,
        alias,
        description: textBelow(said),
        ...(tags === undefined ? {} : { tags }),
        details: { rule: plainText(alert.facts.ruleKey), link: said.link },
        entity: plainText(resourceKeyOf(alert)),
        source,
        priority: priorityOf(alert, settings),
      },
    )
  },
  read: answer => {
    const isOfEnd = answer.event === 'acknowledged' || answer.event === 'recovery' || answer.event === 'withdrawn'
    // Nothing is open over there.
    if (answer.status === 404 && isOfEnd) return { kind: 'delivered' }
    const reading = readAnswer(answer)
    const { message } = objectIn(answer)
    const says = reading.kind === 'failed' && explained.includes(answer.status) && typeof message === 'string'
    return says ? { kind: 'failed', sentence: `It says: ${message}.` } : reading
  },
  tested: ({ base = present }) =>
    `Taken. Look whether the alert is listed.${base === present ? '' : ' Opsgenie ends on 5 April 2027.'}`,
}

function priorityOf({ kind, facts }: AlertDocument, { priority }: Settings): string {
  if (facts.isTest) return 'P5'
  // Higher figures are less urgent.
  return [String(priority), kind === 'no_data' ? 'P3' : 'P1'].toSorted().at(-1) ?? usualPriority
}
