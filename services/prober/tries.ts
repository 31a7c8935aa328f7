// Checks that somebody tries before saving a monitor. They take no part in schedule, shedding and reports, and a busy prober refuses them.
import { serve } from '#shared/bus/clients/serve.ts'
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Abilities } from '#shared/checks/abilities.ts'
import { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { TriedCheck } from '#shared/contracts/observations/try.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { type Seals, withOpened } from '#shared/secrecy/seals.ts'
import type { CheckContext } from './checks/checker.ts'
import { checkOf, isKnownEntry } from './checks/registry.ts'
import type { Shedding } from './shedding.ts'

interface TryOptions {
  bus: Bus
  logger: Logger
  locationId: string
  /** Kinds of checks that this prober knows. */
  kinds: Abilities
  context: CheckContext
  seals: Seals | null
  shedding: Pick<Shedding, 'share'>
}

/** Resolves when tries of the kinds that this prober can make are served. One prober of the location makes each of them. */
export async function serveTries({
  bus,
  logger,
  locationId,
  kinds,
  context,
  seals,
  shedding,
}: TryOptions): Promise<Subscription> {
  let running = 0
  const make = async (entry: CheckEntry): Promise<TriedCheck> => {
    if (!isKnownEntry(entry)) return { unanswered: 'the prober there is older than this kind of check' }
    if (running >= limits.tries.atOnce || shedding.share() > 0)
      return { unanswered: 'the prober there is busy: try again in a moment' }
    running++
    try {
      return await new Promise(resolve => checkOf(entry, context, resolve).start())
    } finally {
      running--
    }
  }
  const able = Object.keys(kinds).filter(kind => kinds[kind] === null)
  const served = await Promise.all(
    able.map(kind =>
      serve(bus, {
        subject: subjects.tryCheck(locationId, kind),
        queue: 'tries',
        contractOf: () => CheckEntry,
        logger,
        serve: body => make(withOpened(body as CheckEntry, seals)),
      }),
    ),
  )
  return { close: async () => void (await Promise.all(served.map(one => one.close()))) }
}
