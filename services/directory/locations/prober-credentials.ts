// Credentials of probers on other machines: create, list, revoke. Only the response to the creation contains the secret. Stored documents
// have the public key, by which the bus later refuses a revoked credential.
import type { LocationDocument, ProberCredentialDocument } from '#shared/contracts/account.ts'
import type { ProberCredentialView } from '#shared/contracts/ask/ask-probers.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { plainText } from '#shared/text/plain-text.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { pick } from '../documents/pick.ts'
import { checkDescription } from '../people/fields.ts'
import { allCredentials } from './announce-revocations.ts'

/** Creates a credential. A retry with the same id returns the same credential, in case the first response was lost. */
export const createProberCredential: AskAnswerer<'create-prober-credential'> = async (context, request) => {
  const { store, clock } = context
  const announcer = requireAnnouncer(context)
  const description = checkDescription(request.description, limits.prober.descriptionCharacters)
  const location = await findLocation(store, request.locationName)
  const [repeated = null] = await store.get('proberCredentials', [request.id])
  const at = repeated?.createdAt ?? clock.now()
  const locationId = repeated?.locationId ?? location.id
  const { publicKey, credentials } = announcer.issuer.issue(request.id, locationId, at)
  const made = { id: request.id, rev: 1, locationId, publicKey, description, createdAt: at, revokedAt: null }
  const document = repeated ?? made
  if (repeated === null) await insert(store, document)
  else if (repeated.revokedAt !== null || repeated.locationId !== location.id) throw idTaken()
  // The first credential of a location is valid only after the bus has the location's account.
  await announcer.announce()
  return { ...view(document, location.name), credentials }
}

export const listProberCredentials: AskAnswerer<'list-prober-credentials'> = async ({ store }) => {
  const found = (await allCredentials(store)).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  const locations = await store.get(
    'locations',
    found.map(credential => credential.locationId),
  )
  return found.map((credential, i) => view(credential, locations[i]?.name ?? null))
}

/**
 * Stores the revocation, then announces it. If the process ends between the two steps, the bus gets the revocation at the next retry, start
 * or reconnect.
 */
export const deleteProberCredential: AskAnswerer<'delete-prober-credential'> = async (context, { credentialId }) => {
  const { store, clock } = context
  const announcer = requireAnnouncer(context)
  const revoked = await changeGuarded(store, 'proberCredentials', credentialId, present =>
    present === null || present.revokedAt !== null ? null : { ...present, revokedAt: clock.now() },
  )
  if (revoked === null) {
    throw refusal('not_found', 'Prober credential not found', `There is no prober credential ${credentialId}`)
  }
  await announcer.announce()
  await announcer.removeForeignConsumers()
  const [location] = await store.get('locations', [revoked.locationId])
  return view(revoked, location?.name ?? null)
}

/**
 * Returns the location with this id, else the location whose name matches exactly, else the location whose normalised name matches. Throws
 * `not_found`.
 */
async function findLocation(store: Store, name: string): Promise<LocationDocument> {
  const [ofId = null] = await store.get('locations', [name])
  if (ofId !== null) return ofId
  const found = await store.find('locations', { where: { name: { in: [name, plainText(name)] } }, limit: 2 })
  const location = found.find(candidate => candidate.name === name) ?? found[0]
  if (location) return location
  throw refusal('not_found', 'Location not found', `There is no location "${name}"`, 'location')
}

async function insert(store: Store, document: ProberCredentialDocument): Promise<void> {
  if ((await store.count('proberCredentials', {})) >= limits.prober.credentials) {
    throw refusal(
      'invalid_state',
      'Too many prober credentials',
      `An installation has at most ${limits.prober.credentials}, revoked ones included; one file serves all probers of a location`,
    )
  }
  const [result] = await store.insert('proberCredentials', [document])
  if (result === 'written') return
  // Another try of the same request has already stored a document, with another instant. The credentials made here differ from the stored
  // ones, so they are not returned.
  throw refusal('unavailable', 'Prober credential not made', 'It could not be stored; try again')
}

function requireAnnouncer({ announcer }: DirectoryContext): NonNullable<DirectoryContext['announcer']> {
  if (announcer !== null) return announcer
  throw refusal(
    'invalid_state',
    'No keys for prober credentials',
    'The directory has no keys of the bus that NATS_URL names: set NATS_KEYS at the directory (docs/probers.md)',
  )
}

const idTaken = () =>
  refusal(
    'invalid_state',
    'Prober credential exists',
    'This id belongs to a credential that is revoked or of another location; make another one',
  )

const view = (document: ProberCredentialDocument, locationName: string | null): ProberCredentialView => ({
  ...pick(document, ['id', 'locationId', 'publicKey', 'description', 'createdAt', 'revokedAt']),
  locationName,
})
