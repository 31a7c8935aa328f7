// Payload transformations of a workspace (reference/messages 3). A template is stored only if it renders all sample messages.
import type { TransformationView } from '#shared/contracts/ask/ask-notifications.ts'
import type { TransformationDocument } from '#shared/contracts/notifications/destination.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { requireTemplate } from '#shared/template/accept.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { AskAnswerer } from '../context.ts'
import { bestEffort } from '../documents/best-effort.ts'
import { nextNumber } from '../documents/counters.ts'
import { readPage } from '../documents/page.ts'
import { pick } from '../documents/pick.ts'
import { destinationsOf } from './destination-default.ts'
import { changeNamed, nameKey, nameTaken, requireFreeName, requireName } from './named.ts'

const bounds = limits.template

/** Creates a transformation. A retry with the same `id` returns the stored transformation. */
export const createTransformation: AskAnswerer<'create-transformation'> = async ({ store, clock }, request) => {
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

/** Returns a page in the order of creation. */
export const listTransformations: AskAnswerer<'list-transformations'> = ({ store }, { workspaceId, after }) =>
  readPage(store, {
    collection: 'transformations',
    where: { workspaceId },
    sort: ['number', 'asc'],
    after,
    view: documents => documents.map(transformationView),
  })

export const getTransformation: AskAnswerer<'get-transformation'> = async ({ store }, { workspaceId, number }) => {
  const found = await findTransformation(store, workspaceId, number)
  return found && transformationView(found)
}

/** Replaces name and template. */
export const updateTransformation: AskAnswerer<'update-transformation'> = async ({ store, clock }, request) => {
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

/**
 * Deletes a transformation. Destinations with this transformation then use the built-in body; their references to it are cleared
 * afterwards.
 */
export const deleteTransformation: AskAnswerer<'delete-transformation'> = async ({ store }, { workspaceId, id }) => {
  const [present = null] = await store.get('transformations', [id])
  if (present?.workspaceId !== workspaceId) return null
  await store.delete('transformations', [id])
  await bestEffort(clearUses(store, present))
  return null
}

/** Returns a transformation; null: the workspace has no transformation of this number. */
export async function findTransformation(
  store: Store,
  workspaceId: string,
  number: number,
): Promise<TransformationDocument | null> {
  const [found = null] = await store.find('transformations', { where: { workspaceId, number }, limit: 1 })
  return found
}

export async function transformationNumbers(store: Store, workspaceId: string): Promise<Set<number>> {
  const query = { where: { workspaceId }, limit: limits.directory.listed, select: ['number'] }
  return new Set((await store.find('transformations', query)).map(({ number }) => number))
}

async function clearUses(store: Store, { workspaceId, number }: TransformationDocument): Promise<void> {
  const using = (await destinationsOf(store, workspaceId)).filter(({ transformationId }) => transformationId === number)
  if (using.length === 0) return
  // If another request changes a destination meanwhile, the destination keeps the number of the deleted transformation. Readers ignore this
  // number.
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

const tooMany = () => refusal('invalid_state', 'Too many transformations', `A workspace has at most ${bounds.perWorkspace}`)

const transformationView = (document: TransformationDocument): TransformationView =>
  pick(document, ['id', 'number', 'name', 'nameKey', 'template', 'workspaceId', 'createdAt', 'updatedAt'])
