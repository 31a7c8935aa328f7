// Shared parts of destinations and transformations: names that are unique in their workspace regardless of case, and guarded changes.
import type { DestinationDocument, TransformationDocument } from '#shared/contracts/notifications/destination.ts'
import { refusal } from '#shared/errors.ts'
import type { Collections } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import { hasHiddenCharacters } from '#shared/text/plain-text.ts'
import { changeGuarded, contention } from '../documents/guarded.ts'

interface Documents {
  destinations: DestinationDocument
  transformations: TransformationDocument
}
type Noun = keyof Documents
type DocumentOf<N extends Noun> = Documents[N]

const words = { destinations: 'Destination', transformations: 'Transformation' } as const

/** Returns the text by which names are compared. */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase()

/** Throws validation `Invalid name` for a name that is blank, too long, or contains hidden characters. */
export function requireName(noun: Noun, name: string, charactersMax: number): void {
  const characters = [...name].length
  if (name.trim() !== '' && characters <= charactersMax && !hasHiddenCharacters(name)) return
  const details = `A ${words[noun].toLowerCase()}'s name has 1 to ${charactersMax} characters, is not blank, and has no control or invisible characters`
  throw refusal('validation', 'Invalid name', details, 'name')
}

/**
 * Throws `taken` if a document with another id has the name. The check only gives a better error: at the write, the unique index decides.
 */
export async function requireFreeName(store: Store, noun: Noun, workspaceId: string, name: string, id: string): Promise<void> {
  const where = { workspaceId, nameKey: nameKey(name) }
  const [holder] = await store.find(noun, { where, limit: 1, select: ['nameKey'] })
  if (holder && holder.id !== id) throw nameTaken(noun)
}

/**
 * Changes a document of the workspace, guarded by its revision, and returns it. `change` returns null to write nothing. Throws `not_found`
 * if the workspace has no document of this id, and `taken` if another document has the new name.
 */
export async function changeNamed<N extends Noun>(
  store: Store,
  noun: N,
  { workspaceId, id }: { workspaceId: string; id: string },
  change: (present: DocumentOf<N>) => DocumentOf<N> | null,
): Promise<DocumentOf<N>> {
  const changeOwn = (present: Collections[N] | null) => {
    if (present === null || present.workspaceId !== workspaceId) throw notFound(noun)
    return change(present as DocumentOf<N>) as Collections[N] | null
  }
  const contended = () => contention(`A ${noun} document changed too often at once; try again`)
  return (await changeGuarded(store, noun, id, changeOwn, { taken: () => nameTaken(noun), contended })) as DocumentOf<N>
}

const notFound = (noun: Noun) =>
  refusal('not_found', `${words[noun]} not found`, `The workspace has no such ${words[noun].toLowerCase()}`)

/** Refusal that names the missing document by its number. */
export const numberNotFound = (noun: Noun, number: number) =>
  refusal('not_found', `${words[noun]} not found`, `The workspace has no ${words[noun].toLowerCase()} ${number}`)

export const nameTaken = (noun: Noun) =>
  refusal('taken', `${words[noun]} name taken`, `The workspace has a ${words[noun].toLowerCase()} of this name`, 'name')
