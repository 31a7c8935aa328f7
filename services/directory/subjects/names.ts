// Names: a slug belongs to the subject that reserved it first. One insert per candidate decides; an unused reservation lapses.
import type { NameDocument } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { slugCandidate, slugOf } from '#shared/text/slug.ts'
import type { DirectoryContext } from '../context.ts'

/**
 * Reserves the first free of `name`, `name-2`, `name-3`, … for a subject about to be created (reference/custom-subjects 1.6). A repeat
 * for the same subject returns the same slug. The name of a deleted subject is free at once. The name of a missing subject is free once
 * its reservation is older than a minute: until then the subject may be on its way.
 */
export async function reserveName(context: DirectoryContext, request: AskRequest<'reserve-name'>): Promise<{ slug: string }> {
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
  throw new AppError('validation', 'Name used too often', {
    details: `Too many subjects are named "${base}"; choose another name`,
    facts: { field: 'name' },
  })
}

/** The key as it was sent, or none: keys and slugs are one namespace, and no key is another Resource's id. */
export async function reserveKey(context: DirectoryContext, request: AskRequest<'reserve-key'>): Promise<null> {
  const { workspaceId, key, subjectId } = request
  const [other = null] = await context.store.get('subjects', [key])
  const isId = other !== null && other.workspaceId === workspaceId && other.deletedAt === null && other.id !== subjectId
  if (!isId && (await takeOneOf(context, request, [key])) !== null) return null
  throw new AppError('taken', 'Key taken', { details: `The key ${key} is taken: choose another one`, facts: { field: 'key' } })
}

/**
 * The subject that has reserved a key, with its reservation renewed, so that it may still be made; null: the key is free. Rejects with
 * `unavailable` under too much contention.
 */
export async function adoptKey(context: DirectoryContext, workspaceId: string, key: string): Promise<string | null> {
  const { store, clock } = context
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const [present = null] = await store.get('names', [`${workspaceId}/${key}`])
    if (present === null || (await findLapsed(context, [present])).has(present.id)) return null
    const [result] = await store.replace('names', [{ ...present, rev: present.rev + 1, reservedAt: clock.now() }])
    if (result === 'written') return present.subjectId
  }
  throw new AppError('unavailable', 'Too much contention', {
    details: `the key ${key} was reserved too often at once; try again`,
  })
}

/** The first of the slugs that could be had; null where all belong to others. */
export async function takeOneOf(
  context: DirectoryContext,
  request: Pick<AskRequest<'reserve-name'>, 'workspaceId' | 'subjectId'>,
  slugs: string[],
): Promise<string | null> {
  const { store, clock } = context
  const ids = slugs.map(slug => `${request.workspaceId}/${slug}`)
  // A single candidate is simply inserted; of many, those known to be taken are passed over first.
  const present = slugs.length === 1 ? [null] : await store.get('names', ids)
  const lapsed = await findLapsed(context, present)
  for (const [i, slug] of slugs.entries()) {
    const known = present[i] ?? null
    if (known && known.subjectId !== request.subjectId && !lapsed.has(known.id)) continue
    const wanted = {
      id: ids[i] as string,
      rev: 1,
      workspaceId: request.workspaceId,
      subjectId: request.subjectId,
      reservedAt: clock.now(),
    }
    const [result] = known ? ['refused' as const] : await store.insert('names', [wanted])
    if (result === 'written' || (await takeOver(context, wanted))) return slug
  }
  return null
}

/** Takes a name whose reservation lapsed, by a guarded put; true as well where it is this subject's own already. */
async function takeOver(context: DirectoryContext, wanted: NameDocument): Promise<boolean> {
  const [present = null] = await context.store.get('names', [wanted.id])
  if (present?.subjectId === wanted.subjectId) return true
  if (!present || !(await findLapsed(context, [present])).has(present.id)) return false
  const [result] = await context.store.replace('names', [{ ...wanted, rev: present.rev + 1 }])
  return result === 'written'
}

/** The ids of those reservations whose subject is a tombstone, or does not exist although they are old. */
async function findLapsed({ store, clock }: DirectoryContext, names: readonly (NameDocument | null)[]): Promise<Set<string>> {
  const reserved = names.filter(name => name !== null)
  if (reserved.length === 0) return new Set()
  const subjectIds = reserved.map(name => name.subjectId)
  const found = await store.find('subjects', {
    where: { id: { in: subjectIds } },
    limit: subjectIds.length,
    select: ['deletedAt'],
  })
  const deletedAt = new Map(found.map(subject => [subject.id, subject.deletedAt]))
  const limit = clock.now() - limits.directory.reservationMs
  const isLapsed = ({ subjectId, reservedAt }: NameDocument) =>
    deletedAt.has(subjectId) ? deletedAt.get(subjectId) !== null : reservedAt < limit
  return new Set(reserved.filter(isLapsed).map(name => name.id))
}
