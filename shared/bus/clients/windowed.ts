// Subscription with a bounded window and a bounded rate. It consists of successive bus subscriptions; the server ends a bus subscription
// after half a window of messages. If no bus subscription is open, a message has no receiver on the server. Two open bus subscriptions
// share a queue, so only one of them gets a message.
import { createAllowance } from '#shared/async/allowance.ts'
import type { Bus, Incoming, Subscription } from '#shared/bus/port.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

export interface WindowOptions {
  subject: string
  queue: string
  /** Size of the window: number of messages that may arrive without a further subscription. */
  atOnce: number
  perSecond: number
  logger: Logger
}

/** One subscription on the bus, and the number of messages that it may still deliver. */
interface Grant {
  left: number
  subscription: Promise<Subscription>
}

/** Resolves when the subscription is in place. */
export async function subscribeWindowed(
  bus: Pick<Bus, 'subscribe' | 'onConnection' | 'connected'>,
  clock: Clock,
  { subject, queue, atOnce, perSecond, logger }: WindowOptions,
  onMessage: (message: Incoming) => void,
): Promise<Subscription> {
  const grants = new Set<Grant>()
  const half = Math.ceil(atOnce / 2)
  const allowance = createAllowance(clock, perSecond, atOnce)
  let waiting: Cancel | null = null
  let closed = false

  const left = () => [...grants].reduce((sum, grant) => sum + grant.left, 0)
  const grant = (): Promise<unknown> => {
    const made: Grant = {
      left: half,
      subscription: bus.subscribe(
        subject,
        message => {
          made.left -= 1
          if (made.left <= 0) grants.delete(made)
          fill()
          onMessage(message)
        },
        { queue, most: half },
      ),
    }
    grants.add(made)
    return made.subscription.catch(error => {
      // The connection was lost. After the reconnect, `fill` subscribes again.
      logger.debug({ err: error, subject }, 'a subscription could not be made')
      grants.delete(made)
    })
  }
  /**
   * If at most half a window of messages may still arrive, subscribes for another half a window of messages. Waits until the rate permits
   * this.
   */
  const fill = () => {
    if (closed || waiting !== null || left() > half || !bus.connected()) return
    const waitMs = allowance.take(half, Number.POSITIVE_INFINITY) ?? 0
    if (waitMs === 0) return void grant()
    waiting = clock.schedule(waitMs, () => {
      waiting = null
      if (closed || !bus.connected()) return
      void grant()
      fill()
    })
  }
  /** Drops all subscriptions, because a client that reconnects does not repeat its message limits to the server. */
  const drop = () => {
    waiting?.()
    waiting = null
    const dropped = [...grants]
    grants.clear()
    return Promise.allSettled(dropped.map(async ({ subscription }) => (await subscription).close()))
  }
  const stopListening = bus.onConnection(connected => {
    if (!connected) void drop()
    else {
      fill()
      fill()
    }
  })
  allowance.take(2 * half, Number.POSITIVE_INFINITY)
  await Promise.all([grant(), grant()])
  return {
    close: async () => {
      closed = true
      stopListening()
      await drop()
    },
  }
}
