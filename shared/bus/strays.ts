// Messages that do not match their subscription: dropped, counted, and logged at most once a minute for each subscription.
import { Counter, type Registry } from 'prom-client'
import { createSeldom } from '#shared/async/seldom.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { registeredMetric } from '#shared/observability/registered-metric.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface Strays {
  /** Notes that `what` arrived at the subscription to `subscribed`. */
  note(subscribed: string, what: string): void
  stop(): void
}

/** Characters of a message's subject that the log quotes, because its sender chooses the subject. */
const quoted = 200

export function createStrays(clock: Clock, logger: Logger, metrics: Registry | undefined): Strays {
  const counter = metrics && registeredMetric(metrics, 'watchkeeper_bus_strays_total', name => counterOf(name, metrics))
  const seldom = createSeldom<string>(clock, (subscribed, first, count) =>
    logger.warn({ subscribed, first: first.slice(0, quoted), count }, 'messages dropped that are not what was subscribed to'),
  )
  return {
    note: (subscribed, what) => {
      counter?.inc()
      seldom.note(subscribed, what)
    },
    stop: seldom.stop,
  }
}

const counterOf = (name: string, registry: Registry): Counter =>
  new Counter({
    name,
    help: 'Messages dropped that were not what their receiver subscribed to, or asked for an answer elsewhere than at an inbox',
    registers: [registry],
  })
