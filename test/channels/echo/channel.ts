// Channel `echo` for tests: an address and secrets among its settings, headers of its own, PUT, and a reading of its own.
import type { Channel } from '#shared/channels/port.ts'
import { readAnswer } from '#shared/channels/read-answer.ts'
import { slot } from '#shared/channels/slots.ts'

export const echo: Channel = {
  type: 'echo',
  name: 'Echo',
  help: 'Repeats what it hears.',
  life: 'none',
  answers: 'delivered',
  fields: [
    { key: 'server', label: 'Server', help: 'Where it listens.', type: 'url', mark: 'address', isRequired: true },
    { key: 'token', label: 'Token', help: 'From its page of tokens.', type: 'string', mark: 'secret', isRequired: true, max: 40 },
    { key: 'room', label: 'Room', help: 'Who hears it.', type: 'string', mark: 'shape', default: 'lobby' },
    { key: 'loudness', label: 'Loudness', help: 'From 1 to 5.', type: 'integer', mark: 'shape', min: 1, max: 5, default: 3 },
    { key: 'mood', label: 'Mood', help: 'Its voice.', type: 'enum', mark: 'shape', options: ['glad', 'grave'], default: 'grave' },
    { key: 'twice', label: 'Twice', help: 'Says it again.', type: 'boolean', mark: 'shape', default: false },
    { key: 'names', label: 'Names', help: 'Who is called.', type: 'string_list', mark: 'shape', max: 3 },
  ],
  generations: [],
  isSigned: false,
  neutralise: text => text.toUpperCase(),
  render: ({ alert, incident }, event, settings, links) => ({
    method: 'PUT',
    url: [slot('server'), `/rooms/${settings['room']}`],
    headers: { authorization: ['Bearer ', slot('token')] },
    contentType: 'application/json',
    body: JSON.stringify({ event, about: alert.facts.subjectName.toUpperCase(), incident, settings, link: links.subject }),
  }),
  read: answer => (answer.status === 418 ? { kind: 'again', afterMs: 100 } : readAnswer(answer)),
}
