// Notification destinations of a workspace (reference/messages 1). The URL is a secret: it is stored, returned to editors, never logged.
import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import type { DestinationView } from '#shared/contracts/ask/ask-notifications.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { defaultDestination } from '#shared/notifications/choose-destinations.ts'
import type { Store } from '#shared/store/port.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { DirectoryContext } from '../context.ts'
import { tidily } from '../documents/best-effort.ts'
import { nextNumber } from '../documents/counters.ts'
import { sweepTables } from './delivery-tables.ts'
import { clearOlderMarks, destinationsOf, newMark } from './destination-default.ts'
import {
  channelOf,
  isFirstEnabled,
  requireChannel,
  requireEnabledDefault,
  requireOpenable,
  requireUrl,
} from './destination-fields.ts'
import { usesOf } from './destination-uses.ts'
import { changeNamed, nameKey, nameTaken, numberNotFound, requireFreeName, requireName } from './named.ts'
import { findTransformation, transformationNumbers } from './transformations.ts'

type Fields = Pick<AskRequest<'create-destination'>, 'workspaceId' | 'name' | 'url' | 'channel' | 'transformationId'>

const bounds = limits.destination

/** The first enabled one of a workspace becomes default. Repeating the request with the same `id` returns what is stored. */
export async function createDestination(
  { store, clock }: DirectoryContext,
  request: AskRequest<'create-destination'>,
): Promise<DestinationView> {
  const { workspaceId, type, enabled = true, sendOnOpen = false } = request
  const id = request.id ?? randomId(idLength.destination)
  await checkFields(store, request, id)
  requireOpenable(type, sendOnOpen)
  requireEnabledDefault(request.default, enabled)
  const [repeated = null] = await store.get('destinations', [id])
  if (repeated?.workspaceId === workspaceId) return viewOf(store, repeated)
  const others = await destinationsOf(store, workspaceId)
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
    enabled,
    sendOnOpen,
    ...(request.default || isFirst ? newMark(others, at) : { default: false, defaultAt: null }),
    createdAt: at,
    updatedAt: at,
  }
  const [result] = await store.insert('destinations', [document])
  const stored = result === 'written' ? document : await storedBefore(store, id)
  if (stored.default) await clearOlderMarks(store, workspaceId)
  return viewOf(store, stored)
}

/** All destinations of a workspace by name. */
export async function listDestinations(
  { store }: DirectoryContext,
  { workspaceId }: AskRequest<'list-destinations'>,
): Promise<DestinationView[]> {
  const found = await destinationsOf(store, workspaceId)
  const defaultId = defaultDestination(found)?.id
  const known = found.some(({ transformationId }) => transformationId !== null)
    ? await transformationNumbers(store, workspaceId)
    : new Set<number>()
  return found.map(document => destinationView(document, defaultId, known))
}

/** Null where the workspace has none of this number. */
export async function getDestination(
  context: DirectoryContext,
  { workspaceId, number }: AskRequest<'get-destination'>,
): Promise<DestinationView | null> {
  return (await listDestinations(context, { workspaceId })).find(view => view.number === number) ?? null
}

/** Replaces everything but the type. `default: false` leaves an existing mark. */
export async function updateDestination(
  { store, clock }: DirectoryContext,
  request: AskRequest<'update-destination'>,
): Promise<DestinationView> {
  await checkFields(store, request, request.id)
  const all = await destinationsOf(store, request.workspaceId)
  const moves = request.default && defaultDestination(all)?.id !== request.id
  const at = clock.now()
  const stored = await changeNamed(store, 'destinations', request, present => {
    if (request.default && !present.enabled) throw disabled()
    return { ...present, ...fieldsOf(request, present.type), ...(moves ? newMark(all, at) : {}), updatedAt: at }
  })
  if (moves) await clearOlderMarks(store, request.workspaceId)
  return viewOf(store, stored)
}

/** On or off; rows that select it stay, and so does its mark. */
export async function switchDestination(
  { store, clock }: DirectoryContext,
  request: AskRequest<'switch-destination'>,
): Promise<DestinationView> {
  const stored = await changeNamed(store, 'destinations', request, present =>
    present.enabled === request.enabled ? null : { ...present, enabled: request.enabled, updatedAt: clock.now() },
  )
  return viewOf(store, stored)
}

export async function makeDefaultDestination(
  { store, clock }: DirectoryContext,
  request: AskRequest<'make-default-destination'>,
): Promise<DestinationView> {
  const all = await destinationsOf(store, request.workspaceId)
  const moves = defaultDestination(all)?.id !== request.id
  const stored = await changeNamed(store, 'destinations', request, present => {
    if (!present.enabled) throw disabled()
    return moves ? { ...present, ...newMark(all, clock.now()), updatedAt: clock.now() } : null
  })
  if (moves) await clearOlderMarks(store, request.workspaceId)
  return viewOf(store, stored)
}

/**
 * Switches it off first, so that it cannot become default meanwhile; clears the marks behind its own, so that no other does; then it
 * goes. Selections that name it count no longer from that instant, and are cleared behind it. Its log stays. A rule that comes to name
 * it during a deletion with `unlessUsed` finds it gone, and its messages go on as if it named none.
 */
export async function deleteDestination(
  { store, clock }: DirectoryContext,
  request: AskRequest<'delete-destination'>,
): Promise<AskResults['delete-destination']> {
  const { workspaceId, id } = request
  const present = (await store.get('destinations', [id]))[0] ?? null
  if (present?.workspaceId !== workspaceId) return { wasDefault: null }
  if (request.unlessUsed) await requireUnused(store, present)
  await changeNamed(store, 'destinations', request, stored =>
    stored.enabled ? { ...stored, enabled: false, updatedAt: clock.now() } : null,
  )
  const wasDefault = defaultDestination(await destinationsOf(store, workspaceId))?.id === id
  if (wasDefault) await clearOlderMarks(store, workspaceId)
  await store.delete('destinations', [id])
  await tidily(sweepTables(store, workspaceId))
  return { wasDefault }
}

/** A try of the same request may have come first; else somebody else has the name. */
async function storedBefore(store: Store, id: string): Promise<DestinationDocument> {
  const [present = null] = await store.get('destinations', [id])
  if (present) return present
  throw nameTaken('destinations')
}

async function checkFields(store: Store, request: Fields, id: string): Promise<void> {
  requireName('destinations', request.name, bounds.nameCharacters)
  requireUrl(request.url)
  requireChannel(request.channel)
  await requireFreeName(store, 'destinations', request.workspaceId, request.name, id)
  const { workspaceId, transformationId } = request
  if (transformationId === null || (await findTransformation(store, workspaceId, transformationId))) return
  throw numberNotFound('transformations', transformationId)
}

const fieldsOf = (request: Fields, type: DestinationDocument['type']) => ({
  name: request.name,
  nameKey: nameKey(request.name),
  channel: channelOf(type, request.channel),
  url: request.url,
  transformationId: request.transformationId,
})

const disabled = (): AppError =>
  new AppError('invalid_state', 'Destination is disabled', { details: 'Switch the destination on before it becomes default' })
const tooMany = (): AppError =>
  new AppError('invalid_state', 'Too many destinations', { details: `A workspace has at most ${bounds.perWorkspace}` })

async function requireUnused(store: Store, { workspaceId, id }: DestinationDocument): Promise<void> {
  const used_by = await usesOf(store, workspaceId, id)
  if (used_by === null) return
  const details = `Rules name the destination: ${used_by}`
  throw new AppError('validation', 'Destination in use', { details, facts: { used_by } })
}

/** A document that was just read or written, as it stands among its workspace's. */
export async function viewOf(store: Store, document: DestinationDocument): Promise<DestinationView> {
  const { workspaceId, transformationId } = document
  const defaultId = document.default ? defaultDestination(await destinationsOf(store, workspaceId))?.id : undefined
  const known = transformationId === null ? new Set<number>() : await transformationNumbers(store, workspaceId)
  return destinationView(document, defaultId, known)
}

/** A transformation that is gone is none. */
const destinationView = (
  destination: DestinationDocument,
  defaultId: string | undefined,
  transformations: ReadonlySet<number>,
): DestinationView => ({
  id: destination.id,
  number: destination.number,
  name: destination.name,
  type: destination.type,
  channel: destination.channel,
  url: destination.url,
  enabled: destination.enabled,
  sendOnOpen: destination.sendOnOpen,
  default: destination.id === defaultId,
  transformationId: transformations.has(destination.transformationId ?? -1) ? destination.transformationId : null,
  workspaceId: destination.workspaceId,
  createdAt: destination.createdAt,
  updatedAt: destination.updatedAt,
})
