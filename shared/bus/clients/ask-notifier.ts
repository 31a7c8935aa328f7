// The client of the notifiers: a test message to one destination, sent by any one notifier.
import { requestWithRetry } from '#shared/bus/clients/request-with-retry.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { TestMessage, TestMessageResult } from '#shared/contracts/notifications/test-message.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface NotifierClient {
  /**
   * Sends one test message and returns its outcome; a destination that refuses is an outcome, not an error. Throws `not_found` if there is
   * no such destination. Throws `unavailable` after 3.6 s; the message may then have been sent. Never sends two messages.
   */
  sendTest(message: TestMessage, traceId?: string): Promise<TestMessageResult>
}

export function createNotifierClient(bus: Bus, clock: Clock): NotifierClient {
  return {
    sendTest: async (message, traceId) =>
      (await requestWithRetry(bus, clock, {
        who: 'notifier',
        subject: subjects.testMessage,
        body: message,
        traceId,
        onceMs: limits.notifier.testAnswerMs,
      })) as TestMessageResult,
  }
}
