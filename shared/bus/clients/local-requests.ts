// Delivery of requests to a receiver in the same process, without the bus. A request is delivered as JSON text, in the order of the calls,
// and only after the caller has returned to the event loop. If this process has no receiver for a request, or more than one, the request
// goes to the bus.

import { createWaitingAnswers } from '#shared/bus/clients/waiting-answers.ts'
import { subjectMatcher } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface LocalRequest {
  subject: string
  /** Body of the request as JSON; undefined: no body. */
  text: string | undefined
  traceId: string
}

export interface LocalSubscriber {
  /** Filter of the subscription: `*` is one token, `>` is one or more tokens at the end. */
  subject: string
  /** Name of a queue. Only one member of the queue gets each request. */
  queue: string | undefined
  /** Called when this subscriber is chosen for a request, shortly before `take` is called. */
  claim?(): void
  /**
   * Handles a request. `answer` takes the response as JSON. Only its first call counts, and only before the caller's timeout. `take` must
   * not throw.
   */
  take(request: LocalRequest, answer: (text: string) => void): void
}

export interface LocalRequests {
  /** Adds a subscriber. Returns a function that removes the subscriber; requests sent before the removal are still delivered. */
  add(subscriber: LocalSubscriber): () => void
  /**
   * Resolves to the response as JSON; rejects with a BusError (timeout, unavailable). Returns null and does nothing if this process has no
   * receiver for the request, or more than one; the caller then uses the bus. A timeout may be up to `limits.bus.sweepMs` late.
   */
  ask(request: LocalRequest, timeoutMs: number): Promise<string> | null
  /** Rejects all waiting requests as unavailable, because the connection to the bus was lost. */
  refuseAll(): void
  /** Rejects all waiting requests and removes all subscribers. */
  close(): void
}

/** A request that waits for its response. The object itself is the request's key in the table of waiting callers. */
interface WaitingRequest {
  request: LocalRequest
  receiver: LocalSubscriber
}

export function createLocalRequests(clock: Clock): LocalRequests {
  const table = createTable()
  const answers = createWaitingAnswers<WaitingRequest, string>(clock)
  let waiting: WaitingRequest[] = []
  /** Delivers all requests of one turn of the event loop together, so that their receivers can handle them as one batch. */
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
      // The delivery is a macrotask. With microtasks, a caller and a receiver that wait only for each other would block timers and sockets.
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

/**
 * Matches subjects with white space, which the bus refuses, or with an empty token, which no subscription matches. Requests to these
 * subjects go to the bus.
 */
const unusual = /\s|^\.|\.\.|\.$/

interface Entry {
  subscriber: LocalSubscriber
  matches: (subject: string) => boolean
}

/** Table of subscriptions by the part of the filter before its first wildcard. A process has about 70 subscriptions. */
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
    /**
     * Returns the subscriber that gets the request: the only subscriber, or the next member if all subscribers are of one queue. Null:
     * there is no receiver, or there are several.
     */
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

/** Returns the common beginning of all subjects that match a filter: the whole filter, or the part before its first wildcard. */
function startOf(filter: string): string {
  const firstWildcard = filter.search(/[*>]/)
  return firstWildcard < 0 ? filter : filter.slice(0, firstWildcard)
}
