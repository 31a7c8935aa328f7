// Bus, store and clock of one keeper process in the simulation. Calls of the process fail if the process dies or a failure is injected
// (weather.ts).
import { Registry } from 'prom-client'
import { type Bucket, type Bus, BusError, type Incoming } from '#shared/bus/port.ts'
import { parseLease } from '#shared/bus/subjects.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { LevelledContext } from '#shared/service.ts'
import type { Level } from '#shared/store/level.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { putOneByOne } from '#shared/store/put-one-by-one.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Life } from './life.ts'
import { type Outside, reach, type Sky, type Weather } from './weather.ts'

export interface Far extends Outside {
  bus: Bus
  store: Store
  weather: Weather
  level: Level
  /** Returns whether the partition has subjects. Keepers hold no other partitions, because these would only cost time. */
  isUsed(partition: number): boolean
  onError(text: string): void
  /** Called right before a keeper sends a reply. */
  onReply(message: Incoming, reply: unknown): void
}

/** `rate`: speed of this process's clock while a step of the system's clock is corrected. */
export function surroundingsOf(life: Life, far: Far, pace: { rate: number }): LevelledContext {
  return {
    bus: busOf(life, far),
    store: storeOf(life, far, far.weather.store),
    clock: clockOf(life, far, pace),
    logger: loggerOf(far),
    metrics: new Registry(),
    level: {
      number: () => far.level.number(),
      onRaise: listener => far.level.onRaise(number => life.enter(() => listener(number))),
    },
  }
}

function clockOf(life: Life, { time }: Far, pace: { rate: number }): Clock {
  let base = time.now()
  let since = time.elapsed()
  let rate = pace.rate
  const suspendedBeforeMs = time.suspendedMs()
  const now = () => {
    if (rate !== pace.rate) {
      base += (time.elapsed() - since) * rate
      since = time.elapsed()
      rate = pace.rate
    }
    return Math.floor(base + (time.elapsed() - since) * rate) + time.suspendedMs() - suspendedBeforeMs
  }
  return {
    now,
    monotonic: () => time.elapsed(),
    schedule: (delayMs, run) => {
      let isCancelled = false
      const cancel = time.schedule(delayMs, () => life.enter(() => !isCancelled && run()))
      return () => {
        isCancelled = true
        cancel()
      }
    },
  }
}

const writes = new Set(['insert', 'replace', 'advance', 'upsert'])

export function storeOf(life: Life, outside: Outside & { store: Store }, sky: Sky): Store {
  const failure = () => new StoreError('unavailable', 'The store does not answer (simulated).')
  const methods = ['get', 'insert', 'replace', 'advance', 'upsert', 'delete', 'deleteRange', 'find', 'count', 'expire', 'close']
  const store: Record<string, unknown> = {}
  for (const method of methods) {
    const perform = (...given: unknown[]) =>
      (outside.store as never as Record<string, (...given: unknown[]) => Promise<unknown>>)[method]!(...given)
    store[method] = (...given: unknown[]) => {
      const some = () =>
        perform(
          given[0],
          (given[1] as unknown[]).filter(() => outside.random.chance(0.5)),
        )
      return reach(life, outside, {
        sky,
        act: () => perform(...given),
        failure,
        ...(writes.has(method) ? { actInPart: some } : {}),
      })
    }
  }
  // The keeper calls `ping` each second. A ping draws no random number, so that the run does not depend on the number of pings.
  const ping = () => life.pass(sky.isGone ? Promise.reject(failure()) : outside.store.ping())
  return { ...store, ping, putInOrder: putOneByOne(store as never) } as never
}

function busOf(life: Life, far: Far): Bus {
  const { bus, weather } = far
  const failure = () => new BusError('unavailable', 'The bus does not answer (simulated).')
  const through = <T>(act: () => Promise<T>) => reach(life, far, { sky: weather.bus, act, failure })
  const inOrder = <T>(hear: (heard: T) => void) => delayedInOrder(far, (heard: T) => life.enter(() => hear(heard)))
  const stream = bus.observations
  return {
    observations: {
      publish: (subject, body) => through(() => stream.publish(subject, body)),
      state: () => through(() => stream.state()),
      lastSequenceOf: (partition, since) => through(() => stream.lastSequenceOf(partition, since)),
      firstSequenceOf: (partition, sequence) => through(() => stream.firstSequenceOf(partition, sequence)),
      purgeBelow: sequence => through(() => stream.purgeBelow(sequence)),
      open: async options => {
        let isOpen = true
        const inTurn = inOrder((tell: () => void) => isOpen && tell())
        const onMessage: typeof options.onMessage = message => {
          inTurn(() => options.onMessage(message))
          return true
        }
        // Delivered in turn, so that it reaches the keeper after all reports that still wait.
        const onHearing = () => inTurn(() => options.onHearing?.())
        const onDeaf = (forMs: number) => life.enter(() => isOpen && options.onDeaf?.(forMs))
        const onBroken = (reason: string) => life.enter(() => isOpen && options.onBroken(reason))
        const feed = await through(() => stream.open({ ...options, onMessage, onBroken, onDeaf, onHearing }))
        const close = () => {
          isOpen = false
          return life.pass(feed.close())
        }
        return { resume: () => feed.resume(), close }
      },
    },
    bucket: name => bucketOf(life, far, bus.bucket(name), name === 'leases', through),
    request: (subject, body, options) => life.pass(bus.request(subject, body, options)),
    publish: (subject, body, traceId) => bus.publish(subject, body, traceId),
    subscribe: (subject, onMessage, options) =>
      through(() => bus.subscribe(subject, message => hearCommand(life, far, message, onMessage), options)),
    connected: () => bus.connected(),
    tryMs: bus.tryMs,
    onConnection: listener => bus.onConnection(isUp => life.enter(() => listener(isUp))),
    clockOffset: now => life.pass(bus.clockOffset(now)),
    close: () => bus.close(),
  }
}

/** Returns a listener that calls `hear` after a random delay. A later message never overtakes an earlier one. */
function delayedInOrder<T>({ time, random, weather }: Far, hear: (heard: T) => void): (heard: T) => void {
  let earliest = 0
  return heard => {
    if (weather.feedMs === 0 && earliest <= time.elapsed()) return hear(heard)
    earliest = Math.max(earliest, time.elapsed() + random.next() * weather.feedMs)
    time.schedule(earliest - time.elapsed(), () => hear(heard))
  }
}

function hearCommand(
  life: Life,
  { time, random, weather, onReply }: Far,
  message: Incoming,
  onMessage: (message: Incoming) => void,
): void {
  if (random.chance(weather.lostCommands)) return
  const respond = (reply: unknown) => {
    if (life.isDead()) return
    onReply(message, reply)
    if (!random.chance(weather.lostReplies)) message.respond(reply)
  }
  const hear = () => life.enter(() => onMessage({ ...message, respond }))
  hear()
  if (random.chance(weather.doubledCommands)) time.schedule(random.integer(0, 1_500), hear)
}

function bucketOf(
  life: Life,
  far: Far,
  bucket: Bucket,
  isLeases: boolean,
  through: <T>(act: () => Promise<T>) => Promise<T>,
): Bucket {
  return {
    get: key => through(() => bucket.get(key)),
    put: (key, value) => through(() => bucket.put(key, value)),
    update: (key, value, revision) => {
      // The call never ends: after any response the keeper would ask again each second for every partition without a subject.
      if (isLeases && !far.isUsed(parseLease(key) ?? -1)) return new Promise(() => undefined)
      return through(() => bucket.update(key, value, revision))
    },
    delete: key => through(() => bucket.delete(key)),
    deleteAt: (key, revision) => through(() => bucket.deleteAt(key, revision)),
    purge: filter => through(() => bucket.purge(filter)),
    list: filter => through(() => bucket.list(filter)),
    page: (filter, after, most) => through(() => bucket.page(filter, after, most)),
    watch: (filter, { onEntry, onReady }) =>
      through(() =>
        bucket.watch(filter, {
          onEntry: entry => life.enter(() => onEntry(entry)),
          ...(onReady === undefined ? {} : { onReady: () => life.enter(onReady) }),
        }),
      ),
  }
}

function loggerOf({ note, onError }: Far): Logger {
  const say = (level: string) => (facts: object, sentence?: string) => {
    const { err, ...rest } = facts as { err?: Error }
    note(`${level}: ${sentence ?? ''} ${JSON.stringify(rest)} ${err === undefined ? '' : err.message}`)
    if (level === 'error') onError(`${sentence ?? ''}: ${err?.stack ?? ''}`)
  }
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']
  const logger = Object.fromEntries(levels.map(level => [level, say(level)]))
  return Object.assign(logger, { child: () => logger, isLevelEnabled: () => true }) as never
}
