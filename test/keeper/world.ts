// Keeper in a world under a test's control: memory bus and store, and a clock that only the test moves.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { WebsiteCheck } from '#shared/checks/website/website.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Service } from '#shared/service.ts'
import type { Level } from '#shared/store/level.ts'
import type { Store } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { randomId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import { announceGateway } from '../../services/gateway/presence.ts'
import { type KeeperOptions, startKeeper } from '../../services/keeper/app.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { websiteCheck } from '../support/checks.ts'
import { presentLevel } from '../support/present-level.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { storedFreshness } from '../support/stored-freshness.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

export const minute = 60_000
export const websiteMeta = websiteCheck()

export interface KeeperHandle {
  bus: Bus
  service: Service
  metrics: Registry
}

export function createWorld(
  wrapStore: (store: Store) => Store = store => store,
  wrapClock: (clock: Clock) => Clock = clock => clock,
  level: Level = presentLevel(),
) {
  const clock = createVirtualClock()
  const hub = createMemoryHub({ clock })
  const store = createMemoryStore()
  const client = hub.connect()
  /** Messages of the keepers' logs, of level info and above. */
  const logged: string[] = []
  const note = (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg)
  const noting = pino({ level: 'info' }, { write: note })
  const gateway = announceGateway({ bus: client, clock, logger: noting }, async () => undefined)
  const nudged: string[] = []
  const nudges = client.subscribe(subjects.alertNudge, message =>
    nudged.push(...(message.body as { alertIds: string[] }).alertIds),
  )

  const startOne = async (
    options: Partial<KeeperOptions> = {},
    wrapBus: (bus: Bus) => Bus = bus => bus,
    logger = noting,
    ownLevel = level,
  ): Promise<KeeperHandle> => {
    await nudges
    const bus = hub.connect()
    const context = {
      bus: wrapBus(bus),
      clock: wrapClock(clock),
      store: wrapStore(store),
      level: ownLevel,
      logger,
      metrics: new Registry(),
    }
    const keeperId = options.keeperId ?? `k${randomId(4)}`
    const starting = startKeeper(context, {
      exclusive: false,
      confirmAfterMs: 2 * minute,
      closeAfterMs: 2 * minute,
      ...options,
      keeperId,
    })
    await clock.advance(100)
    return { bus, service: await starting, metrics: context.metrics }
  }
  const command = async (subjectId: string, body: Omit<Command, 'id'> & { id?: string }): Promise<Reply> => {
    const asked = client.request(subjects.command(subjectId), { id: randomId(8), ...body }, { timeoutMs: 5_000 })
    await clock.advance(1)
    return (await asked) as Reply
  }
  const create = async (check: Partial<WebsiteCheck> = {}, subjectId = randomId(10)): Promise<string> => {
    const body = {
      kind: 'create-website' as const,
      workspaceId: 'w',
      slug: `s-${subjectId}`,
      name: 'Site',
      check: { ...websiteMeta, ...check },
    }
    const reply = await command(subjectId, body as never)
    if (!reply.ok) throw new Error(reply.error.message)
    return subjectId
  }
  const report = async (
    subjectId: string,
    ok: boolean,
    over: Partial<CheckResult> = {},
    location = 'aaaa',
    thenMs = ok ? limits.keeper.gatherMs + 1 : 1,
  ): Promise<void> => {
    const phases = { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs: 3 }
    const error = ok ? null : 'status 503, expected 200'
    const result: CheckResult = { rev: 1, slotAt: clock.now(), ageMs: 0, ok, error, statusCode: ok ? 200 : 503, phases, ...over }
    await client.observations.publish(subjects.observation(location, subjectId), result)
    // A failure is judged at once. A passed check waits a moment so that others share its round.
    await clock.advance(thenMs)
  }
  const subject = async (id: string) => (await store.get('subjects', [id]))[0] ?? null
  /** Returns the newest slot of a location that is stored, in the document or in the checkpoint. */
  const keptSlot = async (id: string, location = 'aaaa') => {
    const record = (await storedFreshness(store, partitionOf(id))).get(id)
    const fresh = record?.[4].find(([at]) => at === location)?.[1] ?? 0
    return Math.max(fresh, (await subject(id))?.readings[location]?.slotAt ?? 0)
  }
  const incidents = (id: string) =>
    store.find('incidents', { where: { subjectId: id }, sort: [['troubleSince', 'asc']], limit: 100 })
  const alerts = (id: string) => store.find('alerts', { where: { subjectId: id }, limit: 100 })
  const history = (id: string) => store.find('history', { where: { subjectId: id }, sort: [['at', 'asc']], limit: 100 })
  return {
    clock,
    hub,
    store,
    client,
    gateway,
    logger: noting,
    logged,
    nudged,
    startOne,
    command,
    create,
    report,
    subject,
    keptSlot,
    incidents,
    alerts,
    history,
  }
}
