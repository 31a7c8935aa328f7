// The secrets that sign a destination's messages: made, rotated, removed. A secret is stored because it signs, and answered once.
import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import type { DestinationDocument, SigningSecret } from '#shared/contracts/notifications/destination.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { randomBase64 } from '#shared/text/ids.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { numberNotFound } from './named.ts'

type Place = Pick<AskRequest<'delete-destination-secret'>, 'workspaceId' | 'number'>

const { secretBytes, secrets: secretsMax, secretGraceMs } = limits.destination

/** Repeating it with the same `id` answers the same secret. */
export async function rotateDestinationSecret(
  { store, clock }: DirectoryContext,
  request: AskRequest<'rotate-destination-secret'>,
): Promise<AskResults['rotate-destination-secret']> {
  const { id, graceMs, first = false } = request
  if (graceMs > secretGraceMs) {
    throw new AppError('validation', 'Invalid grace', { details: `The secret before signs along for 0 to ${secretGraceMs} ms` })
  }
  const made = `whsec_${randomBase64(secretBytes)}`
  const changed = await change(store, request, present => {
    const known = present.secrets ?? []
    if (known.some(secret => secret.id === id)) return null
    const at = clock.now()
    const valid = known.filter(({ expiresAt }) => expiresAt === null || expiresAt > at)
    if (first && valid.length > 0) throw alreadySigned()
    const fresh: SigningSecret = { id, secret: made, createdAt: at, expiresAt: null }
    return { ...present, secrets: [fresh, ...expiring(valid, at + graceMs, at)].slice(0, secretsMax) }
  })
  const secret = changed.secrets?.find(one => one.id === id)?.secret ?? made
  const alongUntil = changed.secrets?.find(one => one.id !== id)?.expiresAt ?? null
  return { secret, destinationName: changed.name, alongUntil }
}

export async function deleteDestinationSecret(
  { store }: DirectoryContext,
  request: AskRequest<'delete-destination-secret'>,
): Promise<AskResults['delete-destination-secret']> {
  let removed = false
  const changed = await change(store, request, present => {
    removed = (present.secrets ?? []).length > 0
    return removed ? { ...present, secrets: [] } : null
  })
  return { destinationName: changed.name, removed }
}

/** None signs longer than it was going to. */
const expiring = (secrets: readonly SigningSecret[], until: number, at: number): SigningSecret[] =>
  secrets
    .map(secret => ({ ...secret, expiresAt: Math.min(secret.expiresAt ?? until, until) }))
    .filter(({ expiresAt }) => expiresAt > at)

async function change(
  store: Store,
  { workspaceId, number }: Place,
  make: (present: DestinationDocument) => DestinationDocument | null,
): Promise<DestinationDocument> {
  const [found] = await store.find('destinations', { where: { number }, limit: 1 })
  if (found?.workspaceId !== workspaceId) throw numberNotFound('destinations', number)
  const changed = await changeGuarded(store, 'destinations', found.id, present => (present === null ? null : make(present)))
  if (changed === null) throw numberNotFound('destinations', number)
  return changed
}

const alreadySigned = (): AppError =>
  new AppError('invalid_state', 'Destination has a secret', { details: 'Rotate it to make another, or remove it first' })
