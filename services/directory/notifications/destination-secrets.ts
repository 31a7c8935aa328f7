// Secrets that sign a destination's messages: create, rotate, remove. Secrets are stored in plain text, because they are needed for
// signing. Each secret is returned only once.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { DestinationDocument, SigningSecret } from '#shared/contracts/notifications/destination.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { randomBase64 } from '#shared/text/ids.ts'
import type { AskAnswerer } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { numberNotFound } from './named.ts'

type Place = Pick<AskRequest<'delete-destination-secret'>, 'workspaceId' | 'number'>

const { secretBytes, secrets: secretsMax, secretGraceMs } = limits.destination

/** Creates a secret; earlier secrets expire after `graceMs`. A retry with the same `id` returns the same secret. */
export const rotateDestinationSecret: AskAnswerer<'rotate-destination-secret'> = async ({ store, clock }, request) => {
  const { id, graceMs, first = false } = request
  if (graceMs > secretGraceMs) {
    throw refusal('validation', 'Invalid grace', `The secret before signs along for 0 to ${secretGraceMs} ms`)
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

export const deleteDestinationSecret: AskAnswerer<'delete-destination-secret'> = async ({ store }, request) => {
  let removed = false
  const changed = await change(store, request, present => {
    removed = (present.secrets ?? []).length > 0
    return removed ? { ...present, secrets: [] } : null
  })
  return { destinationName: changed.name, removed }
}

/** Returns copies of the unexpired secrets. A copy expires at `until`, or earlier if its secret does. */
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

const alreadySigned = () => refusal('invalid_state', 'Destination has a secret', 'Rotate it to make another, or remove it first')
