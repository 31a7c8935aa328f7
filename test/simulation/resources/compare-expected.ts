// The incidents and messages that are stored against those that the oracle computes: each stored one must be possible, each one that is
// certain must be stored, once.
import { expectedOf, storedIncidents, storedMessages, type Variant } from './checks.ts'
import type { ExpectedIncident, ExpectedMessage } from './incidents.ts'
import type { Resource } from './resource.ts'

/** Messages are decided when a keeper comes to it. */
const lateMs = 2_000

/** `until`: what came later is not looked at. Returns how many messages were stored. */
export async function compareExpected(resource: Resource, variants: readonly Variant[], until: number): Promise<number> {
  const ways = variants.map(variant => expectedOf(resource, variant, until))
  const incidents = await storedIncidents(resource)
  compare(
    resource,
    incidents.filter(one => one.openedAt <= until),
    ways.map(one => one.incidents),
    isLike,
    describeIncident,
  )
  const messages = (await storedMessages(resource)).filter(one => one.at <= until)
  compare(
    resource,
    messages,
    ways.map(one => one.messages),
    isSameMessage,
    describeMessage,
  )
  return messages.length
}

function compare<T>(
  resource: Resource,
  stored: readonly T[],
  ways: readonly (readonly T[])[],
  isSame: (stored: T, expected: T) => boolean,
  describe: (one: T) => string,
): void {
  for (const one of stored)
    if (!ways.some(way => way.some(expected => isSame(one, expected)))) resource.fault(`should not be: ${describe(one)}`)
  for (const expected of ways[0] ?? []) {
    const isCertain = ways.every(way => way.some(one => isSame(expected, one)))
    const times = stored.filter(one => isSame(one, expected)).length
    if (isCertain && times !== 1) resource.fault(`should be once, and is ${times} times: ${describe(expected)}`)
  }
}

const isLike = (stored: ExpectedIncident, expected: ExpectedIncident): boolean =>
  stored.rule === expected.rule &&
  stored.openedAt === expected.openedAt &&
  stored.reason === expected.reason &&
  stored.closedAt === expected.closedAt &&
  isConfirmedLike(stored.confirmedAt, expected)

const isConfirmedLike = (stored: number | null, { confirmedAt, slackMs }: ExpectedIncident): boolean =>
  stored === null || confirmedAt === null ? stored === confirmedAt : stored <= confirmedAt && stored >= confirmedAt - slackMs

const isSameMessage = (stored: ExpectedMessage, expected: ExpectedMessage): boolean =>
  stored.rule === expected.rule &&
  stored.kind === expected.kind &&
  stored.at >= expected.at - expected.slackMs &&
  stored.at <= expected.at + lateMs

const describeIncident = ({ rule, openedAt, confirmedAt, closedAt, reason, slackMs }: ExpectedIncident): string =>
  `incident of ${rule} ${openedAt}, confirmed ${confirmedAt} (-${slackMs}), closed ${closedAt} ${reason}`

const describeMessage = ({ rule, kind, at }: ExpectedMessage): string => `${at} ${rule} ${kind}`
