// Channels whose far ends have fixed addresses, aimed at a server of the test.
import t from 'tap'
import type { Channel } from '#shared/channels/port.ts'
import { channelOf, registerChannel } from '#shared/channels/registry.ts'
import { slot } from '#shared/channels/slots.ts'

/** Registers a channel like this one, with the setting `server` in the place of `base`, and returns its type. */
export function aimed(type: string, base: string): string {
  const channel = channelOf(type)
  const server = { key: 'server', label: 'Server', help: 'Of the test.', type: 'url', mark: 'address', isRequired: true } as const
  const render: Channel['render'] = (...given) => {
    const made = channel.render(...given)
    const [address, ...rest] = made?.url ?? []
    if (made === null || typeof address !== 'string') return made
    return { ...made, url: [slot('server', { as: 'base' }), address.slice(base.length), ...rest.filter(part => part !== '')] }
  }
  t.teardown(registerChannel({ ...channel, type: `aimed-${type}`, fields: [...channel.fields, server], render }))
  return `aimed-${type}`
}
