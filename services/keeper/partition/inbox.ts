// Inbox of a partition: inputs that wait for a round, and the feed and subscription that bring them. Never decides when a round runs.
import type { Feed, Subscription } from '#shared/bus/port.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Input } from '../step/types.ts'

/** An input that waits, and the function that sends its reply once the input is committed. */
export interface Waiting {
  input: Input
  /** Stream sequence of a check result; 0 for other inputs. */
  sequence: number
  respond: ((reply: Reply) => void) | null
}

export interface Inbox {
  /** Results in stream order. */
  readonly results: Waiting[]
  readonly commands: Waiting[]
  /** Newest sequence that the feed has delivered. */
  receivedTo: number
  /** True if a report of a failed check waits for a round. */
  isUrgent: boolean
  feed: Feed | null
  commandSubscription: Subscription | null
}

export const openInbox = (): Inbox => ({
  results: [],
  commands: [],
  receivedTo: 0,
  isUrgent: false,
  feed: null,
  commandSubscription: null,
})

/** Ends feed and subscription. Waiting inputs stay. Resolves once no further input can arrive. */
export async function stopInbox(inbox: Inbox): Promise<void> {
  const { feed, commandSubscription } = inbox
  await Promise.all([feed?.close(), commandSubscription?.close()].map(closing => closing?.catch(() => undefined)))
  Object.assign(inbox, { feed: null, commandSubscription: null })
}

/** Ends feed and subscription without waiting for their end, and drops the waiting inputs. */
export function closeInbox({ results, commands, feed, commandSubscription }: Inbox): void {
  results.length = 0
  commands.length = 0
  for (const closed of [feed?.close(), commandSubscription?.close()]) closed?.catch(() => undefined)
}

export const isEmpty = ({ results, commands }: Inbox): boolean => results.length === 0 && commands.length === 0

/**
 * Takes the results that one round may step, and resumes the feed. `takenTo`: the partition's new position once these results are
 * committed.
 */
export function takeResults(inbox: Inbox): { taken: Waiting[]; takenTo: number } {
  const taken = inbox.results.splice(0, limits.keeper.inputsPerRound)
  const isEmptied = inbox.results.length === 0
  if (isEmptied) inbox.isUrgent = false
  if (inbox.results.length < limits.keeper.feedBacklog / 2) inbox.feed?.resume()
  return { taken, takenTo: isEmptied ? inbox.receivedTo : (taken[taken.length - 1]?.sequence ?? 0) }
}
