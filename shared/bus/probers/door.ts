// Client of a location's door: sends the few requests that the location's probers may send.
import { type Bus, BusError } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { DoorAnswers, DoorRequest, DoorVerb } from '#shared/contracts/observations/door.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'

/** The connection by which requests reach a door. */
export interface DoorLine extends Pick<Bus, 'connected' | 'onConnection' | 'close'> {
  clock: Clock
  logger: Logger
  /** `text` is JSON. Resolves to the parsed response; rejects with a BusError. */
  ask(subject: string, text: string, timeoutMs: number): Promise<unknown>
}

/** Client of one location's door. */
export interface Door extends Omit<DoorLine, 'ask' | 'close'> {
  readonly locationId: string
  /** Sends a request. Rejects with a BusError. */
  ask<V extends DoorVerb>(verb: V, request: DoorRequest<V>, timeoutMs?: number): Promise<DoorAnswers[V]>
  /** Sends a request whose body `text` is already JSON. */
  askText<V extends DoorVerb>(verb: V, text: string, timeoutMs?: number): Promise<DoorAnswers[V]>
}

/** The directory has refused a request. `code`: of its error; empty: it sent none. */
export class DoorRefusal extends BusError {
  readonly code: string

  constructor(code: string, message: string) {
    super('unavailable', message)
    this.code = code
  }
}

export function openDoor({ ask, clock, logger, connected, onConnection }: DoorLine, locationId: string): Door {
  const askText: Door['askText'] = async <V extends DoorVerb>(verb: V, text: string, timeoutMs: number = doorLimits.answerMs) => {
    const reply = (await ask(subjects.door(locationId, verb), text, timeoutMs)) as {
      ok?: boolean
      result?: DoorAnswers[V]
      error?: { code?: string; details?: string }
    } | null
    if (reply?.ok === true) return reply.result as DoorAnswers[V]
    const { code = '', details = 'it answered something else' } = reply?.error ?? {}
    throw new DoorRefusal(code, `The installation refused: ${details}.`)
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
