// The door of a location as its probers see it: the few requests that they may send, and their answers.
import { type Bus, BusError } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import type { DoorAnswers, DoorRequest, DoorVerb } from '#shared/contracts/door.ts'
import { doorLimits } from '#shared/door-limits.ts'
import type { Logger } from '#shared/logger.ts'

/** What a door is asked over. */
export interface DoorLine extends Pick<Bus, 'connected' | 'onConnection' | 'close'> {
  clock: Clock
  logger: Logger
  /** `text` is JSON. Resolves to the parsed answer; rejects with a BusError. */
  ask(subject: string, text: string, timeoutMs: number): Promise<unknown>
}

/** The door of one location as its clients see it. */
export interface Door extends Omit<DoorLine, 'ask' | 'close'> {
  readonly locationId: string
  /** Rejects with a BusError. */
  ask<V extends DoorVerb>(verb: V, request: DoorRequest<V>, timeoutMs?: number): Promise<DoorAnswers[V]>
  /** The same, of a request that is JSON already. */
  askText<V extends DoorVerb>(verb: V, text: string, timeoutMs?: number): Promise<DoorAnswers[V]>
}

export function openDoor({ ask, clock, logger, connected, onConnection }: DoorLine, locationId: string): Door {
  const askText: Door['askText'] = async <V extends DoorVerb>(verb: V, text: string, timeoutMs: number = doorLimits.answerMs) => {
    const reply = (await ask(subjects.door(locationId, verb), text, timeoutMs)) as {
      ok?: boolean
      result?: DoorAnswers[V]
      error?: { details?: string }
    } | null
    if (reply?.ok === true) return reply.result as DoorAnswers[V]
    throw new BusError('unavailable', `The installation refused: ${reply?.error?.details ?? 'it answered something else'}.`)
  }
  return {
    locationId,
    clock,
    logger,
    connected,
    onConnection,
    askText,
    ask: (verb, request, timeoutMs) => askText(verb, JSON.stringify(request), timeoutMs),
  }
}
