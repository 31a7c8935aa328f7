// Notification destinations of a workspace (spec D 2). The URL is a secret: it is stored, answered to editors, and never logged.
import type { AskRequest, AskResults } from '#shared/contracts/ask.ts'
import type { DestinationView } from '#shared/contracts/ask-notifications.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { defaultDestination } from '#shared/default-destination.ts'
import { AppError } from '#shared/errors.ts'
import { isHttpUrl } from '#shared/http-url.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { basicCredentials } from '#shared/url-credentials.ts'
import type { DirectoryContext } from './context.ts'
import { nextNumber } from './counters.ts'
import { sweepTables } from './delivery-tables.ts'
import { clearOlderMarks, destinationsOf, newMark } from './destination-default.ts'
import { changeNamed, nameKey, nameTaken, numberNotFound, requireFreeName, requireName } from './named.ts'
import { tidily } from './tidily.ts'
import { findTransformation, transformationNumbers } from './transformations.ts'

type Fields = Pick<AskRequest<'create-destination'>, 'workspaceId' | 'name' | 'url' | 'channel' | 'transformationId'>

const bounds = limits.destination

/** Creates an enabled destination; the first of a workspace becomes default. Repeating it with the same `id` answers what is stored. */
export async function createDestination(
  { store, clock }: DirectoryContext,
  request: AskRequest<'create-destination'>,
): Promise<DestinationView> {
  const { workspaceId } = request
  const id = request.id ?? randomId(idLength.destination)
  await checkFields(store, request, id)
  const [repeated = null] = await store.get('destinations', [id])
  if (repeated?.workspaceId === workspaceId) return viewOf(store, repeated)
  const others = await destinationsOf(store, workspaceId)
  if (others.length >= bounds.perWorkspace) throw tooMany()
  const at = clock.now()
  const document: DestinationDocument = {
    id,
    rev: 1,
    number: await nextNumber(store, 'destinations'),
    workspaceId,
    type: request.type,
    ...fieldsOf(request, request.type),
    enabled: true,
    ...(request.default || others.length === 0 ? newMark(others, at) : { default: false, defaultAt: null }),
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
 * goes. Selections that name it count no longer from that instant, and are cleared behind it. Its log stays.
 */
export async function deleteDestination(
  { store, clock }: DirectoryContext,
  request: AskRequest<'delete-destination'>,
): Promise<AskResults['delete-destination']> {
  const { workspaceId, id } = request
  const present = (await store.get('destinations', [id]))[0] ?? null
  if (present?.workspaceId !== workspaceId) return { wasDefault: null }
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
  if (!isHttpUrl(request.url, bounds.urlCharacters)) {
    throw invalid('Invalid url', `The URL must be a valid http or https address of at most ${bounds.urlCharacters} characters`)
  }
  if (basicCredentials(new URL(request.url)) !== null) {
    throw invalid('Invalid url', 'The URL must not carry a user name or a password')
  }
  if ([...bareChannel(request.channel)].length > bounds.channelCharacters) {
    throw invalid('Invalid channel', `A channel has at most ${bounds.channelCharacters} characters`)
  }
  await requireFreeName(store, 'destinations', request.workspaceId, request.name, id)
  const { workspaceId, transformationId } = request
  if (transformationId === null || (await findTransformation(store, workspaceId, transformationId))) return
  throw numberNotFound('transformations', transformationId)
}

const fieldsOf = (request: Fields, type: DestinationDocument['type']) => ({
  name: request.name,
  nameKey: nameKey(request.name),
  channel: type === 'slack' ? bareChannel(request.channel) : '',
  url: request.url,
  transformationId: request.transformationId,
})

const bareChannel = (channel: string): string => channel.replace(/^[#\s]+/, '').trimEnd()
const invalid = (message: string, details: string): AppError => new AppError('validation', message, { details })
const disabled = (): AppError =>
  new AppError('invalid_state', 'Destination is disabled', { details: 'Switch the destination on before it becomes default' })
const tooMany = (): AppError =>
  new AppError('invalid_state', 'Too many destinations', { details: `A workspace has at most ${bounds.perWorkspace}` })

/** A document that was just read or written, as it stands among its workspace's. */
async function viewOf(store: Store, document: DestinationDocument): Promise<DestinationView> {
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
  default: destination.id === defaultId,
  transformationId: transformations.has(destination.transformationId ?? -1) ? destination.transformationId : null,
  workspaceId: destination.workspaceId,
  createdAt: destination.createdAt,
  updatedAt: destination.updatedAt,
})
