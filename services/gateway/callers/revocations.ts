// The gateway's only watcher of revocations. A revocation removes a key, person or address from every token memory at once. No revocation
// arrives while the connection to the bus is lost, so the loss of the connection removes all entries.
import type { Bus } from '#shared/bus/port.ts'
import { keys, parseRevocation } from '#shared/bus/subjects.ts'
import type { TokenMemory } from './token-memory.ts'

export type Forgetting = Pick<TokenMemory<unknown>, 'revoke' | 'forgetAll'>

export interface RevocationWatcher {
  close(): Promise<void>
}

/** Resolves once the watcher receives revocations. */
export async function watchRevocations(bus: Bus, memories: readonly Forgetting[]): Promise<RevocationWatcher> {
  const subscription = await bus.bucket('revocations').watch(keys.allRevocations, {
    onEntry: entry => {
      const revoked = parseRevocation(entry.key)
      for (const memory of memories) memory.revoke(revoked)
    },
  })
  const forgetConnection = bus.onConnection(connected => {
    if (connected) return
    for (const memory of memories) memory.forgetAll()
  })
  return {
    close: async () => {
      forgetConnection()
      await subscription.close()
    },
  }
}
