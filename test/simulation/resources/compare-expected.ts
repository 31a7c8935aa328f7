// Compares the stored incidents and messages with those of the oracle's variants. Each stored item must occur in at least one variant. An
// item that occurs in all variants must be stored once. If the variants agree on its instant, it must be stored at exactly this instant.
import type { Struck } from './blows.ts'
import { storedIncidents, storedMessages } from './checks.ts'
import { expectedOf, type Variant } from './expected.ts'
import type { ExpectedIncident, ExpectedMessage } from './incidents.ts'
import type { Resource } from './resource.ts'

const second = 1_000
/** Longest time from the instant at which a message is due until a keeper decides to send it, ms. */
const lateMs = 2 * second
/** Longest time after an injected fault until another keeper notices silence and decides to send messages, ms. */
const struckMs = 90 * second

/** Compares only items up to `until`, although later events can have happened already. Returns the number of stored messages. */
export async function compareExpected(
  resource: Resource,
  variants: readonly Variant[],
  struck: readonly Struck[],
  until: number,
): Promise<number> {
  const instants = [until, resource.house.keepers.now()]
  const ways = variants.flatMap(variant => instants.map(at => expectedOf(resource, variant, at)))
  const toleranceMs = struck.length === 0 ? 0 : struckMs
  const isRetried = (at: number) => resource.house.retried.some(one => at >= one.from - second && at <= one.until + second)
  const isHeldBack = (at: number) => variants.some(({ held }) => held.some(one => at >= one.from && at <= one.until + struckMs))
  // The message about a silence that was held back is sent when silence counts again, and states the instant of the silence (ADR 22).
  const releaseOf = (at: number) =>
    Math.max(at, ...variants.flatMap(({ held }) => held.filter(one => at >= one.from && at < one.until).map(one => one.until)))
  const incidents = await storedIncidents(resource)
  compare(
    resource,
    incidents,
    ways.map(way => way.incidents),
    {
      isSame: (one, other) => isLike(one, other, toleranceMs),
      isEqual: (one, other) => isLike(one, other, 0),
      describe: describeIncident,
    },
  )
  for (const one of incidents) {
    const possible = ways.flatMap(way => way.incidents.filter(other => isLike(one, other, toleranceMs)))
    const isUnsure = [one.openedAt, one.confirmedAt, one.closedAt ?? until].some(
      at => at !== null && (isRetried(at) || isHeldBack(at)),
    )
    if (
      !isUnsure &&
      possible.every(other => isLike(other, possible[0] as ExpectedIncident, 0)) &&
      !possible.some(other => isLike(one, other, 0))
    )
      resource.fault(`is of other instants: ${describeIncident(one)} instead of ${possible.map(describeIncident)[0]}`)
  }
  const messages = await storedMessages(resource)
  compare(
    resource,
    messages,
    ways.map(way => way.messages),
    {
      isSame: (one, other) => isSameMessage(one, other, struck, releaseOf(other.at), toleranceMs),
      isEqual: isEqualMessage,
      describe: describeMessage,
    },
  )
  return messages.length
}

interface Comparing<T> {
  /** Returns whether the stored and the expected instants are as close as injected faults permit. */
  isSame(stored: T, expected: T): boolean
  isEqual(one: T, other: T): boolean
  describe(one: T): string
}

function compare<T>(
  resource: Resource,
  stored: readonly T[],
  ways: readonly (readonly T[])[],
  { isSame, isEqual, describe }: Comparing<T>,
): void {
  for (const one of stored) {
    const times = stored.filter(other => isEqual(one, other)).length
    const most = Math.max(...ways.map(way => way.filter(expected => isSame(one, expected)).length))
    if (most === 0) resource.fault(`should not be: ${describe(one)}`)
    else if (times > most) resource.fault(`should be ${most} times, and is ${times} times: ${describe(one)}`)
  }
  for (const expected of ways[0] ?? []) {
    const least = Math.min(...ways.map(way => way.filter(one => isEqual(one, expected)).length))
    const times = stored.filter(one => isSame(one, expected)).length
    if (times < least) resource.fault(`should be ${least} times, and is ${times} times: ${describe(expected)}`)
  }
}

function isLike(stored: ExpectedIncident, expected: ExpectedIncident, toleranceMs: number): boolean {
  const isNear = (one: number | null, other: number | null, slackMs = 0) =>
    one === null || other === null ? one === other : one <= other + toleranceMs && one >= other - slackMs - toleranceMs
  return (
    stored.rule === expected.rule &&
    stored.reason === expected.reason &&
    isNear(stored.openedAt, expected.openedAt) &&
    isNear(stored.closedAt, expected.closedAt) &&
    isNear(stored.confirmedAt, expected.confirmedAt, expected.slackMs)
  )
}

function isSameMessage(
  stored: ExpectedMessage,
  expected: ExpectedMessage,
  struck: readonly Struck[],
  releasedAt: number,
  toleranceMs: number,
): boolean {
  const { at, slackMs } = expected
  // If no keeper ran at the expected instant, the message is sent when a keeper runs again.
  const meanwhile = struck.find(({ from, until }) => at >= from - toleranceMs && at < until)
  return (
    stored.rule === expected.rule &&
    stored.kind === expected.kind &&
    stored.at >= at - slackMs - toleranceMs &&
    stored.at <= Math.max(releasedAt, meanwhile?.until ?? 0) + lateMs + toleranceMs
  )
}

const isEqualMessage = (one: ExpectedMessage, other: ExpectedMessage): boolean =>
  one.rule === other.rule && one.kind === other.kind && one.at === other.at

const describeIncident = ({ rule, openedAt, confirmedAt, closedAt, reason, slackMs }: ExpectedIncident): string =>
  `incident of ${rule} ${openedAt}, confirmed ${confirmedAt} (-${slackMs}), closed ${closedAt} ${reason}`

const describeMessage = ({ rule, kind, at }: ExpectedMessage): string => `${at} ${rule} ${kind}`
