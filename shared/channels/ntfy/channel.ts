// Channel of ntfy: a topic that telephones are subscribed to. Written by ntfy's documents.
import { second } from '#shared/limits/limits.ts'
import { readWith } from '../answered.ts'
import { digestField } from '../fields.ts'
import { fitted } from '../message/fitted.ts'
import { linesOf, type MessageLines, type Tone } from '../message/lines.ts'
import { plainText } from '../message/neutral.ts'
import { acknowledgeWord, bytes } from '../message/said.ts'
import type { Channel, RenderedRequest, Settings } from '../port.ts'
import { requestOf } from '../posted.ts'
import { slot } from '../slots.ts'

/** The whole message has at most 4,096 bytes. */
const room = { title: 200, most: 3_500 } as const
const goodPriority = 3

const tags: Record<Tone, string> = {
  bad: 'rotating_light',
  unsure: 'warning',
  good: 'white_check_mark',
  calm: 'information_source',
}

const refused = 'ntfy refuses this token or topic.'

const authorization = ({ token, user }: Settings) =>
  token !== undefined
    ? { authorization: ['Bearer ', slot('token')] }
    : user === undefined
      ? {}
      : { authorization: ['Basic ', slot('user', { password: 'password' })] }

/** Takes the message about an incident away from the telephones. Servers before 2.16 do not know it. */
const cleared = (incident: string, settings: Settings): RenderedRequest => ({
  method: 'PUT',
  url: [slot('server', { as: 'base' }), '/', slot('topic', { as: 'part' }), `/${incident}/clear`],
  headers: authorization(settings),
  contentType: 'text/plain',
  body: '',
})

/** The application on the telephone sends the request itself. */
const acknowledging = ({ acknowledge: url }: MessageLines): object[] =>
  url === undefined
    ? []
    : [
        {
          ...{ action: 'http', label: acknowledgeWord, url, method: 'POST' },
          headers: { 'Content-Type': 'application/json' },
          body: '{"acknowledge":true}',
          clear: true,
        },
      ]

export const ntfy: Channel = {
  type: 'ntfy',
  name: 'ntfy',
  help: 'Pushes to telephones and desktops that are subscribed to a topic.',
  life: 'message',
  answers: 'delivered',
  fields: [
    {
      key: 'topic',
      label: 'Topic',
      help: 'Who knows it can read it: make it hard to guess.',
      type: 'string',
      mark: 'secret',
      isRequired: true,
      fits: text => /^[-\w]{1,64}$/.test(text),
      must: 'have 1 to 64 letters, digits, - or _',
    },
    {
      key: 'server',
      label: 'Server',
      help: 'Only for a server of your own.',
      type: 'url',
      mark: 'address',
      default: 'https://ntfy.sh',
    },
    { key: 'token', label: 'Access token', help: 'Of a topic that not everybody may use.', type: 'string', mark: 'secret' },
    { key: 'user', label: 'User', help: 'Instead of a token.', type: 'string', mark: 'secret' },
    { key: 'password', label: 'Password', help: 'Of the user.', type: 'string', mark: 'secret' },
    {
      key: 'priority',
      label: 'Priority',
      help: '1 to 5. Recoveries have 3 at most.',
      type: 'integer',
      mark: 'shape',
      min: 1,
      max: 5,
      default: 4,
    },
    digestField(true),
  ],
  refuse: ({ token, user, password }) => {
    if (token !== undefined && user !== undefined)
      return { key: 'user', fault: 'and token exclude each other: leave one of them out' }
    if ((user === undefined) === (password === undefined)) return null
    const key = user === undefined ? 'user' : 'password'
    return { key, fault: 'is required: a user and a password go together' }
  },
  spacing: [{ messages: 30, inMs: 5 * second, inTurn: true }],
  generations: [],
  isSigned: false,
  neutralise: plainText,
  render: (facts, event, settings, links) => {
    if (event === 'withdrawn') return cleared(facts.incident, settings)
    const said = fitted(linesOf(facts, links, plainText), {
      ...room,
      size: ({ title, lines, link, acknowledge = '' }) =>
        bytes([title, ...lines.map(({ text }) => text), link, link, acknowledge].join('\n')),
    })
    const priority = Number(settings['priority'])
    return requestOf(
      { url: [slot('server', { as: 'base' }), '/'], headers: authorization(settings) },
      {
        topic: slot('topic'),
        title: said.title,
        message: said.lines.map(({ text }) => text).join('\n'),
        priority: said.tone === 'good' || said.tone === 'calm' ? Math.min(goodPriority, priority) : priority,
        tags: [tags[said.tone]],
        click: said.link,
        actions: [{ action: 'view', label: 'View timeline', url: said.link }, ...acknowledging(said)],
        sequence_id: facts.incident,
      },
    )
  },
  read: readWith({ 401: refused, 403: refused }),
  tested: 'ntfy took the test. Look whether a device is subscribed.',
}
