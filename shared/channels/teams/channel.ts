// Channel of Microsoft Teams: a flow "When a Teams webhook request is received", which posts an Adaptive Card. Written by Microsoft's documents.
import { second } from '#shared/limits/limits.ts'
import { readWith } from '../answered.ts'
import { digestField } from '../fields.ts'
import { fitted } from '../message/fitted.ts'
import { linesOf, type MessageLines, type Tone } from '../message/lines.ts'
import { withoutCardMarks } from '../message/neutral.ts'
import { acknowledgeWord, bytes } from '../message/said.ts'
import type { Channel } from '../port.ts'
import { requestOf } from '../posted.ts'
import { slot } from '../slots.ts'

const room = { title: 256, most: 20_000 } as const

const colors: Record<Tone, string> = { bad: 'Attention', unsure: 'Warning', good: 'Good', calm: 'Accent' }

const gone = 'The flow is gone, or its address changed.'

const opening = (title: string, url: string) => ({ type: 'Action.OpenUrl', title, url })

const cardOf = ({ title, lines, link, acknowledge, tone }: MessageLines) => ({
  type: 'message',
  summary: title,
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        type: 'AdaptiveCard',
        version: '1.4',
        fallbackText: title,
        body: [
          { type: 'TextBlock', text: title, wrap: true, weight: 'Bolder', color: colors[tone] },
          ...lines.map(({ text }) => ({ type: 'TextBlock', text, wrap: true })),
        ],
        actions: [...(acknowledge === undefined ? [] : [opening(acknowledgeWord, acknowledge)]), opening('View timeline', link)],
      },
    },
  ],
})

export const teams: Channel = {
  type: 'teams',
  name: 'Microsoft Teams',
  help: 'Posts a card to a channel or a chat of Teams.',
  life: 'none',
  answers: 'accepted',
  fields: [
    {
      key: 'url',
      label: 'Address of the flow',
      help: 'From the channel: Workflows, "Post to a channel when a webhook request is received".',
      type: 'url',
      mark: 'secret',
      isRequired: true,
    },
    digestField(true),
  ],
  spacing: [{ messages: 2, inMs: second }],
  generations: [],
  isSigned: false,
  neutralise: withoutCardMarks,
  render: (facts, _event, _settings, links) => {
    const said = linesOf(facts, links, withoutCardMarks)
    return requestOf({ url: [slot('url')] }, cardOf(fitted(said, { ...room, size: some => bytes(JSON.stringify(cardOf(some))) })))
  },
  read: readWith({ 401: gone, 403: gone, 404: gone }),
  tested: 'Teams took the test. Whether the flow posts it is not reported: look into the channel.',
}
