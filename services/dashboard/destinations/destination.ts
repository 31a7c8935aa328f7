// Destinations as generation 3 serves them, and sentences about the outcome of a test message.
import { withStepNames } from '#shared/channels/steps.ts'
import { type DeliveryStatus, isTaken } from '#shared/contracts/notifications/delivery-status.ts'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { askV3 } from '../data/api.ts'
import { noteReceivers } from '../data/notified.ts'
import { workspaceId } from '../data/session.ts'
import { reasonWords } from '../words/reasons.ts'
import { readTypes } from './channels.ts'

export interface Outcome {
  status: DeliveryStatus
  reason: string | null
  /** A sentence for people; absent: the type has none. */
  message?: string
}

/** Returns the path of the destinations of the present workspace, or of one destination. */
export const destinationPath = (id?: string): string =>
  `/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/destinations${id === undefined ? '' : `/${encodeURIComponent(id)}`}`

/** Reads the destinations, whose steps have names in the place of ids, and their types. */
export async function readDestinations() {
  const [destinations, channels] = await Promise.all([askV3<readonly SentDestination[]>('GET', destinationPath()), readTypes()])
  noteReceivers(destinations)
  const named = destinations.map(one =>
    one.settings === undefined ? one : { ...one, settings: withStepNames(one.settings, destinations) },
  )
  return { destinations: named, channels }
}

/** Returns the outcome of a test message as a sentence. */
export function outcomeSentence({ status, reason, message }: Outcome): string {
  if (isTaken(status)) return message ?? 'The test message was delivered.'
  return `The test message was not delivered: ${message ?? `${reasonWords(reason ?? 'not_sent')}.`}`
}
