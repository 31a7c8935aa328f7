// Channel of e-mail. A mail server of the destination or of the installation takes the messages; services/notifier/send/send-mail.ts speaks to
// it.
import { second } from '#shared/limits/limits.ts'
import { isMailAddress } from '#shared/net/mail-address.ts'
import { parseMailServer } from '#shared/net/smtp-url.ts'
import { digestField } from '../fields.ts'
import { fitted } from '../message/fitted.ts'
import { linesOf } from '../message/lines.ts'
import { plainText } from '../message/neutral.ts'
import { bytes, textBelow } from '../message/said.ts'
import type { Channel } from '../port.ts'
import { readAnswer } from '../read-answer.ts'
import { slot } from '../slots.ts'
import { htmlOf } from './html.ts'

const room = { title: 200, most: 64 * 1_024 } as const

export const email: Channel = {
  type: 'email',
  name: 'E-mail',
  help: 'Sends a mail to one or several people.',
  life: 'none',
  answers: 'accepted',
  fields: [
    {
      key: 'to',
      label: 'To',
      help: 'Addresses of the people.',
      type: 'string_list',
      mark: 'address',
      isRequired: true,
      min: 1,
      max: 20,
      fits: isMailAddress,
      must: 'hold addresses such as ops@example.com',
    },
    {
      key: 'server',
      label: 'Mail server',
      help: 'Such as smtp://user:password@mail.example.com:587. Empty: that of the installation (SMTP_URL).',
      type: 'string',
      mark: 'secret',
      fits: text => parseMailServer(text) !== null,
      must: 'be an address such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com',
    },
    {
      key: 'from',
      label: 'From',
      help: 'The address of the sender. Empty: that of the installation (SMTP_FROM).',
      type: 'string',
      mark: 'address',
      fits: isMailAddress,
      must: 'be an address such as watch@example.com',
    },
    digestField(true),
  ],
  refuse: ({ server, from }) =>
    server !== undefined && from === undefined ? { key: 'from', fault: 'is required with a server of its own' } : null,
  spacing: [{ messages: 10, inMs: second }],
  generations: [],
  isSigned: false,
  neutralise: plainText,
  render: (facts, _event, _settings, links) => {
    const said = fitted(linesOf(facts, links, plainText), { ...room, size: some => bytes(textBelow(some)) })
    return {
      ...{ method: 'POST', url: [slot('server')], headers: {}, contentType: 'text/plain' },
      body: `${said.title}\n\n${textBelow(said)}\n`,
      mail: { subject: said.title, html: htmlOf(said), incident: facts.incident },
    }
  },
  read: readAnswer,
  tested: 'The mail server took the test.',
}
