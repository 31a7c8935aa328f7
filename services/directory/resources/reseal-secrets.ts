// Secrets of Resources and destinations, sealed anew after the installation got another key. The keeper of each Resource writes it and its check entries. If
// the work is interrupted, the next run goes on: secrets that have the new key are left as they are.
import { createKeeperClient, type KeeperClient } from '#shared/bus/clients/clients.ts'
import type { Resealed, Unsealed } from '#shared/contracts/ask/ask-secrets.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { changeSealingKey } from '#shared/secrecy/known-sealing-key.ts'
import { sealingKeyOf } from '#shared/secrecy/sealed-form.ts'
import type { Seals } from '#shared/secrecy/seals.ts'
import { randomId } from '#shared/text/ids.ts'
import type { AskAnswerer } from '../context.ts'
import { resealDestinations } from '../notifications/reseal-destinations.ts'

const { resealedAtOnce } = limits.directory

export const resealSecrets: AskAnswerer<'reseal-secrets', 'store' | 'bus' | 'clock' | 'seals'> = async (context, { after }) => {
  const { store, bus, clock } = context
  const seals = requireSeals(context)
  const closed = after === null ? await resealDestinations(store) : []
  const keeper = createKeeperClient(bus, clock)
  const where = { deletedAt: null }
  const page = { where, limit: resealedAtOnce, ...(after !== null && { after: { values: [], id: after } }) }
  const found = await store.find('subjects', page)
  const outcomes = await Promise.all(found.map(subject => reseal(subject, seals, keeper)))
  const lostOnes = closed.map(one => ({ ...one, why: 'a secret is sealed with a key that is not known here: set it again' }))
  const sum = { resealed: 0, failed: [] as Unsealed[], lost: lostOnes as Unsealed[] }
  for (const { resealed, failed, lost } of outcomes) {
    sum.resealed += resealed
    sum.failed.push(...failed)
    sum.lost.push(...lost)
  }
  const next = found.length < resealedAtOnce ? null : (found.at(-1)?.id ?? null)
  return { keyId: seals.keyId, seen: found.length, ...sum, next }
}

export const settleSealingKey: AskAnswerer<'settle-sealing-key', 'store' | 'seals'> = async (context, { keyId }) => {
  if (requireSeals(context).keyId !== keyId)
    throw refusal('invalid_state', 'Directories have different keys', 'Give all processes the same SECRETS_KEY, and restart them')
  await changeSealingKey(context.store, keyId)
  return null
}

function requireSeals({ seals }: { seals: Seals | null }): Seals {
  if (seals !== null) return seals
  throw refusal('invalid_state', 'The directory has no key for secrets', 'Set SECRETS_KEY, the same for all processes')
}

type Outcome = Pick<Resealed, 'resealed' | 'failed' | 'lost'>

async function reseal(subject: SubjectDocument, seals: Seals, keeper: KeeperClient): Promise<Outcome> {
  const { id, name, workspaceId } = subject
  const old = oldSecrets(subject, seals)
  const opened = old.map(from => ({ from, text: seals.open(from) }))
  const lost = opened.some(({ text }) => text === null)
    ? [{ id, name, workspaceId, why: 'a secret is sealed with a key that is not known here: set it again' }]
    : []
  const secrets = opened.flatMap(({ from, text }) => (text === null ? [] : [{ from, to: seals.seal(text) }]))
  if (secrets.length === 0) return { resealed: 0, failed: [], lost }
  try {
    const { resealed } = await keeper.send(id, { kind: 'reseal-secrets', id: randomId(16), secrets })
    return { resealed, failed: [], lost }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // Deleted since it was read.
    if (error.code === 'not_found') return { resealed: 0, failed: [], lost: [] }
    return { resealed: 0, failed: [{ id, name, workspaceId, why: error.message }], lost }
  }
}

/** Returns the sealed texts of the Resource that another key than the first one has sealed. */
const oldSecrets = ({ templated, check }: SubjectDocument, { keyId }: Seals): string[] =>
  Object.values(templated?.answers ?? check ?? {}).filter((answer): answer is string => {
    const sealedWith = sealingKeyOf(answer)
    return sealedWith !== null && sealedWith !== keyId
  })
