// Channel of Pushover: pushes to the telephones of a person or a group. Written by Pushover's documents.
import { second } from '#shared/limits/limits.ts'
import { objectIn } from '../answered.ts'
import { digestField } from '../fields.ts'
import { fitted } from '../message/fitted.ts'
import { linesOf, type MessageLines } from '../message/lines.ts'
import { plainText } from '../message/neutral.ts'
import { acknowledgeLines } from '../message/said.ts'
import type { Channel } from '../port.ts'
import { requestOf } from '../posted.ts'
import { readAnswer } from '../read-answer.ts'
import { slot } from '../slots.ts'

const room = { title: 250, most: 1_024 } as const
/** Pushover asks for this pause after an error of its own. */
const pauseMs = 5 * second

const messageOf = (said: MessageLines): string => [...said.lines.map(({ text }) => text), ...acknowledgeLines(said)].join('\n')

export const pushover: Channel = {
  type: 'pushover',
  name: 'Pushover',
  help: 'Pushes to the telephones of a person or a group.',
  life: 'none',
  answers: 'delivered',
  fields: [
    {
      key: 'token',
      label: 'Application token',
      help: 'Of an application that you make at pushover.net.',
      type: 'string',
      mark: 'secret',
      isRequired: true,
    },
    {
      key: 'user',
      label: 'User or group key',
      help: 'From the first page of pushover.net.',
      type: 'string',
      mark: 'secret',
      isRequired: true,
    },
    { key: 'device', label: 'Device', help: 'Only this one.', type: 'string', mark: 'shape' },
    { key: 'sound', label: 'Sound', help: 'Its name.', type: 'string', mark: 'shape' },
    {
      key: 'priority',
      label: 'Priority',
      help: 'A high one sounds in quiet hours, too. Recoveries are normal.',
      type: 'enum',
      mark: 'shape',
      options: ['normal', 'high'],
      default: 'high',
    },
    digestField(true),
  ],
  spacing: [{ messages: 1, inMs: second }],
  generations: [],
  isSigned: false,
  neutralise: plainText,
  render: (facts, _event, { device, sound, priority }, links) => {
    const said = fitted(linesOf(facts, links, plainText), {
      ...room,
      size: some => [...messageOf(some)].length,
    })
    const isHigh = priority === 'high' && (said.tone === 'bad' || said.tone === 'unsure')
    return requestOf(
      { url: ['https://api.pushover.net/1/messages.json'] },
      {
        token: slot('token'),
        user: slot('user'),
        ...(device === undefined ? {} : { device }),
        ...(sound === undefined ? {} : { sound }),
        title: said.title,
        // An empty message is refused.
        message: messageOf(said) || said.title,
        priority: isHigh ? 1 : 0,
        url: said.link,
        url_title: 'View timeline',
        timestamp: Math.floor(facts.alert.decidedAt / second),
      },
    )
  },
  read: answer => {
    if (answer.status >= 500) return { kind: 'again', afterMs: pauseMs }
    const { errors } = objectIn(answer)
    const [first] = Array.isArray(errors) ? errors : []
    const reading = readAnswer(answer)
    return reading.kind === 'failed' && typeof first === 'string' ? { ...reading, sentence: `Pushover says: ${first}.` } : reading
  },
}
