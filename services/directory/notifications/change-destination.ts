// Change of some fields of a destination; the other fields stay. Reference: docs/reference/v3.md, 10.1.
import { channelOf } from '#shared/channels/registry.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { defaultDestination } from '#shared/notifications/choose-destinations.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import type { AskAnswerer } from '../context.ts'
import { announceDefault, clearOlderMarks, destinationsOf, newMark } from './destination-default.ts'
import {
  isFirstEnabled,
  placeOf,
  requireChannel,
  requireEnabledDefault,
  requireOpenable,
  requireUrl,
} from './destination-fields.ts'
import { type Known, readSettings, requireSecretsSentFor } from './destination-settings.ts'
import { viewOf } from './destinations.ts'
import { formerAfter } from './former-secrets.ts'
import { changeNamed, nameKey, requireFreeName, requireName } from './named.ts'

type Change = AskRequest<'change-destination'>

/** Throws `not_found`, `taken`, or `validation` with the name of the invalid field. Writes nothing if no field changes. */
export const changeDestination: AskAnswerer<'change-destination'> = async ({ store, clock, bus }, request) => {
  const { workspaceId, id, name, url, channel } = request
  if (name !== undefined) {
    requireName('destinations', name, limits.destination.nameCharacters)
    await requireFreeName(store, 'destinations', workspaceId, name, id)
  }
  if (url !== undefined) requireUrl(url)
  if (channel !== undefined) requireChannel(channel)
  const all = await destinationsOf(store, workspaceId)
  const isDefault = defaultDestination(all)?.id === id
  const others = all.filter(other => other.id !== id)
  const at = clock.now()
  let hasMoved = false
  const stored = await changeNamed(store, 'destinations', request, present => {
    const changed = { ...present, ...membersOf(present, request, all, at) }
    requireOpenable(changed.type, changed.sendOnOpen)
    requireEnabledDefault(request.default === true, changed.enabled)
    const isFirst = changed.enabled && !present.enabled && isFirstEnabled(others)
    hasMoved = !isDefault && (request.default === true || isFirst)
    if (!hasMoved && isSame(present, changed)) return null
    return { ...changed, ...(hasMoved ? newMark(all, at) : {}), updatedAt: at }
  })
  if (hasMoved) await clearOlderMarks(store, workspaceId)
  announceDefault(bus, stored)
  return viewOf(store, stored)
}

function membersOf(present: DestinationDocument, sent: Change, known: Known, at: number) {
  const { name, url, channel, enabled, sendOnOpen, settings } = sent
  const type = channelOf(present.type)
  const changed = settings === undefined ? undefined : readSettings(type, settings, present.settings ?? {}, known)
  if (url !== undefined) requireSecretsSentFor(type, { present, url, sent: settings ?? {}, settings: changed })
  return {
    name: name ?? present.name,
    nameKey: nameKey(name ?? present.name),
    ...placeOf(present.type, { url: url ?? present.url, channel: channel ?? present.channel }),
    ...(present.settings === undefined && Object.keys(changed ?? {}).length === 0
      ? {}
      : { settings: changed ?? present.settings }),
    ...(changed === undefined ? {} : formerAfter(type, present, changed, at)),
    enabled: enabled ?? present.enabled,
    sendOnOpen: sendOnOpen ?? present.sendOnOpen,
  }
}

const isSame = (one: DestinationDocument, other: DestinationDocument): boolean =>
  (['name', 'url', 'channel', 'enabled', 'sendOnOpen', 'settings'] as const).every(member =>
    isSameValue(one[member], other[member]),
  )
