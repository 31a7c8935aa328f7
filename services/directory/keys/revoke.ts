// Revocations: messages that make every gateway remove a cached identity. A revocation is sent after the change is stored, so that the next
// read returns the new state. Each retry of a request sends the revocation again, because an earlier try may have stored the change and
// then failed.
import { keys, type Revoked } from '#shared/bus/subjects.ts'
import type { DirectoryContext } from '../context.ts'

/** Sends a revocation. An id with a dot is skipped: it would be two tokens of a bus subject, and no key or user has such an id. */
export async function revoke({ bus, clock }: Pick<DirectoryContext, 'bus' | 'clock'>, what: Revoked, id: string): Promise<void> {
  if (id.includes('.')) return
  await bus.bucket('revocations').put(keys.revocation(what, id), { at: clock.now() })
}
