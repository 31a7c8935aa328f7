// Names: a slug belongs to the subject that reserved it first. If two subjects reserve a slug at once, the first insert of the name's
// document wins. A reservation expires if its subject is not created.
import type { NameDocument } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { slugCandidate, slugOf } from '#shared/text/slug.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { contention } from '../documents/guarded.ts'
import { pick } from '../documents/pick.ts'

/**
 * Reserves the first free slug of `name`, `name-2`, `name-3`, … for a subject that is about to be created (reference/custom-subjects
 * 1.6). A retry for the same subject returns the same slug. The slug of a deleted subject is free immediately. If the subject does not
 * exist, its slug becomes free a minute after the reservation: until then the subject may still be created.
 */
export const reserveName: AskAnswerer<'reserve-name'> = async (context, request) => {
  const { workspaceId, subjectId } = request
  const mine = await context.store.find('names', { where: { subjectId, workspaceId }, limit: 1 })
  if (mine[0]) return { slug: mine[0].id.slice(workspaceId.length + 1) }
  const base = slugOf(request.name) || request.fallback
  let first = 1
  let width = 1
  while (first <= limits.directory.slugNumberMax) {
    const slugs = Array.from({ length: width }, (_, i) => slugCandidate(base, first + i))
    const taken = await takeOneOf(context, request, slugs)
    if (taken !== null) return { slug: taken }
    first += width
    width = limits.directory.slugCandidates
  }
  throw refusal('validation', 'Name used too often', `Too many subjects are named "${base}"; choose another name`, 'name')
}

/** Reserves exactly this key. Throws `taken` if this text is the key or slug of another subject, or the id of another Resource. */
export const reserveKey: AskAnswerer<'reserve-key'> = async (context, request) => {
  const { workspaceId, key, subjectId } = request
  const [other = null] = await context.store.get('subjects', [key])
  const isId = other !== null && other.workspaceId === workspaceId && other.deletedAt === null && other.id !== subjectId
  if (!isId && (await takeOneOf(context, request, [key])) !== null) return null
  throw refusal('taken', 'Key taken', `The key ${key} is taken: choose another one`, 'key')
}

/**
 * Renews the reservation of a key, so that its subject can still be created, and returns the id of this subject. Null: the key is free.
 * Throws `unavailable` if other requests changed the reservation at every try.
 */
export async function adoptKey(context: DirectoryContext, workspaceId: string, key: string): Promise<string | null> {
  const { store, clock } = context
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const [present = null] = await store.get('names', [`${workspaceId}/${key}`])
    if (present === null || (await findLapsed(context, [present])).has(present.id)) return null
    const [result] = await store.replace('names', [{ ...present, rev: present.rev + 1, reservedAt: clock.now() }])
    if (result === 'written') return present.subjectId
  }
  throw contention(`the key ${key} was reserved too often at once; try again`)
}

/** Reserves the first free slug of the list and returns it; null if all slugs belong to other subjects. */
export async function takeOneOf(
  context: DirectoryContext,
  request: Pick<AskRequest<'reserve-name'>, 'workspaceId' | 'subjectId'>,
  slugs: string[],
): Promise<string | null> {
  const { store, clock } = context
  const ids = slugs.map(slug => `${request.workspaceId}/${slug}`)
  // A single candidate is inserted without a read. Several candidates are first read together, and taken ones are skipped.
  const present = slugs.length === 1 ? [null] : await store.get('names', ids)
  const lapsed = await findLapsed(context, present)
  for (const [i, slug] of slugs.entries()) {
    const known = present[i] ?? null
    if (known && known.subjectId !== request.subjectId && !lapsed.has(known.id)) continue
    const wanted = { id: ids[i] as string, rev: 1, ...pick(request, ['workspaceId', 'subjectId']), reservedAt: clock.now() }
    const [result] = known ? ['refused' as const] : await store.insert('names', [wanted])
    if (result === 'written' || (await takeOver(context, wanted))) return slug
  }
  return null
}

/** Takes over a name whose reservation has expired, by a guarded write. Returns true also if this subject has the name already. */
async function takeOver(context: DirectoryContext, wanted: NameDocument): Promise<boolean> {
  const [present = null] = await context.store.get('names', [wanted.id])
  if (present?.subjectId === wanted.subjectId) return true
  if (!present || !(await findLapsed(context, [present])).has(present.id)) return false
  const [result] = await context.store.replace('names', [{ ...wanted, rev: present.rev + 1 }])
  return result === 'written'
}

/**
 * Returns the ids of expired reservations. A reservation is expired if its subject is deleted, or if its subject was never created and the
 * reservation is old.
 */
async function findLapsed({ store, clock }: DirectoryContext, names: readonly (NameDocument | null)[]): Promise<Set<string>> {
  const reserved = names.filter(name => name !== null)
  if (reserved.length === 0) return new Set()
  const subjectIds = reserved.map(name => name.subjectId)
  const where = { id: { in: subjectIds } }
  const found = await store.find('subjects', { where, limit: subjectIds.length, select: ['deletedAt'] })
  const deletedAt = new Map(found.map(subject => [subject.id, subject.deletedAt]))
  const limit = clock.now() - limits.directory.reservationMs
  const isLapsed = ({ subjectId, reservedAt }: NameDocument) =>
    deletedAt.has(subjectId) ? deletedAt.get(subjectId) !== null : reservedAt < limit
  return new Set(reserved.filter(isLapsed).map(name => name.id))
}
