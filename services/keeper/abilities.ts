// Kinds of checks that nobody can make at a location, according to the presence of its probers. Owns the present state of all locations, and
// reports each change of it. Decides nothing about subjects. Reference: docs/reference/v3.md, 3.22.
import { repeat } from '#shared/async/repeat.ts'
import type { Bus } from '#shared/bus/port.ts'
import { type ProberPresence, watchProbers } from '#shared/bus/probers/prober-presence.ts'
import { inabilitiesOf } from '#shared/checks/abilities.ts'
import { checkKinds } from '#shared/checks/registry.ts'
import { limits } from '#shared/limits/limits.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import type { Clock } from '#shared/time/clock.ts'

/** Returns why no live prober of a location can make checks of a kind, a sentence; null: one can, or none lives. `kind`: its word. */
export type InabilityAt = (locationId: string, kind: string) => string | null

export interface Abilities {
  inabilityAt: InabilityAt
  /** Resolves when all present probers are known. `onChange` is called after the answers for a location have changed. */
  start(onChange: (locationId: string) => void): Promise<void>
  stop(): Promise<void>
}

/** Before `start`, nobody is unable. */
export function createAbilities({ bus, clock }: { bus: Pick<Bus, 'bucket'>; clock: Clock }): Abilities {
  const unable = new Map<string, Readonly<Record<string, string>>>()
  let end: () => Promise<unknown> = async () => undefined
  return {
    inabilityAt: (locationId, kind) => unable.get(locationId)?.[kind] ?? null,
    start: async onChange => {
      const words = checkKinds().map(({ key }) => key)
      let presence: ProberPresence | null = null
      const look = (locationId: string): void => {
        const present = inabilitiesOf(presence?.probersAt(locationId) ?? [], words)
        if (isSameValue(present, unable.get(locationId) ?? {})) return
        unable.set(locationId, present)
        onChange(locationId)
      }
      const lookAtAll = () => presence?.locations().forEach(look)
      presence = await watchProbers(bus.bucket('presence'), clock, ({ locationId }) => void (presence && look(locationId)))
      lookAtAll()
      // A prober that dies sends no message about its end: it only stops sending heartbeats.
      const looking = repeat({ clock, everyMs: limits.presence.beatMs }, lookAtAll)
      end = () => Promise.all([looking.stop(), presence?.close()])
    },
    stop: async () => void (await end()),
  }
}
