// Checks of a destination's fields, for every request that writes a destination. An error names the invalid field.
import type { DestinationDocument, DestinationType } from '#shared/contracts/notifications/destination.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { isHttpUrl } from '#shared/net/http-url.ts'
import { basicCredentials } from '#shared/net/url-credentials.ts'

const bounds = limits.destination

/** Returns a channel without the leading `#`; empty unless the type is Slack. */
export const channelOf = (type: DestinationType, channel: string): string => (type === 'slack' ? bareChannel(channel) : '')

export function requireUrl(url: string): void {
  if (!isHttpUrl(url, bounds.urlCharacters)) {
    const details = `The URL must be a valid http or https address of at most ${bounds.urlCharacters} characters`
    throw invalid('url', 'Invalid url', details)
  }
  if (basicCredentials(new URL(url)) !== null) {
    throw invalid('url', 'Invalid url', 'The URL must not carry a user name or a password')
  }
}

export function requireChannel(channel: string): void {
  if ([...bareChannel(channel)].length <= bounds.channelCharacters) return
  throw invalid('channel', 'Invalid channel', `A channel has at most ${bounds.channelCharacters} characters`)
}

/** Throws if `sendOnOpen` is true, but a destination of this type cannot receive messages about opened incidents. */
export function requireOpenable(type: DestinationType, sendOnOpen: boolean): void {
  if (!sendOnOpen || type === 'webhook') return
  throw invalid('send_on_open', 'Invalid send_on_open', 'Only a webhook can be told when an incident opens')
}

/** Throws if a disabled destination would become default. */
export function requireEnabledDefault(isMarked: boolean, enabled: boolean): void {
  if (!isMarked || enabled) return
  throw invalid('default', 'Destination is disabled', 'Only a destination that is switched on becomes default')
}

/** Returns true if a destination becomes the default when it is enabled, because no other destination is enabled or marked as default. */
export const isFirstEnabled = (others: readonly Pick<DestinationDocument, 'enabled' | 'default'>[]): boolean =>
  others.every(other => !other.enabled && !other.default)

const bareChannel = (channel: string): string => channel.replace(/^[#\s]+/, '').trimEnd()

const invalid = (field: string, message: string, details: string) => refusal('validation', message, details, field)
