// The gateway's one watcher of revocations: a revoked key, person or address leaves every token memory at once. While the bus is away no revocation
// arrives: a lost connection removes all entries.
import type { Bus } from '#shared/bus/port.ts'
import { keys, parseRevocation } from '#shared/bus/subjects.ts'
import type { TokenMemory } from './token-memory.ts'

type Forgetting = Pick<TokenMemory<unknown>, 'revoke' | 'forgetAll'>

export interface RevocationWatcher {
  close(): Promise<void>
}

/** Resolves once revocations are heard. */
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
