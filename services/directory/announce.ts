// Announces on the bus that this directory runs, so that nobody finishes an upgrade while a directory of an earlier version does (ADR 36).
import { repeat } from '#shared/async/repeat.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import type { ServiceContext } from '#shared/service.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { randomId } from '#shared/text/ids.ts'

/** Starts to announce at once. Returns a function that ends this, and withdraws the last announcement. */
export function announceDirectory({ bus, clock, logger }: Pick<ServiceContext, 'bus' | 'clock' | 'logger'>): () => Promise<void> {
  const presence = bus.bucket('presence')
  const key = keys.directoryPresence(randomId(8))
  const onError = (error: unknown) => logger.debug({ error: String(error) }, 'presence of the directory not stored')
  const announcing = repeat({ clock, everyMs: limits.presence.beatMs, onError }, async () => {
    await presence.put(key, { knows: latestNumber(migrations) })
  })
  void announcing.soon()
  return async () => {
    await announcing.stop()
    await presence.delete(key).catch(() => undefined)
  }
}
