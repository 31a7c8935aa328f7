// Destinations and transformations have names that are unique in their workspace, whatever the case, and are changed under the guard
// of their revision: what both have in common.
import type { DestinationDocument, TransformationDocument } from '#shared/contracts/notifications/destination.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Collections } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import { hasHiddenCharacters } from '#shared/text/plain-text.ts'

interface Documents {
  destinations: DestinationDocument
  transformations: TransformationDocument
}
type Noun = keyof Documents
type DocumentOf<N extends Noun> = Documents[N]

const words = { destinations: 'Destination', transformations: 'Transformation' } as const

/** Text by which names are compared. */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase()

/** Throws validation `Invalid name` for what is blank, too long or holds hidden characters. */
export function requireName(noun: Noun, name: string, charactersMax: number): void {
  const characters = [...name].length
  if (name.trim() !== '' && characters <= charactersMax && !hasHiddenCharacters(name)) return
  const details = `A ${words[noun].toLowerCase()}'s name has 1 to ${charactersMax} characters, is not blank, and has no control or invisible characters`
  throw new AppError('validation', 'Invalid name', { details, facts: { field: 'name' } })
}

/** Looked at before anything is written; the unique index decides all the same. `id` is the one that may have it. */
export async function requireFreeName(store: Store, noun: Noun, workspaceId: string, name: string, id: string): Promise<void> {
  const where = { workspaceId, nameKey: nameKey(name) }
  const [holder] = await store.find(noun, { where, limit: 1, select: ['nameKey'] })
  if (holder && holder.id !== id) throw nameTaken(noun)
}

/**
 * Changes one of the workspace under the guard of its revision; `change` gets what is stored and answers null to leave it so.
 * Throws `not_found` if the workspace has none of this id, and `taken` if its new name is in use.
 */
export async function changeNamed<N extends Noun>(
  store: Store,
  noun: N,
  { workspaceId, id }: { workspaceId: string; id: string },
  change: (present: DocumentOf<N>) => DocumentOf<N> | null,
): Promise<DocumentOf<N>> {
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const present = ((await store.get(noun, [id]))[0] ?? null) as DocumentOf<N> | null
    if (present === null || present.workspaceId !== workspaceId) throw notFound(noun)
    const changed = change(present)
    if (changed === null) return present
    const next = { ...changed, rev: present.rev + 1 } as Collections[N] & DocumentOf<N>
    const [result] = await store.replace(noun, [next])
    if (result === 'written') return next
    if (result === 'taken') throw nameTaken(noun)
  }
  throw new AppError('unavailable', 'Too much contention', { details: `A ${noun} document changed too often at once; try again` })
}

const notFound = (noun: Noun): AppError =>
  new AppError('not_found', `${words[noun]} not found`, {
    details: `The workspace has no such ${words[noun].toLowerCase()}`,
  })

/** As people name it, by its number. */
export const numberNotFound = (noun: Noun, number: number): AppError =>
  new AppError('not_found', `${words[noun]} not found`, {
    details: `The workspace has no ${words[noun].toLowerCase()} ${number}`,
  })

export const nameTaken = (noun: Noun): AppError =>
  new AppError('taken', `${words[noun]} name taken`, {
    details: `The workspace has a ${words[noun].toLowerCase()} of this name`,
    facts: { field: 'name' },
  })
