// Credentials of probers on other machines: made, listed, revoked. The secret leaves this file once, in the answer that made it; the
// collection has what the bus must know to refuse it later.

import type { LocationDocument, ProberCredentialDocument } from '#shared/contracts/account.ts'
import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import type { ProberCredentialView } from '#shared/contracts/ask/ask-probers.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { plainText } from '#shared/text/plain-text.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { checkText } from '../people/fields.ts'
import { allCredentials } from './announced.ts'

type Context = Pick<DirectoryContext, 'store' | 'clock' | 'announcer'>

/** The same id gives the same credentials again, so that an asker whose answer was lost can ask again. */
export async function createProberCredential(
  context: Context,
  request: AskRequest<'create-prober-credential'>,
): Promise<AskResults['create-prober-credential']> {
  const { store, clock } = context
  const announcer = demandAnnouncer(context)
  const description = checkText(
    request.description,
    limits.prober.descriptionCharacters,
    'Invalid description',
    'A description',
    'description',
  )
  const location = await findLocation(store, request.locationName)
  const [repeated = null] = await store.get('proberCredentials', [request.id])
  const at = repeated?.createdAt ?? clock.now()
  const locationId = repeated?.locationId ?? location.id
  const { publicKey, credentials } = announcer.issuer.issue(request.id, locationId, at)
  const document = repeated ?? {
    id: request.id,
    rev: 1,
    locationId,
    publicKey,
    description,
    createdAt: at,
    revokedAt: null,
  }
  if (repeated === null) await insert(store, document)
  else if (repeated.revokedAt !== null || repeated.locationId !== location.id) throw idTaken()
  // The first one of a location is good once the bus knows the location's account.
  await announcer.announce()
  return { ...view(document, location.name), credentials }
}

export async function listProberCredentials({ store }: Context): Promise<ProberCredentialView[]> {
  const found = (await allCredentials(store)).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  const locations = await store.get(
    'locations',
    found.map(credential => credential.locationId),
  )
  return found.map((credential, i) => view(credential, locations[i]?.name ?? null))
}

/** The store comes first: after a crash the bus gets the announcement at the next try, start or reconnect. */
export async function deleteProberCredential(
  context: Context,
  { credentialId }: AskRequest<'delete-prober-credential'>,
): Promise<ProberCredentialView> {
  const { store, clock } = context
  const announcer = demandAnnouncer(context)
  const revoked = await changeGuarded(store, 'proberCredentials', credentialId, present =>
    present === null || present.revokedAt !== null ? null : { ...present, revokedAt: clock.now() },
  )
  if (revoked === null) {
    throw new AppError('not_found', 'Prober credential not found', { details: `There is no prober credential ${credentialId}` })
  }
  await announcer.announce()
  await announcer.removeForeignConsumers()
  const [location] = await store.get('locations', [revoked.locationId])
  return view(revoked, location?.name ?? null)
}

/** A location that is called just as it was given goes first, then the name as names are stored. Throws `not_found`. */
async function findLocation(store: Store, name: string): Promise<LocationDocument> {
  const found = await store.find('locations', { where: { name: { in: [name, plainText(name)] } }, limit: 2 })
  const location = found.find(candidate => candidate.name === name) ?? found[0]
  if (location) return location
  throw new AppError('not_found', 'Location not found', {
    details: `There is no location "${name}"`,
    facts: { field: 'location' },
  })
}

async function insert(store: Store, document: ProberCredentialDocument): Promise<void> {
  if ((await store.count('proberCredentials', {})) >= limits.prober.credentials) {
    throw new AppError('invalid_state', 'Too many prober credentials', {
      details: `An installation has at most ${limits.prober.credentials}, revoked ones included; one file serves all probers of a location`,
    })
  }
  const [result] = await store.insert('proberCredentials', [document])
  if (result === 'written') return
  // Another try of the same request came first; its instant is part of the credentials.
  throw new AppError('unavailable', 'Prober credential not made', { details: 'It could not be stored; try again' })
}

function demandAnnouncer({ announcer }: Context): NonNullable<Context['announcer']> {
  if (announcer !== null) return announcer
  throw new AppError('invalid_state', 'No keys for prober credentials', {
    details: 'The directory has no keys of the bus that NATS_URL names: set NATS_KEYS at the directory (docs/probers.md)',
  })
}

const idTaken = (): AppError =>
  new AppError('invalid_state', 'Prober credential exists', {
    details: 'This id belongs to a credential that is revoked or of another location; make another one',
  })

const view = (document: ProberCredentialDocument, locationName: string | null): ProberCredentialView => ({
  id: document.id,
  locationId: document.locationId,
  locationName,
  publicKey: document.publicKey,
  description: document.description,
  createdAt: document.createdAt,
  revokedAt: document.revokedAt,
})
