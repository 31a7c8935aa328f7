// Channel of Twilio: text messages to telephones. Written by the documents of its Messages resource.
import { second } from '#shared/limits/limits.ts'
import { objectIn } from '../answered.ts'
import { digestField } from '../fields.ts'
import { fitted } from '../message/fitted.ts'
import { linesOf, type MessageLines } from '../message/lines.ts'
import { plainText } from '../message/neutral.ts'
import type { Channel } from '../port.ts'
import { formOf } from '../posted.ts'
import { readAnswer } from '../read-answer.ts'
import { formText, slot } from '../slots.ts'

/** Two or three parts of a text message. Twilio takes 1,600, and each part is paid. */
const textUnits = 300

const number = /^\+[1-9]\d{1,14}$/
const service = 'MG'

/** What a person can do about the codes of its errors. */
const sentences: Readonly<Record<string, string>> = {
  21211: 'This number cannot get messages.',
  21614: 'This number cannot get messages.',
  21610: 'This number unsubscribed.',
}

/** A text has room for one address: that by which the incident is taken on, if there is one. */
const textOf = ({ title, lines, link, acknowledge = link }: MessageLines): string =>
  [title, ...lines.map(({ text }) => text), acknowledge].join('\n')

export const twilio: Channel = {
  type: 'twilio',
  name: 'Twilio',
  help: 'Sends text messages to telephones.',
  life: 'none',
  answers: 'accepted',
  fields: [
    {
      key: 'account_sid',
      label: 'Account SID',
      help: 'From the first page of the console.',
      type: 'string',
      mark: 'address',
      isRequired: true,
      fits: text => /^AC[0-9a-f]{32}$/.test(text),
      must: 'be AC and 32 digits or letters from a to f',
    },
    {
      key: 'auth_token',
      label: 'Auth token',
      help: 'Beside the SID.',
      type: 'string',
      mark: 'secret',
      isRequired: true,
    },
    {
      key: 'from',
      label: 'From',
      help: 'A number of the account, such as +15005550006, or the SID of a messaging service, MG….',
      type: 'string',
      mark: 'address',
      isRequired: true,
      fits: text => number.test(text) || /^MG[0-9a-f]{32}$/.test(text),
      must: 'be a number such as +15005550006 or the SID of a messaging service',
    },
    {
      key: 'to',
      label: 'To',
      help: 'Number of the telephone, with + and the country. Another telephone is another destination.',
      type: 'string',
      mark: 'address',
      isRequired: true,
      isPersonal: true,
      fits: text => number.test(text),
      must: 'be a number such as +4915112345678',
    },
    digestField(true),
  ],
  spacing: [{ messages: 1, inMs: second }],
  generations: [],
  isSigned: false,
  neutralise: plainText,
  render: (facts, _event, _settings, links) => {
    const said = fitted(linesOf(facts, links, plainText), { most: textUnits, size: some => textOf(some).length })
    return formOf(
      {
        url: ['https://api.twilio.com/2010-04-01/Accounts/', slot('account_sid', { as: 'part' }), '/Messages.json'],
        headers: { authorization: ['Basic ', slot('account_sid', { password: 'auth_token' })] },
      },
      [
        ['To=', slot('to', { as: 'form' })],
        [slot('from', { as: 'form', names: { [service]: 'MessagingServiceSid', '': 'From' } })],
        [`Body=${formText(textOf(said))}`],
      ],
    )
  },
  read: answer => {
    const reading = readAnswer(answer)
    const sentence = sentences[String(objectIn(answer)['code'])]
    return reading.kind === 'failed' && sentence !== undefined ? { kind: 'failed', sentence, isOwn: true } : reading
  },
  tested: 'Twilio took it; delivery is not reported.',
}
