// The client of the notifiers: a test message to one destination, carried out by whichever notifier takes it.
import { requestPatiently } from '#shared/bus/patient-request.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import type { TestMessage, TestMessageResult } from '#shared/contracts/test-message.ts'
import { limits } from '#shared/limits.ts'

export interface NotifierClient {
  /**
   * Sends one test message and says what came of it; a far end that refuses is a result, not an error. Throws `not_found` where
   * there is no such destination, and `unavailable` after 3.6 s, in which case the message may have been sent. Never sends two.
   */
  sendTest(message: TestMessage, traceId?: string): Promise<TestMessageResult>
}

export function createNotifierClient(bus: Bus, clock: Clock): NotifierClient {
  return {
    sendTest: async (message, traceId) =>
      (await requestPatiently(bus, clock, {
        who: 'notifier',
        subject: subjects.testMessage,
        body: message,
        traceId,
        onceMs: limits.notifier.testAnswerMs,
      })) as TestMessageResult,
  }
}
