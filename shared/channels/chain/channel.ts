// Channel of escalation: other destinations, one after the other while nobody takes an Incident. It sends nothing itself (v3 10.15).
import type { SettingStep } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Channel } from '../port.ts'
import { readAnswer } from '../read-answer.ts'

export const chain: Channel = {
  type: 'chain',
  name: 'Escalation chain',
  help: 'Notifies other destinations one after the other, until somebody takes the incident.',
  life: 'none',
  answers: 'delivered',
  fields: [
    {
      key: 'steps',
      label: 'Steps',
      help: 'Destinations by name, each with the minutes after which it hears of a problem that nobody has taken.',
      type: 'steps',
      mark: 'shape',
      isRequired: true,
      min: 1,
      max: limits.destination.steps,
    },
  ],
  generations: [],
  isSigned: false,
  neutralise: text => text,
  stepsOf: ({ steps }) => steps as readonly SettingStep[],
  render: () => null,
  read: readAnswer,
}
