// Checks of a destination's fields, for every request that writes a destination. An error names the invalid field.
import { asksForOpenings, channels, hasTopField } from '#shared/channels/registry.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { isHttpUrl } from '#shared/net/http-url.ts'
import { basicCredentials } from '#shared/net/url-credentials.ts'

const bounds = limits.destination

/** Returns the stored members that hold the type's address and channel; empty if the type has no such setting. */
export const placeOf = (type: string, { url, channel }: { url: string; channel: string }) => ({
  channel: hasTopField(type, 'channel') ? bareChannel(channel) : '',
  url: hasTopField(type, 'url') ? url : '',
})

export function requireUrl(url: string): void {
  const fault = faultOfUrl(url)
  if (fault !== null) throw invalid('url', 'Invalid url', fault)
}

/** Returns a sentence about an address to which no message can be sent; null: it is right. */
export function faultOfUrl(url: string): string | null {
  if (!isHttpUrl(url, bounds.urlCharacters)) {
    return `The URL must be a valid http or https address of at most ${bounds.urlCharacters} characters`
  }
  return basicCredentials(new URL(url)) === null ? null : 'The URL must not carry a user name or a password'
}

export function requireChannel(channel: string): void {
  if ([...bareChannel(channel)].length <= bounds.channelCharacters) return
  throw invalid('channel', 'Invalid channel', `A channel has at most ${bounds.channelCharacters} characters`)
}

/** Throws if `sendOnOpen` is true, but a destination of this type cannot receive messages about opened incidents. */
export function requireOpenable(type: string, sendOnOpen: boolean): void {
  if (!sendOnOpen || asksForOpenings(type)) return
  const names = channels.flatMap(channel => (asksForOpenings(channel.type) ? channel.name.toLowerCase() : []))
  throw invalid('send_on_open', 'Invalid send_on_open', `Only a ${names.join(' or a ')} can be told when an incident opens`)
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
