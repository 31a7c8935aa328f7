// Channel of programs: any address that accepts a request with JSON.
import { acknowledgeField, urlField } from '../fields.ts'
import type { Channel, Settings } from '../port.ts'
import { carried } from '../posted.ts'
import { readAnswer } from '../read-answer.ts'
import { WebhookMessage } from './body-schema.ts'
import { framed, frameFields } from './frame.ts'
import { neutralise, render } from './render.ts'

export const webhook = {
  type: 'webhook',
  name: 'Webhook',
  help: 'Posts JSON to an address of yours, with the incident as data.',
  life: 'none',
  answers: 'delivered',
  fields: [
    urlField('The address to which messages are posted.'),
    {
      key: 'send_on_open',
      label: 'Also send when an incident opens',
      help: 'Before it is confirmed. Many such incidents close by themselves.',
      type: 'boolean',
      mark: 'shape',
      default: false,
      isTop: true,
    },
    ...frameFields,
    acknowledgeField,
  ],
  generations: [1, 2],
  isSigned: true,
  documented: { schema: WebhookMessage },
  neutralise,
  render,
  carry: (payload, settings: Settings = {}) => framed(carried(payload), settings),
  read: readAnswer,
} satisfies Channel
