// Delivery rows of one Incident as docs/reference/v3.md, 10.3 to 10.6, and docs/notifications.md require them: a row for every attempt with
// its instant, and for every suppressed message with its reason. Valid for a run without faults of keeper, notifier or store.
import type { DeliveryStatus } from '#shared/contracts/notifications/delivery-status.ts'
import { choose, type Message } from './choice.ts'
import type { PostState } from './post.ts'
import { busySeconds, type Fare } from './receivers.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export interface Row {
  event: string
  destination: string | null
  status: DeliveryStatus
  reason: string | null
  at: number
}

/** Message whose destinations are chosen at `at`. `decidedAt`: instant of the keeper's decision. */
export type Dispatched = Message & { at: number; decidedAt: number }

export interface Course {
  messages: readonly Dispatched[]
  stateAt(at: number): PostState
  fareAt(destination: string, at: number): Fare
  /** End of the Incident; null: still open. */
  endedAt: number | null
  archivedAt: number | null
  acknowledgedAt: number | null
  /** Returns whether the last decided status was a problem: reminders go on while the rule cannot decide. */
  isFailingAt(at: number): boolean
  isMutedAt(at: number): boolean
}

interface Delivery {
  message: Dispatched
  destination: string
  /** Instant of the attempt; null: the message waits for an earlier message. */
  dueAt: number | null
  attempts: number
  giveUpAt: number
  isOver: boolean
  isDelivered: boolean
}

export function expectedRows(course: Course, until: number): Row[] {
  const way = new Way(course)
  for (const message of course.messages) {
    if (message.at > until) break
    way.passTo(message.at)
    way.dispatch(message)
  }
  way.passTo(until)
  return way.rows
}

const reasons = { takes: null, fails: 'http_503', busy: 'http_429', gone: 'http_410', lost: 'unreachable' } as const

class Way {
  readonly rows: Row[] = []
  readonly #course: Course
  readonly #deliveries: Delivery[] = []
  #confirmedAt: number | null = null

  constructor(course: Course) {
    this.#course = course
  }

  /** Makes the attempts that are due up to this instant. */
  passTo(at: number): void {
    for (;;) {
      const due = this.#deliveries
        .filter(one => !one.isOver && one.dueAt !== null && one.dueAt <= at)
        .sort((one, other) => (one.dueAt as number) - (other.dueAt as number))
      const [first] = due
      if (first === undefined) return
      this.#attempt(first, first.dueAt as number)
    }
  }

  dispatch(message: Dispatched): void {
    const { kind, at } = message
    const { endedAt, archivedAt, messages } = this.#course
    // The Incident opened and was confirmed in one judgement: both messages are stored before destinations are chosen for the opening.
    const isOvertaken = messages.some(later => later.decidedAt <= at && later.kind === 'problem')
    if (kind === 'problem' || kind === 'no_data') this.#confirmedAt ??= at
    if (kind !== 'opened' && kind !== 'acknowledged')
      for (const one of this.#deliveries) if (one.message.kind === 'opened' && !one.isOver) this.#keep(one, 'confirmed_first', at)
    const openings = this.#deliveries.filter(one => one.message.kind === 'opened' && one.isDelivered)
    const { told, kept } = choose(message, this.#course.stateAt(at), {
      isConfirmed: this.#confirmedAt !== null,
      isClosed: isOvertaken || (endedAt !== null && endedAt <= at),
      isGone: archivedAt !== null && archivedAt <= at,
      openedAt: new Set(openings.map(({ destination }) => destination)),
    })
    for (const { destination, reason } of kept) this.#note(message, destination, { status: 'held', reason, at })
    for (const destination of told) {
      const giveUpAt = Math.max(message.decidedAt + 2 * hour, at + hour)
      const isWaiting = this.#isWaitedFor(destination)
      const delivery = { message, destination, dueAt: null, attempts: 0, giveUpAt, isOver: false, isDelivered: false }
      this.#deliveries.push(delivery)
      if (!isWaiting) this.#attempt(delivery, at)
    }
  }

  /**
   * Returns whether an unfinished message makes later messages to its destination wait. No message waits for a message about an opening.
   */
  #isWaitedFor(destination: string): boolean {
    return this.#deliveries.some(one => one.destination === destination && !one.isOver && one.message.kind !== 'opened')
  }

  #attempt(delivery: Delivery, at: number): void {
    const against = this.#reasonAgainst(delivery, at)
    if (against === null) this.#send(delivery, at)
    else this.#keep(delivery, against, at)
  }

  #send(delivery: Delivery, at: number): void {
    const { destination, giveUpAt } = delivery
    delivery.attempts += 1
    const fare = this.#course.fareAt(destination, at)
    const reason = reasons[fare]
    delivery.isDelivered = reason === null
    this.#note(delivery.message, destination, { status: reason === null ? 'delivered' : 'failed', reason, at })
    const pause = Math.min(2 * second * 2 ** (delivery.attempts - 1), 15 * minute)
    const isFinal = fare === 'takes' || fare === 'gone' || at >= giveUpAt
    if (isFinal) this.#end(delivery, at)
    else delivery.dueAt = Math.min(at + (fare === 'busy' ? Math.max(pause, busySeconds * second) : pause), giveUpAt)
  }

  #reasonAgainst({ message, destination, attempts }: Delivery, at: number): string | null {
    const { archivedAt, endedAt, acknowledgedAt, isFailingAt, isMutedAt, stateAt } = this.#course
    const hasWaited = attempts > 0 || at > message.at
    if (hasWaited && archivedAt !== null && archivedAt <= at) return 'resource_gone'
    if (hasWaited && message.isReminder) {
      if ((endedAt !== null && endedAt <= at) || (acknowledgedAt !== null && acknowledgedAt <= at)) return 'not_sent'
      if (!isFailingAt(at)) return 'not_sent'
      if (isMutedAt(at)) return 'maintenance'
    }
    if (hasWaited && message.kind === 'opened' && endedAt !== null && endedAt <= at) return 'confirmed_first'
    const place = stateAt(at).places.find(({ id }) => id === destination)
    return place?.enabled === true ? null : 'destination_disabled'
  }

  #keep(delivery: Delivery, reason: string, at: number): void {
    this.#note(delivery.message, delivery.destination, { status: 'held', reason, at })
    this.#end(delivery, at)
  }

  #end(delivery: Delivery, at: number): void {
    delivery.isOver = true
    const next = this.#deliveries.find(
      one => one.destination === delivery.destination && !one.isOver && one.message.kind !== 'opened',
    )
    if (next !== undefined && next.dueAt === null) this.#attempt(next, at)
  }

  #note({ kind, isReminder }: Message, destination: string | null, row: Pick<Row, 'status' | 'reason' | 'at'>): void {
    this.rows.push({ event: isReminder ? 'reminder' : kind, destination, ...row })
  }
}
