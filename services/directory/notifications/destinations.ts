// Notification destinations of a workspace (reference/messages 1). The URL is a secret: it is stored, returned to editors, never logged.
import { channelTypes, findChannel, hasTopField, isOfV2 } from '#shared/channels/registry.ts'
import { shownSettings } from '#shared/channels/settings.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { DestinationView } from '#shared/contracts/ask/ask-notifications.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { defaultDestination } from '#shared/notifications/choose-destinations.ts'
import type { Store } from '#shared/store/port.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { AskAnswerer } from '../context.ts'
import { bestEffort } from '../documents/best-effort.ts'
import { nextNumber } from '../documents/counters.ts'
import { pick } from '../documents/pick.ts'
import { sweepTables } from './delivery-tables.ts'
import { announceDefault, clearOlderMarks, destinationsOf, newMark } from './destination-default.ts'
import {
  isFirstEnabled,
  placeOf,
  requireChannel,
  requireEnabledDefault,
  requireOpenable,
  requireUrl,
} from './destination-fields.ts'
import { hasSettings, readSettings, settingsAfterMove } from './destination-settings.ts'
import { destinationsNaming, listed, usesOf } from './destination-uses.ts'
import { changeNamed, nameKey, nameTaken, numberNotFound, requireFreeName, requireName } from './named.ts'
import { findTransformation, transformationNumbers } from './transformations.ts'

type Fields = Pick<AskRequest<'create-destination'>, 'workspaceId' | 'name' | 'url' | 'channel' | 'transformationId'>

const bounds = limits.destination

/**
 * Creates a destination. The first enabled destination of a workspace becomes default. A retry with the same `id` returns the stored
 * destination.
 */
export const createDestination: AskAnswerer<'create-destination'> = async ({ store, clock, bus }, request) => {
  const { workspaceId, type, enabled = true, sendOnOpen = false } = request
  const id = request.id ?? randomId(idLength.destination)
  const channel = findChannel(type)
  if (channel === null) throw refusal('validation', 'Invalid type', `type must be one of ${channelTypes().join(', ')}`, 'type')
  await checkFields(store, request, id, type)
  const others = await destinationsOf(store, workspaceId)
  const settings = readSettings(channel, request.settings ?? {}, null, others)
  requireOpenable(type, sendOnOpen)
  requireEnabledDefault(request.default, enabled)
  const [repeated = null] = await store.get('destinations', [id])
  if (repeated?.workspaceId === workspaceId) return viewOf(store, repeated)
  if (others.length >= bounds.perWorkspace) throw tooMany()
  const at = clock.now()
  const isFirst = request.enabled === undefined ? others.length === 0 : enabled && isFirstEnabled(others)
  const document: DestinationDocument = {
    id,
    rev: 1,
    number: await nextNumber(store, 'destinations'),
    workspaceId,
    type,
    ...fieldsOf(request, type),
    ...(hasSettings(channel, settings) ? { settings } : {}),
    enabled,
    sendOnOpen,
    ...(request.default || isFirst ? newMark(others, at) : { default: false, defaultAt: null }),
    createdAt: at,
    updatedAt: at,
  }
  const [result] = await store.insert('destinations', [document])
  const stored = result === 'written' ? document : await storedBefore(store, id)
  if (stored.default) await clearOlderMarks(store, workspaceId)
  announceDefault(bus, stored)
  return viewOf(store, stored)
}

/** Returns the destinations of a workspace by name: all, or those that generation 2 shows. */
export const listDestinations: AskAnswerer<'list-destinations'> = async ({ store }, { workspaceId, generation }) => {
  const found = await destinationsOf(store, workspaceId)
  const defaultId = defaultDestination(found)?.id
  const known = found.some(({ transformationId }) => transformationId !== null)
    ? await transformationNumbers(store, workspaceId)
    : new Set<number>()
  const shown = generation === undefined ? found : found.filter(({ type }) => isOfV2(type))
  return shown.map(document => destinationView(document, defaultId, known))
}

/** Returns a destination that generation 2 shows; null: the workspace has none of this number. */
export const getDestination: AskAnswerer<'get-destination'> = async (context, { workspaceId, number }) =>
  (await listDestinations(context, { workspaceId, generation: 2 })).find(view => view.number === number) ?? null

/** Replaces all fields except the type. `default: false` does not remove the default mark. */
export const updateDestination: AskAnswerer<'update-destination'> = async ({ store, clock, bus }, request) => {
  await checkFields(store, request, request.id)
  const all = await destinationsOf(store, request.workspaceId)
  const moves = request.default && defaultDestination(all)?.id !== request.id
  const at = clock.now()
  const stored = await changeNamed(store, 'destinations', request, present => {
    if (request.default && !present.enabled) throw disabled()
    const kept = settingsAfterMove(present, request.url)
    return { ...present, ...fieldsOf(request, present.type), ...kept, ...(moves ? newMark(all, at) : {}), updatedAt: at }
  })
  if (moves) {
    await clearOlderMarks(store, request.workspaceId)
    announceDefault(bus, stored)
  }
  return viewOf(store, stored)
}

/** Enables or disables a destination. Its default mark and the delivery rows that select it stay. */
export const switchDestination: AskAnswerer<'switch-destination'> = async ({ store, clock, bus }, request) => {
  const stored = await changeNamed(store, 'destinations', request, present =>
    present.enabled === request.enabled ? null : { ...present, enabled: request.enabled, updatedAt: clock.now() },
  )
  announceDefault(bus, stored)
  return viewOf(store, stored)
}

export const makeDefaultDestination: AskAnswerer<'make-default-destination'> = async ({ store, clock, bus }, request) => {
  const all = await destinationsOf(store, request.workspaceId)
  const moves = defaultDestination(all)?.id !== request.id
  const stored = await changeNamed(store, 'destinations', request, present => {
    if (!present.enabled) throw disabled()
    return moves ? { ...present, ...newMark(all, clock.now()), updatedAt: clock.now() } : null
  })
  if (moves) {
    await clearOlderMarks(store, request.workspaceId)
    announceDefault(bus, stored)
  }
  return viewOf(store, stored)
}

/**
 * Deletes a destination in three steps. First disables it, so that it cannot become default meanwhile. Then clears older default marks, so
 * that no older default comes back. Then deletes the destination. Readers ignore its delivery rows, which are removed afterwards. Its
 * delivery log stays. Throws `validation` if another destination passes messages on to it, and with `unlessUsed` also if a rule names it.
 * What names it may still be made during the deletion. Its messages are then sent as if it did not name the destination.
 */
export const deleteDestination: AskAnswerer<'delete-destination'> = async ({ store, clock }, request) => {
  const { workspaceId, id } = request
  const [present = null] = await store.get('destinations', [id])
  if (present?.workspaceId !== workspaceId) return { wasDefault: null }
  await requireUnused(store, present, request.unlessUsed === true)
  await changeNamed(store, 'destinations', request, stored =>
    stored.enabled ? { ...stored, enabled: false, updatedAt: clock.now() } : null,
  )
  const wasDefault = defaultDestination(await destinationsOf(store, workspaceId))?.id === id
  if (wasDefault) await clearOlderMarks(store, workspaceId)
  await store.delete('destinations', [id])
  await bestEffort(sweepTables(store, workspaceId))
  return { wasDefault }
}

/**
 * Returns the destination if an earlier try of the same request stored it. Throws `taken` if no earlier try stored it: then another
 * destination has the name.
 */
async function storedBefore(store: Store, id: string): Promise<DestinationDocument> {
  const [present = null] = await store.get('destinations', [id])
  if (present) return present
  throw nameTaken('destinations')
}

async function checkFields(store: Store, request: Fields, id: string, type: string | null = null): Promise<void> {
  requireName('destinations', request.name, bounds.nameCharacters)
  if (type === null || hasTopField(type, 'url')) requireUrl(request.url)
  requireChannel(request.channel)
  await requireFreeName(store, 'destinations', request.workspaceId, request.name, id)
  const { workspaceId, transformationId } = request
  if (transformationId === null || (await findTransformation(store, workspaceId, transformationId))) return
  throw numberNotFound('transformations', transformationId)
}

const fieldsOf = (request: Fields, type: DestinationDocument['type']) => ({
  name: request.name,
  nameKey: nameKey(request.name),
  ...placeOf(type, request),
  transformationId: request.transformationId,
})

const disabled = () => refusal('invalid_state', 'Destination is disabled', 'Switch the destination on before it becomes default')
const tooMany = () => refusal('invalid_state', 'Too many destinations', `A workspace has at most ${bounds.perWorkspace}`)

/** Throws if another destination passes messages on to the destination. With `byRules`, throws also if a rule names it. */
async function requireUnused(store: Store, { workspaceId, id }: DestinationDocument, byRules: boolean): Promise<void> {
  const naming = destinationsNaming(await destinationsOf(store, workspaceId), id)
  const used_by = byRules ? await usesOf(store, workspaceId, id, naming) : listed(naming, naming.length)
  if (used_by === null) return
  const details = `${naming.length === 0 ? 'Rules name the destination' : 'The destination is named by'}: ${used_by}`
  throw new AppError('validation', 'Destination in use', { details, facts: { used_by } })
}

/** Returns the view of a document that was just read or written. */
export async function viewOf(store: Store, document: DestinationDocument): Promise<DestinationView> {
  const { workspaceId, transformationId } = document
  const defaultId = document.default ? defaultDestination(await destinationsOf(store, workspaceId))?.id : undefined
  const known = transformationId === null ? new Set<number>() : await transformationNumbers(store, workspaceId)
  return destinationView(document, defaultId, known)
}

/** Secrets of the view's settings are redacted. If the destination's transformation is deleted, `transformationId` of the view is null. */
const destinationView = (
  destination: DestinationDocument,
  defaultId: string | undefined,
  transformations: ReadonlySet<number>,
): DestinationView => {
  const channel = findChannel(destination.type)
  return {
    ...pick(destination, ['id', 'number', 'name', 'type', 'channel', 'url', 'enabled', 'sendOnOpen']),
    ...pick(destination, ['workspaceId', 'createdAt', 'updatedAt']),
    ...(channel !== null && hasSettings(channel, destination.settings) ? { settings: shownSettings(channel, destination) } : {}),
    default: destination.id === defaultId,
    transformationId: transformations.has(destination.transformationId ?? -1) ? destination.transformationId : null,
  }
}
