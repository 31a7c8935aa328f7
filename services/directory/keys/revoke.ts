// Revocations: every gateway forgets an identity. Sent after the store has the change, so that the next question reads the new state. Each
// repeat sends it again, because an earlier try may have died between the two.
import { keys, type Revoked } from '#shared/bus/subjects.ts'
import type { DirectoryContext } from '../context.ts'

/** Nothing is known of an id that is not one token of the bus: there is no such key or user, whatever a request says. */
export async function revoke({ bus, clock }: Pick<DirectoryContext, 'bus' | 'clock'>, what: Revoked, id: string): Promise<void> {
  if (id.includes('.')) return
  await bus.bucket('revocations').put(keys.revocation(what, id), { at: clock.now() })
}
