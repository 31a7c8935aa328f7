// Examination of a bus for `./watchkeeper doctor`: each server of the address, JetStream, streams, consumers, clock and presence. Makes no
// stream, no consumer and no entry.
import { type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node'
import { measureOffset } from '#shared/bus/clock-offset.ts'
import { bucketStream, bucketSubject, declaredStreams } from '#shared/bus/declarations.ts'
import { connectToNats } from '#shared/bus/nats/nats-connect.ts'
import { type ConnectBusOptions, connectionOptions } from '#shared/bus/nats/nats-options.ts'
import { jsonOf } from '#shared/bus/nats/nats-stream.ts'
import type { ClockOffset } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Clock, wallOf } from '#shared/time/clock.ts'

export interface ExaminedServer {
  /** Host and port. */
  server: string
  /** Why it cannot be used, without a secret; null: it can. */
  fault: string | null
  version: string | null
}

export interface ExaminedStream {
  name: string
  isPresent: boolean
  copies: number
  hasLeader: boolean
  /** Names of servers whose copy is behind, and of servers with a copy that are away. */
  behind: string[]
  offline: string[]
  consumers: number
  /** Largest number of consumers; 0 or less: the stream says nothing. */
  mostConsumers: number
  bytes: number
  /** 0 or less: no bound. */
  mostBytes: number
}

export interface PresentProcess {
  /** Such as `keeper`, `gateway` or `prober`. */
  service: string
  id: string
  /** Null: its presence does not say. */
  version: string | null
  /** Newest number of migrations that it knows; 0: it is of a release without a level, or its presence never says. */
  knows: number
}

export interface ExaminedBus {
  servers: ExaminedServer[]
  /** True: the credentials are a prober's, so that nothing behind the door can be examined. */
  isDoorOnly: boolean
  /** Use of the account's file storage, bytes; `mostBytes` 0 or less: no bound. Null: there is no JetStream, or it was not asked. */
  files: { usedBytes: number; mostBytes: number } | null
  /** Null: not asked. */
  streams: ExaminedStream[] | null
  offset: ClockOffset | null
  present: PresentProcess[] | null
  /** What the bus knows of the store; null: nothing. */
  installation: { installationId: string; commits: number | null } | null
}

export type ExamineBusOptions = Omit<ConnectBusOptions, 'patienceMs' | 'logger'> & { clock: Clock }

/** Largest number of processes of which the presence is read. */
const presentMost = 500
const readAtOnce = 32

/** Never rejects because a server is away. Rejects with an Error with a sentence if an address or a file is invalid. */
export async function examineBus(options: ExamineBusOptions): Promise<ExaminedBus> {
  const { settings, locationId } = await connectionOptions({ ...options, patienceMs: limits.start.commandMs, logger: silent })
  const addresses = [settings.servers ?? []].flat()
  const reached = await Promise.all(addresses.map(server => reach(server, settings)))
  const connections = reached.flatMap(({ connection }) => connection ?? [])
  const servers = reached.map(({ server, fault, connection }) => ({ server, fault, version: connection?.info?.version ?? null }))
  const nothing = { files: null, streams: null, offset: null, present: null, installation: null }
  try {
    const [connection] = connections
    if (connection === undefined || locationId !== null) return { servers, isDoorOnly: locationId !== null, ...nothing }
    const manager = await jetstreamManager(connection, { timeout: limits.bus.clustered.administrationMs, checkAPI: false })
    const account = await manager.getAccountInfo().catch(() => null)
    if (account === null) return { servers, isDoorOnly: false, ...nothing }
    const infos = await Promise.all(declaredStreams.map(name => infoOf(manager, name)))
    const isThere = (name: string) => infos.some(info => info?.config.name === name)
    return {
      servers,
      isDoorOnly: false,
      files: { usedBytes: account.storage, mostBytes: account.limits.max_storage },
      streams: declaredStreams.map((name, index) => examined(name, infos[index] ?? null)),
      offset: isThere(bucketStream('checks')) ? await offsetOf(manager, options.clock) : null,
      present: isThere(bucketStream('presence')) ? await presentOn(manager) : null,
      installation: isThere(bucketStream('installation')) ? await installationOn(manager) : null,
    }
  } finally {
    await Promise.all(connections.map(connection => connection.close().catch(() => undefined)))
  }
}

const silent = { warn: () => undefined } as never

interface Reached {
  server: string
  fault: string | null
  connection: NatsConnection | null
}

async function reach(server: string, settings: ConnectionOptions): Promise<Reached> {
  try {
    const connection = await connectToNats({
      ...settings,
      servers: [server],
      ignoreClusterUpdates: true,
      ignoreAuthErrorAbort: false,
      reconnect: false,
      timeout: limits.start.commandMs,
    })
    return { server, fault: null, connection }
  } catch (error) {
    return { server, fault: reasonOf(error as Error), connection: null }
  }
}

/** Returns the reason in a few words; words of a library that this file does not know are kept. */
function reasonOf(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error
  const text = `${error.message} ${cause.message} ${(cause as NodeJS.ErrnoException).code ?? ''}`
  if (/authori[sz]ation|authentication/i.test(text)) return 'it refuses the credentials'
  if (/certificate|self-signed|altname/i.test(text)) return `its certificate is not trusted: ${cause.message}`
  if (/ECONNREFUSED|connection refused/i.test(text)) return 'nothing listens there'
  if (/ENOTFOUND|EAI_AGAIN/.test(text)) return 'its name is not known'
  if (/timeout|ETIMEDOUT/i.test(text)) return 'it does not answer'
  return error.message
}

/** Returns null if the stream is missing, or if nobody answers for it. */
const infoOf = (manager: JetStreamManager, name: string): Promise<StreamInfo | null> =>
  manager.streams.info(name).catch(() => null)

function examined(name: string, info: StreamInfo | null): ExaminedStream {
  if (info === null) {
    const nothing = { copies: 0, consumers: 0, mostConsumers: 0, bytes: 0, mostBytes: 0, behind: [], offline: [] }
    return { name, isPresent: false, hasLeader: false, ...nothing }
  }
  const { config, state, cluster } = info
  const others = cluster?.replicas ?? []
  return {
    name,
    isPresent: true,
    copies: config.num_replicas,
    // A server alone has no cluster, and leads everything.
    hasLeader: cluster === undefined || (cluster.leader ?? '') !== '',
    behind: others.filter(({ current, offline }) => !current && !offline).map(other => other.name),
    offline: others.filter(({ offline }) => offline).map(other => other.name),
    consumers: state.consumer_count,
    mostConsumers: config.max_consumers,
    bytes: state.bytes,
    mostBytes: config.max_bytes,
  }
}

/** Returns null for a server that does not say its time (before 2.10). */
async function offsetOf(manager: JetStreamManager, clock: Clock): Promise<ClockOffset | null> {
  const ask = async () => {
    const { ts } = await manager.streams.info(bucketStream('checks'))
    return { at: Date.parse(String(ts)), errorMs: 0 }
  }
  const offset = await measureOffset(clock, () => wallOf(clock), ask).catch(() => null)
  return offset === null || Number.isNaN(offset.aheadMs) ? null : offset
}

async function presentOn(manager: JetStreamManager): Promise<PresentProcess[]> {
  const stream = bucketStream('presence')
  const { state, ts } = await manager.streams.info(stream, { subjects_filter: bucketSubject('presence', keys.allPresent) })
  const subjects = Object.keys(state.subjects ?? {}).slice(0, presentMost)
  const present: PresentProcess[] = []
  for (let start = 0; start < subjects.length; start += readAtOnce) {
    const read = subjects.slice(start, start + readAtOnce).map(async subject => {
      const message = await manager.streams.getMessage(stream, { last_by_subj: subject }).catch(() => null)
      if (message === null || message.data.length === 0) return null
      if (Date.parse(String(ts)) - message.time.getTime() > 2 * limits.presence.goneMs) return null
      return processOf(subject.slice(bucketSubject('presence', '').length), jsonOf(message))
    })
    present.push(...(await Promise.all(read)).filter(one => one !== null))
  }
  return present
}

function processOf(key: string, value: unknown): PresentProcess {
  const [service = '', ...rest] = key.split('.')
  const { version: said, knows } = (value ?? {}) as { version?: unknown; knows?: unknown }
  const isShort = typeof said === 'string' && said.length <= limits.presence.versionCharacters
  return { service, id: rest.join('/'), version: isShort ? said : null, knows: typeof knows === 'number' ? knows : 0 }
}

async function installationOn(manager: JetStreamManager): Promise<ExaminedBus['installation']> {
  const subject = bucketSubject('installation', keys.installation)
  const message = await manager.streams.getMessage(bucketStream('installation'), { last_by_subj: subject }).catch(() => null)
  if (message === null || message.data.length === 0) return null
  const { id, commits = null } = jsonOf(message) as { id?: unknown; commits?: number | null }
  return typeof id === 'string' ? { installationId: id, commits } : null
}
