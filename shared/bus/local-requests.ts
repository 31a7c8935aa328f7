// Requests that this process answers itself, handed over within it instead of through the bus and back: as JSON text, in the
// order they were asked, never inside the asker's stack. Whatever is not for exactly one receiver here is left to the bus.
import { subjectMatcher } from '#shared/bus/subject-matcher.ts'
import { createWaitingAnswers } from '#shared/bus/waiting-answers.ts'
import type { Clock } from '#shared/clock.ts'

export interface LocalRequest {
  subject: string
  /** The body as JSON; undefined where there is none. */
  text: string | undefined
  traceId: string
}

export interface LocalSubscriber {
  /** `*` is one token, `>` one or more at the end. */
  subject: string
  /** One of the members of a queue gets each request. */
  queue: string | undefined
  /** Called when a request is its own, which is handed over a moment later. */
  claim?(): void
  /** `answer` takes JSON; only its first call, and none after the asker was refused, counts. Must not throw. */
  take(request: LocalRequest, answer: (text: string) => void): void
}

export interface LocalRequests {
  /** From now on it is asked; the returned function ends that at once. What was asked before is still handed over. */
  add(subscriber: LocalSubscriber): () => void
  /**
   * Resolves to the answer as JSON; rejects with a BusError (timeout, unavailable). Null, and nothing done, where no subscriber
   * here gets it, or more than one would: then the bus is to be asked. `timeoutMs` is exceeded by `limits.bus.sweepMs` at most.
   */
  ask(request: LocalRequest, timeoutMs: number): Promise<string> | null
  /** Refuses whatever waits as unavailable: the connection to the bus was lost. */
  refuseAll(): void
  /** Refuses whatever waits and forgets all subscribers. */
  close(): void
}

/** A request on its way within the process; it stands for itself where its answer is waited for. */
interface Asked {
  request: LocalRequest
  receiver: LocalSubscriber
}

export function createLocalRequests(clock: Clock): LocalRequests {
  const table = createTable()
  const answers = createWaitingAnswers<Asked, string>(clock)
  let waiting: Asked[] = []
  /** All that were asked in a turn of the loop at once, so that their receivers can serve them together. */
  const handOver = () => {
    const turn = waiting
    waiting = []
    for (const asked of turn) {
      if (answers.isWaiting(asked)) asked.receiver.take(asked.request, text => answers.answer(asked, text))
    }
  }
  return {
    add: table.add,
    ask: (request, timeoutMs) => {
      const receiver = table.receiverOf(request.subject)
      if (receiver === null) return null
      receiver.claim?.()
      const asked = { request, receiver }
      // Not a microtask: an asker and a receiver that never wait for anything else would keep timers and sockets waiting.
      if (waiting.push(asked) === 1) setImmediate(handOver)
      return answers.wait(asked, timeoutMs)
    },
    refuseAll: answers.refuseAll,
    close: () => {
      table.clear()
      answers.close()
    },
  }
}

/** A subject that the bus refuses (white space) or matches with nothing (an empty token): it shall do so itself. */
const unusual = /\s|^\.|\.\.|\.$/

interface Entry {
  subscriber: LocalSubscriber
  matches: (subject: string) => boolean
}

/** A process has some 70 subscriptions: they stand under what comes before their first wildcard. */
function createTable() {
  const byStart = new Map<string, Set<Entry>>()
  let turns = 0
  const take = (start: string, subject: string, matching: LocalSubscriber[]) => {
    for (const { subscriber, matches } of byStart.get(start) ?? []) if (matches(subject)) matching.push(subscriber)
  }
  return {
    add: (subscriber: LocalSubscriber) => {
      const start = startOf(subscriber.subject)
      const entry = { subscriber, matches: subjectMatcher(subscriber.subject, start) }
      const entries = byStart.get(start) ?? new Set()
      byStart.set(start, entries.add(entry))
      return () => {
        if (entries.delete(entry) && entries.size === 0 && byStart.get(start) === entries) byStart.delete(start)
      }
    },
    clear: () => byStart.clear(),
    /** The only plain subscriber, or a member of the only queue, by turns; null where nobody or more than that would get it. */
    receiverOf: (subject: string): LocalSubscriber | null => {
      const matching: LocalSubscriber[] = []
      take('', subject, matching)
      for (let dot = subject.indexOf('.'); dot >= 0; dot = subject.indexOf('.', dot + 1))
        take(subject.slice(0, dot + 1), subject, matching)
      take(subject, subject, matching)
      const [first] = matching
      if (first === undefined || unusual.test(subject)) return null
      if (matching.length === 1) return first
      if (first.queue === undefined || matching.some(({ queue }) => queue !== first.queue)) return null
      turns += 1
      return matching[turns % matching.length] ?? null
    },
  }
}

/** What every subject that a filter matches begins with: all of it, or the tokens before its first wildcard. */
function startOf(filter: string): string {
  const firstWildcard = filter.search(/[*>]/)
  return firstWildcard < 0 ? filter : filter.slice(0, firstWildcard)
}
