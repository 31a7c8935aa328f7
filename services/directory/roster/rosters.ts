// Rosters in the memory of this directory: one for each workspace that was read recently. The number of rosters and the sum of their rows
// are bounded.
import { Gauge, type Registry } from 'prom-client'
import { repeatWhile } from '#shared/async/repeat.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { RosterPage } from '#shared/contracts/subjects/roster.ts'
import { limits } from '#shared/limits/limits.ts'
import { registeredMetric } from '#shared/observability/registered-metric.ts'
import { openRoster, type Roster, type RosterContext } from './roster.ts'

export interface Rosters {
  page(request: AskRequest<'list-roster'>): Promise<RosterPage>
  stop(): Promise<void>
}

interface KeptRoster {
  roster: Promise<Roster>
  /** Open roster; null: it is still being opened. */
  opened: Roster | null
  /** Instant at which the roster was last read, ms of the monotonic clock. */
  lookedAt: number
}

const bounds = limits.roster

export function createRosters(context: RosterContext, metrics: Registry): Rosters {
  const { bus, clock } = context
  /** Rosters by workspace, least recently read first. */
  const kept = new Map<string, KeptRoster>()
  const drop = (workspaceId: string) => {
    const closing = kept.get(workspaceId)?.roster
    kept.delete(workspaceId)
    void closing?.then(roster => roster.close()).catch(() => undefined)
  }
  const keep = (workspaceId: string): KeptRoster => {
    const one: KeptRoster = kept.get(workspaceId) ?? { roster: openRoster(context, workspaceId), opened: null, lookedAt: 0 }
    one.lookedAt = clock.monotonic()
    kept.delete(workspaceId)
    kept.set(workspaceId, one)
    looking.begin()
    return one
  }
  const rowsKept = () => [...kept.values()].reduce((sum, { opened }) => sum + (opened?.size ?? 0), 0)
  /** While there are too many rosters or rows, drops the least recently read roster. One roster always stays. */
  const dropBeyondBounds = () => {
    for (const workspaceId of [...kept.keys()]) {
      if (kept.size <= 1 || (kept.size <= bounds.rosters && rowsKept() <= bounds.rows)) return
      drop(workspaceId)
    }
  }
  const dropUnseen = () => {
    for (const [workspaceId, { lookedAt }] of [...kept]) if (clock.monotonic() - lookedAt >= bounds.keptMs) drop(workspaceId)
  }
  const looking = repeatWhile(clock, bounds.lookMs, () => kept.size > 0, dropUnseen)
  const stopHearing = bus.onConnection(() => {
    for (const { opened } of kept.values()) opened?.doubt()
  })
  measure(metrics, rowsKept)
  return {
    page: async ({ workspaceId, ...asked }) => {
      const one = keep(workspaceId)
      try {
        one.opened = await one.roster
        return await one.opened.page(asked)
      } catch (error) {
        if (kept.get(workspaceId) === one) drop(workspaceId)
        throw error
      } finally {
        dropBeyondBounds()
      }
    },
    stop: async () => {
      looking.stop()
      stopHearing()
      const closing = [...kept.values()].map(({ roster }) => roster.then(open => open.close()).catch(() => undefined))
      kept.clear()
      await Promise.all(closing)
    },
  }
}

function measure(registry: Registry, rows: () => number): void {
  registeredMetric(registry, 'watchkeeper_directory_roster_rows', name => {
    const help = 'Rows of rosters in memory'
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(rows()) })
    return gauge
  })
}
