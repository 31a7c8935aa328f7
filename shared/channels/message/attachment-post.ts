// Channels whose far end takes Slack's attachments, but reads Markdown and mentions in them.
import { second } from '#shared/limits/limits.ts'
import { objectIn, readWith } from '../answered.ts'
import { digestField } from '../fields.ts'
import type { Channel } from '../port.ts'
import { requestOf } from '../posted.ts'
import { slot } from '../slots.ts'
import { colorOf } from './attachments.ts'
import { fitted } from './fitted.ts'
import { linesOf } from './lines.ts'
import { withoutMarkdownOrMentions } from './neutral.ts'
import { textBelow } from './said.ts'

interface Service extends Pick<Channel, 'type' | 'name' | 'help'> {
  /** Where the address is found. */
  from: string
  textUnits: number
  perSecond: number
}

const titleCharacters = 256

export function postsAttachments({ type, name, help, from, textUnits, perSecond }: Service): Channel {
  const refusals = readWith({ 404: `${name} deleted this webhook.` })
  return {
    ...{ type, name, help, life: 'none', answers: 'delivered' },
    fields: [
      { key: 'url', label: 'Webhook URL', help: from, type: 'url', mark: 'secret', isRequired: true },
      {
        key: 'channel',
        label: 'Channel',
        help: 'Only if it is another one than that of the webhook.',
        type: 'string',
        mark: 'shape',
      },
      digestField(true),
    ],
    spacing: [{ messages: perSecond, inMs: second }],
    generations: [],
    isSigned: false,
    neutralise: withoutMarkdownOrMentions,
    render: (facts, _event, { channel }, links) => {
      const room = {
        title: titleCharacters,
        most: textUnits,
        size: (some: Parameters<typeof textBelow>[0]) => textBelow(some).length,
      }
      const said = fitted(linesOf(facts, links, withoutMarkdownOrMentions), room)
      const attachment = { fallback: said.title, color: colorOf(facts), title: said.title, text: textBelow(said) }
      return requestOf({ url: [slot('url')] }, { ...(channel === undefined ? {} : { channel }), attachments: [attachment] })
    },
    read: answer =>
      objectIn(answer)['success'] === false ? { kind: 'failed', sentence: `${name} refuses the message.` } : refusals(answer),
  }
}
