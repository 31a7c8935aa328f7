// Changes of a location's checks, for its remote probers. A request names a position and returns all later changes. If there are none yet,
// the request waits.
import { type Allowance, createAllowance } from '#shared/async/allowance.ts'
import { pause } from '#shared/async/pause.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { Change, Changes, CheckBucket, DoorRequest } from '#shared/contracts/observations/door.ts'
import { refusal } from '#shared/errors.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { withOpened } from '#shared/secrecy/seals.ts'
import { nameIn } from './change-log.ts'
import type { DoorContext } from './door-context.ts'

/**
 * Reason for which a waiting request continues: a check of one bucket or the list of probers (`members`) has changed. `nothing`: the wait
 * has ended without a change.
 */
export type Changed = CheckBucket | 'members'
type Woken = Changed | 'nothing'

export interface DoorChanges {
  /** Resolves to the changes after a position. Rejects with a BusError or `busy`; the caller may retry. */
  after(request: DoorRequest<'changes'>): Promise<Changes>
  /** Wakes waiting requests. After a change of checks they read again; with `members`, they return the list of probers. */
  wake(what: Changed): void
  /** Makes all waiting requests return. Later requests return without a wait. */
  stop(): void
}

const {
  changesCharacters,
  changesCharactersPerSecond,
  changesCharactersAtOnce,
  parked: mostParked,
  parkMs,
  gatherMs,
  answerMs,
} = doorLimits
/**
 * A location may read a limited number of characters a second. A read from the bus counts as this many characters, in addition to its
 * result.
 */
const readingCharacters = 64 * 1024

/** Returns what the requests of a location for the changes of all buckets may read together. */
export const changesAllowance = ({ clock }: Pick<DoorContext, 'clock'>): Allowance =>
  createAllowance(clock, changesCharactersPerSecond, changesCharactersAtOnce)

export function openDoorChanges(context: DoorContext, of: CheckBucket, allowance: Allowance): DoorChanges {
  const { clock, location, members, logs, seals } = context
  const log = logs[of]
  const read = createReading(context, of)
  const parked = new Set<(woken: Woken) => void>()
  let stopped = false

  const take = async (characters: number) => {
    const waitMs = allowance.take(characters, answerMs)
    if (waitMs === null) throw refusal('busy', 'Too many questions', 'the location asks for too many checks')
    await pause(clock, waitMs)
  }
  const park = () => {
    const { promise, resolve } = Promise.withResolvers<Woken>()
    const end = (woken: Woken) => {
      cancel()
      parked.delete(end)
      resolve(woken)
    }
    const cancel = clock.schedule(parkMs, () => end('nothing'))
    parked.add(end)
    return { woken: promise, forget: () => end('nothing') }
  }
  const wake = (woken: Woken) => {
    for (const end of [...parked]) end(woken)
  }
  const next = async (after: DoorRequest<'changes'>['after']): Promise<Changes> => {
    const known = log.after(location.id, after)
    if (known === null) await take(readingCharacters)
    const found = known ?? (await read(after))
    // A prober on another machine has no key.
    const changes = found.changes.map(change => ({ ...change, value: withOpened(change.value, seals) }))
    const answer = cut({ ...found, changes })
    await take(charactersOf(answer.changes))
    return answer
  }
  return {
    after: async ({ after }) => {
      await log.follow()
      for (;;) {
        if (parked.size >= mostParked) throw refusal('busy', 'Too many questions', 'too many wait for changes')
        // The request is registered before the read, so that a change between the read and the wait also wakes it.
        const place = park()
        try {
          const found = await next(after)
          if (stopped || found.changes.length > 0 || !found.isLast || found.position.stream !== after?.stream) return found
          const woken = await place.woken
          if (woken === 'members') return { ...found, members: members.of(location.id) }
          if (woken === 'nothing') return found
        } finally {
          place.forget()
        }
        await pause(clock, gatherMs)
      }
    },
    wake,
    stop: () => {
      stopped = true
      wake('nothing')
    },
  }
}

/** Returns a reader of the bucket's pages. It reads one page at a time; simultaneous requests for the same page share one read. */
function createReading({ bus, location, logs }: DoorContext, of: CheckBucket) {
  const bucket = bus.bucket(of)
  const log = logs[of]
  const reading = new Map<string, Promise<Changes>>()
  let last: Promise<unknown> = Promise.resolve()

  const read = async (after: DoorRequest<'changes'>['after']): Promise<Changes> => {
    const generation = log.generation()
    const page = await bucket.page(keys.checksOfLocation(location.id), after, doorLimits.changes)
    log.learn(page.position, generation)
    const changes = page.entries.flatMap(({ key, revision, at, value }) => {
      const parsed = nameIn(of, key)
      return parsed === null ? [] : [{ ...parsed.name, revision, at: Math.floor(at), value }]
    })
    return { changes, position: page.position, isLast: page.isLast }
  }
  return (after: DoorRequest<'changes'>['after']): Promise<Changes> => {
    const name = JSON.stringify(after)
    const known = reading.get(name)
    if (known !== undefined) return known
    const work = last.then(() => read(after)).finally(() => reading.delete(name))
    last = work.catch(() => undefined)
    reading.set(name, work)
    return work
  }
}

const charactersOf = (changes: readonly Change[]): number => changes.reduce((sum, change) => sum + sizeOf(change), 0)
const sizeOf = (change: Change): number => JSON.stringify(change).length

/** Returns as many changes as one response may contain. The prober's next request gets the remaining changes. */
function cut({ changes, position, isLast }: Changes): Changes {
  let characters = 0
  const count = changes.findIndex((change, i) => {
    characters += sizeOf(change)
    return i > 0 && characters > changesCharacters
  })
  if (count < 0) return { changes, position, isLast }
  const kept = changes.slice(0, count)
  return { changes: kept, position: { stream: position.stream, revision: kept.at(-1)?.revision ?? 0 }, isLast: false }
}
