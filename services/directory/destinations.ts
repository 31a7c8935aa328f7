// Notification destinations of a workspace (spec D 2). The URL is a secret: it is stored, answered to editors, and never logged.
import type { AskRequest, DestinationView } from '#shared/contracts/ask.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { AppError } from '#shared/errors.ts'
import { isHttpUrl } from '#shared/http-url.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from './context.ts'
import { nextNumber } from './counters.ts'
import { findTransformation } from './transformations.ts'

type Request = AskRequest<'create-destination'>

/** Creates an enabled destination; the first of a workspace becomes default. Repeating it with the same `id` answers what is stored. */
export async function createDestination({ store, clock }: DirectoryContext, request: Request): Promise<DestinationView> {
  checkFields(request)
  const id = request.id ?? randomId(idLength.destination)
  const [repeated = null] = await store.get('destinations', [id])
  if (repeated?.workspaceId === request.workspaceId) return destinationView(repeated)
  await checkTransformation(store, request)
  const others = await destinationsOf(store, request.workspaceId)
  if (others.length >= limits.destination.perWorkspace) throw tooMany()
  const at = clock.now()
  const document: DestinationDocument = {
    id,
    rev: 1,
    number: await nextNumber(store, 'destinations'),
    workspaceId: request.workspaceId,
    name: request.name,
    nameKey: nameKey(request.name),
    type: request.type,
    channel: channelOf(request),
    url: request.url,
    enabled: true,
    default: request.default || others.length === 0,
    transformationId: request.transformationId,
    createdAt: at,
    updatedAt: at,
  }
  const [result] = await store.insert('destinations', [document])
  const stored = result === 'written' ? document : await storedBefore(store, id)
  if (stored.default) await keepOneDefault(store, request.workspaceId)
  return destinationView(stored)
}

/** All destinations of a workspace by name. */
export async function listDestinations(
  { store }: DirectoryContext,
  request: AskRequest<'list-destinations'>,
): Promise<DestinationView[]> {
  const found = await destinationsOf(store, request.workspaceId)
  const defaultId = newestDefault(found)?.id
  return found.map(destination => ({ ...destinationView(destination), default: destination.id === defaultId }))
}

const destinationsOf = (store: Store, workspaceId: string): Promise<DestinationDocument[]> =>
  store.find('destinations', { where: { workspaceId }, sort: [['nameKey', 'asc']], limit: limits.directory.listed })

/** A try of the same request may have come first; else somebody else has the name. */
async function storedBefore(store: Store, id: string): Promise<DestinationDocument> {
  const [present = null] = await store.get('destinations', [id])
  if (present) return present
  throw new AppError('validation', 'Destination name taken', { details: 'The workspace has a destination of this name' })
}

/**
 * Moves the mark: of several defaults the one marked last stays. The new one is written first, so that a crash in between leaves
 * a workspace with two marks (of which the newer counts, and the next move clears the other), never without one.
 */
async function keepOneDefault(store: Store, workspaceId: string): Promise<void> {
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const found = await destinationsOf(store, workspaceId)
    const kept = newestDefault(found)
    const others = found.filter(destination => destination.default && destination !== kept)
    if (others.length === 0) return
    await store.replace(
      'destinations',
      others.map(destination => ({ ...destination, rev: destination.rev + 1, default: false })),
    )
  }
}

const newestDefault = (destinations: DestinationDocument[]): DestinationDocument | undefined =>
  destinations.filter(destination => destination.default).sort((a, b) => b.updatedAt - a.updatedAt || b.number - a.number)[0]

function checkFields(request: Request): void {
  const characters = [...request.name].length
  if (request.name.trim() === '' || characters > limits.destination.nameCharacters) {
    throw invalid(
      'Invalid name',
      `A destination's name has 1 to ${limits.destination.nameCharacters} characters and is not blank`,
    )
  }
  if (!isHttpUrl(request.url, limits.destination.urlCharacters)) {
    throw invalid(
      'Invalid url',
      `The URL must be a valid http or https address of at most ${limits.destination.urlCharacters} characters`,
    )
  }
  if ([...channelOf(request)].length > limits.destination.channelCharacters) {
    throw invalid('Invalid channel', `A channel has at most ${limits.destination.channelCharacters} characters`)
  }
}

async function checkTransformation(store: Store, { workspaceId, transformationId }: Request): Promise<void> {
  if (transformationId === null || (await findTransformation(store, workspaceId, transformationId))) return
  throw new AppError('not_found', 'Transformation not found', {
    details: `The workspace has no transformation ${transformationId}`,
  })
}

const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase()
const channelOf = (request: Request): string => (request.type === 'slack' ? request.channel.trim().replace(/^#+/, '') : '')
const invalid = (message: string, details: string): AppError => new AppError('validation', message, { details })
const tooMany = (): AppError =>
  new AppError('invalid_state', 'Too many destinations', {
    details: `A workspace has at most ${limits.destination.perWorkspace}`,
  })

const destinationView = (destination: DestinationDocument): DestinationView => ({
  number: destination.number,
  name: destination.name,
  type: destination.type,
  channel: destination.channel,
  url: destination.url,
  enabled: destination.enabled,
  default: destination.default,
  transformationId: destination.transformationId,
  workspaceId: destination.workspaceId,
  createdAt: destination.createdAt,
  updatedAt: destination.updatedAt,
})
