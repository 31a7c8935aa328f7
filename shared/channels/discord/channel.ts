// Channel of Discord: a webhook of a channel. Written by Discord's documents.
import { second } from '#shared/limits/limits.ts'
import { objectIn, pausedFor, readWith } from '../answered.ts'
import { digestField } from '../fields.ts'
import { colorOf } from '../message/attachments.ts'
import { cutText, fitted } from '../message/fitted.ts'
import { linesOf } from '../message/lines.ts'
import { withoutMarkdown } from '../message/neutral.ts'
import { textBelow } from '../message/said.ts'
import type { Channel } from '../port.ts'
import { requestOf } from '../posted.ts'
import { slot } from '../slots.ts'

const room = { title: 256, most: 4_096 } as const

const refusals = readWith({
  401: 'Discord refuses this webhook address.',
  403: 'Discord refuses this webhook address.',
  404: 'Discord deleted this webhook.',
})

export const discord: Channel = {
  type: 'discord',
  name: 'Discord',
  help: 'Posts to a channel of Discord.',
  life: 'none',
  answers: 'delivered',
  fields: [
    {
      key: 'url',
      label: 'Webhook URL',
      help: 'From the settings of the channel: Integrations, Webhooks, Copy webhook URL.',
      type: 'url',
      mark: 'secret',
      isRequired: true,
    },
    {
      key: 'thread_id',
      label: 'Thread',
      help: 'Number of a thread of the channel.',
      type: 'string',
      mark: 'shape',
      fits: text => /^\d{1,20}$/.test(text),
      must: 'be a number',
    },
    digestField(true),
  ],
  spacing: [{ messages: 1, inMs: second }],
  generations: [],
  isSigned: false,
  neutralise: withoutMarkdown,
  render: (facts, _event, { thread_id: thread }, links) => {
    const said = fitted(linesOf(facts, links, withoutMarkdown), { ...room, size: some => textBelow(some).length })
    return requestOf(
      { url: [slot('url', { query: { wait: 'true', ...(thread === undefined ? {} : { thread_id: String(thread) }) } })] },
      {
        embeds: [
          {
            title: cutText(said.title, room.title),
            description: textBelow(said),
            color: Number.parseInt(colorOf(facts).slice(1), 16),
            timestamp: new Date(facts.alert.decidedAt).toISOString(),
            footer: { text: 'Watchkeeper' },
          },
        ],
        allowed_mentions: { parse: [] },
      },
    )
  },
  read: answer => (answer.status === 429 ? pausedFor(objectIn(answer)['retry_after'], answer) : refusals(answer)),
}
