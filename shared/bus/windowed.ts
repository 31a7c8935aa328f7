// A subscription through which no sender, however fast, brings more than a window of messages at once and so many a second: the bus
// is asked for so many messages at a time, and what goes beyond finds nobody, on the server already. In a queue, so that what was
// asked for anew and what is left of before share the messages.
import { createAllowance } from '#shared/allowance.ts'
import type { Bus, Incoming, Subscription } from '#shared/bus/port.ts'
import type { Cancel, Clock } from '#shared/clock.ts'
import type { Logger } from '#shared/logger.ts'

export interface WindowOptions {
  subject: string
  queue: string
  /** Messages that may come before more are asked for. */
  atOnce: number
  perSecond: number
  logger: Logger
}

/** What one subscription of the bus may still bring. */
interface Grant {
  left: number
  subscription: Promise<Subscription>
}

/** Resolves once messages are taken. */
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
      // The connection was lost: it is asked for anew when it is back.
      logger.debug({ err: error, subject }, 'a subscription could not be made')
      grants.delete(made)
    })
  }
  /** Asks for another half of the window once there is room, and the sender has not had more than its share. */
  const fill = () => {
    if (closed || waiting !== null || left() > half || !bus.connected()) return
    const waitMs = allowance.take(half, Number.POSITIVE_INFINITY) ?? 0
    if (waitMs === 0) return void grant()
    waiting = clock.after(waitMs, () => {
      waiting = null
      if (closed || !bus.connected()) return
      void grant()
      fill()
    })
  }
  /** A client that reconnects does not tell the server again how much it wanted. */
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
