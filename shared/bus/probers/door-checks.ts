// Watch of a location's checks, of one bucket, through the door. It requests the changes after a position; the door responds when there is a change. The
// position is a revision of the bucket. Therefore no change is missed or repeated, even after a long outage, or if another directory
// responds.

import { BusError, type Subscription } from '#shared/bus/port.ts'
import { PresentKeys, type WatchHandlers } from '#shared/bus/present-keys.ts'
import { type Door, DoorRefusal } from '#shared/bus/probers/door.ts'
import type { DoorMembers } from '#shared/bus/probers/door-members.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { ChangedName, Changes, CheckBucket } from '#shared/contracts/observations/door.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel } from '#shared/time/clock.ts'

const { parkMs, answerMs, lookMs } = doorLimits

/** Resolves after the first response of the door; rejects with a BusError if no response arrives. */
export async function watchDoorChecks(
  door: Door,
  members: DoorMembers,
  of: CheckBucket,
  handlers: WatchHandlers,
): Promise<Subscription> {
  const watch = new ChecksWatch(door, members, of, handlers)
  watch.take(await watch.ask())
  void watch.follow()
  return { close: async () => watch.close() }
}

/** Response of a directory that is older than pages: it has none. */
const noPages = 'no pages'

class ChecksWatch {
  readonly #door: Door
  readonly #members: DoorMembers
  readonly #of: CheckBucket
  readonly #present: PresentKeys
  readonly #stopListening: () => void
  #position: Changes['position'] | null = null
  #isClosed = false
  /** Ends the current wait for a response, or the current pause. */
  #interrupt: () => void = () => undefined

  constructor(door: Door, members: DoorMembers, of: CheckBucket, handlers: WatchHandlers) {
    this.#door = door
    this.#members = members
    this.#of = of
    this.#present = new PresentKeys(handlers, door.clock.now)
    const stopListening = door.onConnection(connected => connected && this.#interrupt())
    // If the directory with the waiting request has died, the response to a heartbeat shows that there are changes, and the request is sent
    // again.
    const forget = members.onChanged(() => {
      if (this.#position !== null && members.changedAt(of) > this.#position.revision) this.#interrupt()
    })
    this.#stopListening = () => {
      stopListening()
      forget()
    }
  }

  /** An older directory does not know this request. It is asked anew each time, because another directory may respond to the next one. */
  async ask(): Promise<Changes | typeof noPages> {
    const after = this.#position
    try {
      return await this.#door.ask('entries', { of: this.#of, after }, parkMs + answerMs)
    } catch (error) {
      if (!(error instanceof DoorRefusal) || error.code !== 'not_found') throw error
      return this.#of === 'checks' ? await this.#door.ask('changes', { after }, parkMs + answerMs) : noPages
    }
  }

  take(answer: Changes | typeof noPages): void {
    if (answer === noPages) {
      this.#present.becomeReady()
      return
    }
    const { changes, position, isLast, members } = answer
    if (members !== undefined) this.#members.hear(members)
    if (this.#position === null || this.#position.stream !== position.stream) this.#present.begin()
    this.#position = position
    for (const { revision, at, value, ...name } of changes) this.#present.take({ key: this.#keyOf(name), revision, at, value })
    if (isLast) this.#present.becomeReady()
  }

  async follow(): Promise<void> {
    let pauseMs: number = limits.report.retryMs
    while (!this.#isClosed) {
      try {
        const changes = await this.#orInterrupted(this.ask())
        if (changes === null || this.#isClosed) continue
        this.take(changes)
        pauseMs = limits.report.retryMs
        if (changes === noPages) await this.#pause(lookMs)
      } catch (error) {
        if (!(error instanceof BusError)) throw error
        this.#door.logger.debug({ err: error }, 'changes of checks could not be read')
        await this.#pause(pauseMs)
        pauseMs = Math.min(pauseMs * 2, limits.report.retryMsMax)
      }
    }
  }

  close(): void {
    this.#isClosed = true
    this.#stopListening()
    this.#interrupt()
  }

  #keyOf(name: ChangedName): string {
    const { locationId } = this.#door
    return 'page' in name ? keys.checkPage(locationId, name.page) : keys.check(locationId, name.subjectId)
  }

  async #pause(ms: number): Promise<void> {
    let cancel: Cancel = () => undefined
    const over = new Promise<void>(resolve => {
      cancel = this.#door.clock.schedule(ms, resolve)
    })
    await this.#orInterrupted(over)
    cancel()
  }

  /** Returns the result of `work`. If `#interrupt` is called first, returns null and drops the result. */
  async #orInterrupted<T>(work: Promise<T>): Promise<T | null> {
    work.catch(() => undefined)
    const interrupted = new Promise<null>(resolve => {
      this.#interrupt = () => resolve(null)
    })
    return Promise.race([work, interrupted])
  }
}
