// Payload transformations of a workspace (reference/messages 3): templates that are stored only if they render all samples.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { TransformationView } from '#shared/contracts/ask/ask-notifications.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import type { TransformationDocument } from '#shared/contracts/notifications/destination.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { requireTemplate } from '#shared/template/accept.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { DirectoryContext } from '../context.ts'
import { tidily } from '../documents/best-effort.ts'
import { nextNumber } from '../documents/counters.ts'
import { readPage } from '../documents/page.ts'
import { destinationsOf } from './destination-default.ts'
import { changeNamed, nameKey, nameTaken, requireFreeName, requireName } from './named.ts'

const bounds = limits.template

/** Repeating it with the same `id` answers what is stored. */
export async function createTransformation(
  { store, clock }: DirectoryContext,
  request: AskRequest<'create-transformation'>,
): Promise<TransformationView> {
  const { workspaceId, name, template } = request
  const id = request.id ?? randomId(idLength.destination)
  await checkFields(store, request, id)
  const [repeated = null] = await store.get('transformations', [id])
  if (repeated?.workspaceId === workspaceId) return transformationView(repeated)
  if ((await store.count('transformations', { workspaceId })) >= bounds.perWorkspace) throw tooMany()
  const at = clock.now()
  const number = await nextNumber(store, 'transformations')
  const document = { id, rev: 1, number, workspaceId, name, nameKey: nameKey(name), template, createdAt: at, updatedAt: at }
  const [result] = await store.insert('transformations', [document])
  if (result === 'written') return transformationView(document)
  const [before = null] = await store.get('transformations', [id])
  if (before === null) throw nameTaken('transformations')
  return transformationView(before)
}

/** A page in the order in which they were made. */
export function listTransformations(
  { store }: DirectoryContext,
  { workspaceId, after }: AskRequest<'list-transformations'>,
): Promise<Page<TransformationView>> {
  return readPage(store, {
    collection: 'transformations',
    where: { workspaceId },
    sort: ['number', 'asc'],
    after,
    view: documents => documents.map(transformationView),
  })
}

export async function getTransformation(
  { store }: DirectoryContext,
  { workspaceId, number }: AskRequest<'get-transformation'>,
): Promise<TransformationView | null> {
  const found = await findTransformation(store, workspaceId, number)
  return found && transformationView(found)
}

/** Replaces name and template. */
export async function updateTransformation(
  { store, clock }: DirectoryContext,
  request: AskRequest<'update-transformation'>,
): Promise<TransformationView> {
  const { name, template } = request
  await checkFields(store, request, request.id)
  const stored = await changeNamed(store, 'transformations', request, present => ({
    ...present,
    name,
    nameKey: nameKey(name),
    template,
    updatedAt: clock.now(),
  }))
  return transformationView(stored)
}

/** With it gone, destinations that name it use the built-in body; their naming it is cleared behind it. */
export async function deleteTransformation(
  { store }: DirectoryContext,
  { workspaceId, id }: AskRequest<'delete-transformation'>,
): Promise<null> {
  const [present = null] = await store.get('transformations', [id])
  if (present?.workspaceId !== workspaceId) return null
  await store.delete('transformations', [id])
  await tidily(clearUses(store, present))
  return null
}

/** Null where the workspace has none of this number. */
export async function findTransformation(
  store: Store,
  workspaceId: string,
  number: number,
): Promise<TransformationDocument | null> {
  const [found = null] = await store.find('transformations', { where: { workspaceId, number }, limit: 1 })
  return found
}

/** The numbers of all transformations of a workspace. */
export async function transformationNumbers(store: Store, workspaceId: string): Promise<Set<number>> {
  const query = { where: { workspaceId }, limit: limits.directory.listed, select: ['number'] }
  return new Set((await store.find('transformations', query)).map(({ number }) => number))
}

async function clearUses(store: Store, { workspaceId, number }: TransformationDocument): Promise<void> {
  const using = (await destinationsOf(store, workspaceId)).filter(({ transformationId }) => transformationId === number)
  if (using.length === 0) return
  // One that is changed meanwhile keeps a number that names nothing, which reads as none.
  await store.replace(
    'destinations',
    using.map(destination => ({ ...destination, rev: destination.rev + 1, transformationId: null })),
  )
}

async function checkFields(
  store: Store,
  { workspaceId, name, template }: { workspaceId: string; name: string; template: string },
  id: string,
): Promise<void> {
  requireName('transformations', name, bounds.nameCharacters)
  requireTemplate(template)
  await requireFreeName(store, 'transformations', workspaceId, name, id)
}

const tooMany = (): AppError =>
  new AppError('invalid_state', 'Too many transformations', { details: `A workspace has at most ${bounds.perWorkspace}` })

const transformationView = (document: TransformationDocument): TransformationView => ({
  id: document.id,
  number: document.number,
  name: document.name,
  nameKey: document.nameKey,
  template: document.template,
  workspaceId: document.workspaceId,
  createdAt: document.createdAt,
  updatedAt: document.updatedAt,
})
