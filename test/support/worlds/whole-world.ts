// The world of `startApiWorld`, but with the real keeper in virtual time. HTTP works while the clock is stopped. Delays, silences and
// reminders take effect only when the test advances the clock. Directory, gateway and keeper use the memory bus and store.
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { WebsiteEntry } from '#shared/checks/website/website.ts'
import type { Role } from '#shared/contracts/account.ts'
import type { CheckEntry, CheckList, CheckResult } from '#shared/contracts/observations/check.ts'
import { limits } from '#shared/limits/limits.ts'
import { newSealingKey } from '#shared/secrecy/seals.ts'
import { startDirectory } from '../../../services/directory/app.ts'
import { createGateway } from '../../../services/gateway/app.ts'
import { startKeeper } from '../../../services/keeper/app.ts'
import { createMemoryHub, type MemoryHub } from '../bus/memory-bus.ts'
import { entryAt } from '../check-entries.ts'
import { presentLevel } from '../present-level.ts'
import { createMemoryStore, type MemoryStore } from '../store/memory-store.ts'
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts'
import { type Answer, addPerson, type CallOptions, call, incidentSalt, version } from './api-world.ts'
import { cheapPasswords } from './cheap-passwords.ts'

export interface WholeWorld {
  clock: VirtualClock
  store: MemoryStore
  /** Address of the gateway. */
  address: string
  hub: MemoryHub
  /** The gateway's connection. */
  gatewayBus: Bus
  /** Returns the number of event streams that were closed because their reader was too slow. */
  cutStreams(): Promise<number>
  /** A connection for the test's own use. */
  bus: Bus
  logged: string[]
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  dump(): Promise<string>
  addPerson(
    name: string,
    roles: Record<string, Role>,
    more?: { disabled?: boolean; displayName?: string },
  ): Promise<{ userId: string; keyId: string; token: string }>
  /** Locations by name; ids are `aaaa`, `bbbb`, … in the order given. */
  addLocations(names: readonly string[]): Promise<void>
  /** Returns the check entry of a monitor for a prober of this location; null: the location does not check the monitor. */
  checkEntry(locationId: string, subjectId: string): Promise<WebsiteEntry | null>
  /**
   * Reports a check result of this location now, on its present assignment unless `over` replaces it. Resolves when the result is judged.
   */
  report(subjectId: string, locationId: string, ok: boolean, over?: Partial<CheckResult>): Promise<void>
  stop(): Promise<void>
}

export const confirmMs = 120_000
export const closeMs = 120_000

/** Key of the secrets that the gateway seals. */
export const sealingKey = newSealingKey()

/** `delays`: delays of monitors that name none; absent: two minutes each. */
export async function startWholeWorld(delays = { confirmAfterMs: confirmMs, closeAfterMs: closeMs }): Promise<WholeWorld> {
  const clock = createVirtualClock()
  const store = createMemoryStore()
  const hub = createMemoryHub({ clock })
  const logged: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) })
  const around = () => ({ bus: hub.connect(), clock, logger, metrics: new Registry(), store, level: presentLevel() })
  const directory = await startDirectory(around(), { passwordCost: cheapPasswords, websiteHolds: delays })
  const starting = startKeeper(around(), { keeperId: 'keeper', exclusive: true, incidentSalt, ...delays })
  await clock.advance(100)
  const keeper = await starting
  const gatewayAround = around()
  const { fastify, service: gateway } = await createGateway(gatewayAround, { version, incidentSalt, secretsKey: sealingKey })
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`
  const bus = hub.connect()
  const checkEntry: WholeWorld['checkEntry'] = async (locationId, subjectId) =>
    (await entryAt(bus, locationId, subjectId)) as WebsiteEntry | null
  return {
    clock,
    store,
    address,
    hub,
    gatewayBus: gatewayAround.bus,
    cutStreams: async () => {
      const shown = await gatewayAround.metrics.getSingleMetricAsString('watchkeeper_gateway_event_streams_cut_total')
      return Number(shown.split(' ').at(-1))
    },
    bus,
    logged,
    call: (method, path, given = {}) => call(address, method, path, given),
    dump: async () => store.dump(),
    addPerson: (name, roles, more) => addPerson({ store, clock }, name, roles, more),
    addLocations: async names => {
      const made = names.map((name, i) => ({
        id: 'abcdefgh'.charAt(i).repeat(4),
        rev: 1,
        name,
        displayName: null,
        createdAt: clock.now(),
      }))
      await store.insert('locations', made)
    },
    checkEntry,
    report: async (subjectId, location, ok, over = {}) => {
      const entry = (await checkEntry(location, subjectId)) as CheckEntry | CheckList | null
      const result = resultOf(ok, entry?.rev ?? 1, clock.now())
      // Of several checks, the first one is meant.
      const named = entry !== null && 'checks' in entry ? { signal: (entry as CheckList).checks[0]?.signal ?? '' } : {}
      await bus.observations.publish(subjects.observation(location, subjectId), { ...result, ...named, ...over })
      // A failure is judged at once. A passed check waits a moment before it is judged, so that other checks share its round.
      await clock.advance(ok ? limits.keeper.gatherMs + 1 : 1)
    },
    stop: async () => {
      const stopping = Promise.all([gateway.stop(), keeper.stop(), directory.stop()])
      await clock.advance(1_000)
      await stopping
    },
  }
}

function resultOf(ok: boolean, rev: number, slotAt: number): CheckResult {
  const phases = { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs: 3 }
  const error = ok ? null : 'status 503, expected 200'
  return { rev, slotAt, ageMs: 0, ok, error, statusCode: ok ? 200 : 503, phases }
}
