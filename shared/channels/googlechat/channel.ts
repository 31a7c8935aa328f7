// Channel of Google Chat: a webhook of a space. Written by Google's documents.
import { second } from '#shared/limits/limits.ts'
import { readWith } from '../answered.ts'
import { digestField } from '../fields.ts'
import { fitted } from '../message/fitted.ts'
import { linesOf } from '../message/lines.ts'
import { withoutMentions } from '../message/neutral.ts'
import { wholeText } from '../message/said.ts'
import type { Channel } from '../port.ts'
import { requestOf } from '../posted.ts'
import { slot } from '../slots.ts'

/** Google Chat takes 32,000 bytes, more than anybody reads. */
const textUnits = 4_000

export const googlechat: Channel = {
  type: 'googlechat',
  name: 'Google Chat',
  help: 'Posts to a space of Google Chat.',
  life: 'none',
  answers: 'delivered',
  fields: [
    {
      key: 'url',
      label: 'Webhook URL',
      help: 'From the menu of the space: Apps & integrations, Webhooks.',
      type: 'url',
      mark: 'secret',
      isRequired: true,
    },
    {
      key: 'threads',
      label: 'Threads',
      help: 'Messages about one incident are one thread.',
      type: 'boolean',
      mark: 'shape',
      default: true,
    },
    digestField(true),
  ],
  spacing: [{ messages: 1, inMs: second }],
  generations: [],
  isSigned: false,
  neutralise: withoutMentions,
  render: (facts, _event, { threads }, links) => {
    const said = fitted(linesOf(facts, links, withoutMentions), { most: textUnits, size: some => wholeText(some).length })
    const text = wholeText(said)
    if (threads !== true) return requestOf({ url: [slot('url')] }, { text })
    const query = { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' }
    return requestOf({ url: [slot('url', { query })] }, { text, thread: { threadKey: facts.incident } })
  },
  read: readWith({ 404: 'Google Chat deleted this webhook.' }),
}
