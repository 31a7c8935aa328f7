// Fake notifier: reports every test message as delivered, and sends nothing.
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { TestMessageResult } from '#shared/contracts/notifications/delivery.ts'

export function startFakeNotifier(bus: Bus): Promise<Subscription> {
  const result: TestMessageResult = { delivered: true }
  return bus.subscribe(subjects.testMessage, message => message.respond({ ok: true, result }))
}
