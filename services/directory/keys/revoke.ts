// Revocations: messages that make every gateway remove a cached identity. A revocation is sent after the change is stored, so that a
// gateway that reads the identity again gets the new state. A retry of a request sends the revocation again, because an earlier try may
// have stored the change and failed before the revocation.
import { keys, type Revoked } from '#shared/bus/subjects.ts'
import type { DirectoryContext } from '../context.ts'

/** Sends a revocation. Skips an id with a dot: no key or user has such an id, and the dot would split the bus subject. */
export async function revoke({ bus, clock }: Pick<DirectoryContext, 'bus' | 'clock'>, what: Revoked, id: string): Promise<void> {
  if (id.includes('.')) return
  await bus.bucket('revocations').put(keys.revocation(what, id), { at: clock.now() })
}
