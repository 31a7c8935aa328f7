// Alerts that stay open elsewhere end with the secret, and at the place, with which they were opened, also if the settings have changed since
// (v3 10.20). Only hashes of secrets are stored with a delivery. Pure, except for `readOpenings`.
import { createHmac } from 'node:crypto'
import type { Channel, ChannelField } from '#shared/channels/port.ts'
import { findChannel, staysOpen } from '#shared/channels/registry.ts'
import { settingsOf } from '#shared/channels/settings.ts'
import type { DeliveryDocument, OpenedWith } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument, SettingValue } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { isOfEnd } from '#shared/notifications/choose-destinations.ts'
import { mayBeOpenThere } from '#shared/notifications/told-in.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'

type Place = Pick<DeliveryDocument, 'incidentId' | 'destinationId'>

/** Returns the settings of a destination that say at which service something is opened. */
export function placeIn(destination: DestinationDocument): OpenedWith['place'] {
  const channel = findChannel(destination.type)
  return channel === null ? {} : valuesOf(channel, destination, ({ isPlace }) => isPlace === true)
}

/** Returns the delivery of a message that opens something, with hashes of the secrets that its next attempt uses. */
export function withSecretHashes(document: DeliveryDocument, destination: DestinationDocument, salt: string): DeliveryDocument {
  const channel = findChannel(destination.type)
  if (document.opens !== true || channel === null) return document
  const secrets = Object.fromEntries(
    Object.entries(valuesOf(channel, destination, isSecret)).map(([key, value]) => [
      key,
      hashOf(salt, destination.id, key, value),
    ]),
  )
  return { ...document, openedWith: { place: document.openedWith?.place ?? {}, secrets } }
}

/** Returns the destination as it was where the alert was opened. */
export const atPlaceOf = (destination: DestinationDocument, opened: OpenedWith | undefined): DestinationDocument =>
  opened === undefined ? destination : { ...destination, settings: { ...destination.settings, ...opened.place } }

/**
 * Returns the destination with the secrets that opened the alert, if they are known at `at` (ms since the epoch); the present ones stand for
 * all others.
 */
export function withFormerSecrets(
  destination: DestinationDocument,
  opened: OpenedWith | undefined,
  { salt, at }: { salt: string; at: number },
): DestinationDocument {
  const { id, settings = {}, former = [] } = destination
  const used = Object.entries(opened?.secrets ?? {}).flatMap(([key, hash]) => {
    const isUsed = (value: SettingValue | undefined) => value !== undefined && hashOf(salt, id, key, value) === hash
    if (isUsed(settings[key])) return []
    const found = former.find(one => one.key === key && one.until > at && isUsed(one.value))
    return found === undefined ? [] : [[key, found.value] as const]
  })
  return used.length === 0 ? destination : { ...destination, settings: { ...settings, ...Object.fromEntries(used) } }
}

/** Returns a function that returns how the alert of an incident was opened at a destination; undefined: unknown. Rejects with a StoreError. */
export async function readOpenings(store: Store, places: readonly Place[]): Promise<(place: Place) => OpenedWith | undefined> {
  if (places.length === 0) return () => undefined
  const query: Query = {
    where: {
      incidentId: { in: [...new Set(places.map(({ incidentId }) => incidentId))] },
      destinationId: { in: [...new Set(places.map(({ destinationId }) => destinationId))] },
      alertKind: { in: ['problem', 'no_data'] },
    },
    sort: [['number', 'asc']],
    limit: limits.notifier.batch,
  }
  const opened = new Map<string, OpenedWith>()
  for await (const page of pagesOf(query, next => store.find('deliveries', next)))
    for (const one of page)
      if (one.openedWith !== undefined && mayBeOpenThere(one))
        opened.set(`${one.incidentId} ${one.destinationId}`, one.openedWith)
  return ({ incidentId, destinationId }) => opened.get(`${incidentId} ${destinationId}`)
}

/** Whether a message of this kind to the destination changes or ends what an earlier one opened. */
export const endsOpened = (kind: DeliveryDocument['alertKind'], { type }: Pick<DestinationDocument, 'type'>): boolean =>
  isOfEnd(kind) && staysOpen(type)

const isSecret = ({ mark }: ChannelField): boolean => mark === 'secret'

function valuesOf(channel: Channel, destination: DestinationDocument, isWanted: (field: ChannelField) => boolean) {
  const wanted = new Set(channel.fields.filter(isWanted).map(({ key }) => key))
  return Object.fromEntries(Object.entries(settingsOf(channel, destination)).filter(([key]) => wanted.has(key)))
}

/** The salt is not in the store, so that a stolen store helps nobody who tries secrets. */
const hashOf = (salt: string, destinationId: string, key: string, value: SettingValue): string =>
  createHmac('sha256', salt)
    .update(`${destinationId}:${key}:${JSON.stringify(value)}`)
    .digest('base64url')
