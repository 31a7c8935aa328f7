// Channel of Gotify: a server of your own that pushes to telephones. Written by Gotify's documents.
import { second } from '#shared/limits/limits.ts'
import { readWith } from '../answered.ts'
import { digestField } from '../fields.ts'
import { fitted } from '../message/fitted.ts'
import { linesOf } from '../message/lines.ts'
import { plainText } from '../message/neutral.ts'
import { textBelow } from '../message/said.ts'
import type { Channel } from '../port.ts'
import { requestOf } from '../posted.ts'
import { slot } from '../slots.ts'

const room = { title: 200, most: 4_000 } as const
const goodPriority = 4

const refused = 'Gotify refuses this token.'

export const gotify: Channel = {
  type: 'gotify',
  name: 'Gotify',
  help: 'Pushes to telephones by a Gotify server of your own.',
  life: 'none',
  answers: 'delivered',
  fields: [
    { key: 'server', label: 'Server', help: 'Its address.', type: 'url', mark: 'address', isRequired: true },
    {
      key: 'token',
      label: 'Token',
      help: 'Of an application, from the page Apps.',
      type: 'string',
      mark: 'secret',
      isRequired: true,
    },
    {
      key: 'priority',
      label: 'Priority',
      help: '0 to 10. Recoveries have 4 at most.',
      type: 'integer',
      mark: 'shape',
      min: 0,
      max: 10,
      default: 8,
    },
    digestField(true),
  ],
  spacing: [{ messages: 5, inMs: second }],
  generations: [],
  isSigned: false,
  neutralise: plainText,
  render: (facts, _event, settings, links) => {
    const said = fitted(linesOf(facts, links, plainText), { ...room, size: some => textBelow(some).length })
    const priority = Number(settings['priority'])
    return requestOf(
      { url: [slot('server', { as: 'base' }), '/message'], headers: { 'x-gotify-key': [slot('token')] } },
      {
        title: said.title,
        message: textBelow(said),
        priority: said.tone === 'good' || said.tone === 'calm' ? Math.min(goodPriority, priority) : priority,
        extras: { 'client::notification': { click: { url: said.link } } },
      },
    )
  },
  read: readWith({ 401: refused, 403: refused }),
  tested: 'Gotify took the test. Look whether a device is signed in.',
}
