// All channels. A channel is its folder, its import here, and its word in the list.

import { chain } from './chain/channel.ts'
import { discord } from './discord/channel.ts'
import { email } from './email/channel.ts'
import { googlechat } from './googlechat/channel.ts'
import { gotify } from './gotify/channel.ts'
import { jsm } from './jsm/channel.ts'
import { mattermost } from './mattermost/channel.ts'
import { ntfy } from './ntfy/channel.ts'
import { pagerduty } from './pagerduty/channel.ts'
import type { Channel } from './port.ts'
import { pushover } from './pushover/channel.ts'
import { rocketchat } from './rocketchat/channel.ts'
import { slack } from './slack/channel.ts'
import { teams } from './teams/channel.ts'
import { telegram } from './telegram/channel.ts'
import { twilio } from './twilio/channel.ts'
import { webhook } from './webhook/channel.ts'

const registered: Channel[] = [
  ...[slack, webhook],
  email,
  ...[telegram, discord, teams, mattermost, rocketchat, googlechat],
  ...[ntfy, gotify, pushover],
  ...[pagerduty, jsm],
  twilio,
  chain,
]

/** In the order in which people choose. Schemas of the API read it once, when they are loaded. */
export const channels: readonly Channel[] = registered

/** The channel for programs that have no channel of their own. The operator's messages go by it too. */
export const plainChannel = webhook

/** The channel of examples about a chat service. */
export const chatChannel = slack

/**
 * Adds a channel to this process, before schemas of the API are loaded, and returns a function that takes it away again. Production code never
 * calls it: tests do.
 */
export function registerChannel(channel: Channel): () => void {
  registered.push(channel)
  return () => void registered.splice(registered.indexOf(channel), 1)
}

/** Returns null for a type that this program does not know, such as one of a newer program that shares the store. */
export const findChannel = (type: string): Channel | null => channels.find(channel => channel.type === type) ?? null

/** Returns the channel of a type that was checked before. Throws for an unknown type. */
export function channelOf(type: string): Channel {
  const found = findChannel(type)
  if (found === null) throw new Error(`no channel has the type ${type}`)
  return found
}

export const channelTypes = (some: readonly Channel[] = channels): string[] => some.map(({ type }) => type)

/** Returns the channels that an earlier generation of the API knows. */
export const channelsOf = (generation: 1 | 2): Channel[] => channels.filter(({ generations }) => generations.includes(generation))

/** Whether generation 2 shows destinations of this type. */
export const isOfV2 = (type: string): boolean => findChannel(type)?.generations.includes(2) ?? false

/** Whether what is sent to destinations of this type stays open over there until it is ended. */
export const staysOpen = (type: string): boolean => findChannel(type)?.life === 'alert'

/** Whether a later message to destinations of this type changes an earlier one. */
export const changesMessages = (type: string): boolean => findChannel(type)?.life === 'message'

/** Whether destinations of this type get openings only if they have the setting `send_on_open`. */
export const asksForOpenings = (type: string): boolean => hasTopField(type, 'send_on_open')

export const hasTopField = (type: string, key: string): boolean =>
  findChannel(type)?.fields.some(field => field.isTop === true && field.key === key) ?? false
