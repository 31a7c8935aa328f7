// Channel of Telegram: a bot writes to a chat. Written by the Bot API's documents.
import { isObject } from '#shared/json-shape/is-object.ts'
import { minute, second } from '#shared/limits/limits.ts'
import { objectIn, pausedFor, readWith } from '../answered.ts'
import { digestField } from '../fields.ts'
import { fitted } from '../message/fitted.ts'
import { linesOf } from '../message/lines.ts'
import { withoutMentions } from '../message/neutral.ts'
import { wholeText } from '../message/said.ts'
import type { Channel } from '../port.ts'
import { requestOf } from '../posted.ts'
import { slot } from '../slots.ts'

const textUnits = 4_096

const everyChat = { messages: 1, inMs: second } as const
/** Groups and channels have negative ids. */
const everyGroup = { messages: 20, inMs: minute } as const

const refusals = readWith({
  401: 'Telegram does not know this bot token.',
  403: 'The bot may not write to this chat.',
  404: 'Telegram does not know this bot token.',
})

export const telegram: Channel = {
  type: 'telegram',
  name: 'Telegram',
  help: 'A bot writes to a person, a group or a channel.',
  life: 'none',
  answers: 'delivered',
  fields: [
    {
      key: 'token',
      label: 'Bot token',
      help: 'BotFather gives it when you make a bot.',
      type: 'string',
      mark: 'secret',
      isRequired: true,
    },
    {
      key: 'chat_id',
      label: 'Chat',
      help: 'Its number, such as -1001234567890, or @name of a public channel. The bot must be in it, or the person must have written to it.',
      type: 'string',
      mark: 'address',
      isRequired: true,
      fits: text => /^(-?\d{1,20}|@\w{1,64})$/.test(text),
      must: 'be a number or @name',
    },
    {
      key: 'thread_id',
      label: 'Topic',
      help: 'Number of a topic in a group with topics.',
      type: 'integer',
      mark: 'shape',
      min: 1,
    },
    { key: 'silent', label: 'Silent', help: 'Arrives without a sound.', type: 'boolean', mark: 'shape', default: false },
    {
      key: 'server',
      label: 'Server',
      help: 'Only for a Bot API server of your own.',
      type: 'url',
      mark: 'address',
      default: 'https://api.telegram.org',
    },
    digestField(true),
  ],
  spacing: ({ chat_id: chat }) => (String(chat).startsWith('-') ? [everyChat, everyGroup] : [everyChat]),
  generations: [],
  isSigned: false,
  neutralise: withoutMentions,
  render: (facts, _event, { thread_id: thread, silent }, links) => {
    const said = fitted(linesOf(facts, links, withoutMentions), { most: textUnits, size: some => wholeText(some).length })
    return requestOf(
      { url: [slot('server', { as: 'base' }), '/bot', slot('token', { as: 'part' }), '/sendMessage'] },
      {
        chat_id: slot('chat_id'),
        text: wholeText(said),
        entities: [{ type: 'bold', offset: 0, length: said.title.length }],
        link_preview_options: { is_disabled: true },
        ...(thread === undefined ? {} : { message_thread_id: thread }),
        ...(silent === true ? { disable_notification: true } : {}),
      },
    )
  },
  read: answer => {
    const { parameters, description = '' } = objectIn(answer)
    const { retry_after: pause, migrate_to_chat_id: moved } = isObject(parameters) ? parameters : {}
    if (answer.status === 429) return pausedFor(pause, answer)
    if (typeof moved === 'number') return { kind: 'moved', settings: { chat_id: String(moved) } }
    if (answer.status === 400 && /chat not found/i.test(String(description))) {
      return { kind: 'failed', sentence: 'Telegram does not know this chat, or the bot is not in it.' }
    }
    return refusals(answer)
  },
}
