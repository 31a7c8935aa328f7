// Bus subjects and bucket keys. Only this file builds, parses and matches them.
import { limits } from '#shared/limits/limits.ts'
import { pageNumberOf, partitionOf } from '#shared/text/hash.ts'

export type Revoked = 'key' | 'user' | 'address' | 'session' | 'ping' | 'ping-key'
const revocable: readonly string[] = ['key', 'user', 'address', 'session', 'ping', 'ping-key'] satisfies Revoked[]
const isRevocable = (what: string | undefined): what is Revoked => what !== undefined && revocable.includes(what)

export const subjects = {
  /** Subject of a prober's report. Receivers take the location from this subject, never from the payload. */
  observation: (locationId: string, subjectId: string) => `obs.${partitionOf(subjectId)}.${locationId}.${subjectId}`,
  /** The same without the id of the subject, which is then in the body: the bus keeps one subject for a partition at a location. */
  flatObservation: (locationId: string, subjectId: string) => `obs.${partitionOf(subjectId)}.${locationId}`,
  observationsOfPartition: (partition: number) => `obs.${partition}.>`,
  allObservations: 'obs.>',
  /** A command to the subject's keeper. */
  command: (subjectId: string) => `cmd.${partitionOf(subjectId)}.${subjectId}`,
  commandsOfPartition: (partition: number) => `cmd.${partition}.*`,
  /** A request to the directory. */
  ask: (verb: string) => `ask.directory.${verb}`,
  allAsks: 'ask.directory.*',
  /** Nudge about a new alert. Only one notifier gets the nudge. */
  alertNudge: 'nudge.alert',
  /** Nudge that a destination of a workspace can get messages now. Only one notifier gets the nudge. */
  destinationNudge: 'nudge.destination',
  /** Request for a test message to a destination. Only one notifier sends the message. */
  testMessage: 'notify.test',
  /** Request for a preview of a Template. Only one keeper runs the preview. */
  preview: 'keeper.preview',
  /** Request for a backup. The process with the embedded store makes the backup. */
  backup: 'installation.backup',
  /** Request to raise the level of an installation whose store several processes share. */
  finishUpgrade: 'installation.finish-upgrade',
  /** A check of a kind that is made once by a prober of this location. Only one prober makes it. `kind`: word of the kind. */
  tryCheck: (locationId: string, kind: string) => `try.${locationId}.${kind}`,
  triesOf: (locationId: string) => `try.${locationId}.*`,
  /** A request of a prober with credentials for this location. The prober may send no other messages. */
  door: (locationId: string, verb: string) => `door.${locationId}.${verb}`,
  doorOf: (locationId: string) => `door.${locationId}.*`,
  /** Nudge that the locations or the credentials of probers have changed; the directories read them again. */
  doorNudge: 'nudge.doors',
  /** Transitions of a subject's state machines, for clients that watch the subject. */
  state: (workspaceId: string, subjectId: string) => `state.${workspaceId}.${subjectId}`,
  /**
   * Changes that concern a Template of the workspace, not one subject. No subject id equals the last token, `templates`, because subject
   * ids are longer.
   */
  stateOfTemplates: (workspaceId: string) => `state.${workspaceId}.templates`,
  statesOf: (workspaceId: string) => `state.${workspaceId}.*`,
  allStates: 'state.>',
} as const

export const keys = {
  lease: (partition: number) => `p.${partition}`,
  allLeases: 'p.*',
  /** Key that any keeper writes while no lease changes. A change of this key shows all keepers that the bucket accepts writes. */
  leaseBeat: 'beat',
  keeperPresence: (keeperId: string) => `keeper.${keeperId}`,
  allKeepers: 'keeper.*',
  gatewayPresence: (gatewayId: string) => `gateway.${gatewayId}`,
  allGateways: 'gateway.*',
  directoryPresence: (directoryId: string) => `directory.${directoryId}`,
  notifierPresence: (notifierId: string) => `notifier.${notifierId}`,
  proberPresence: (locationId: string, proberId: string) => `prober.${locationId}.${proberId}`,
  probersOf: (locationId: string) => `prober.${locationId}.*`,
  allProbers: 'prober.*.*',
  /** Filter for the presence keys of all processes. */
  allPresent: '>',
  check: (locationId: string, subjectId: string) => `${locationId}.${partitionOf(subjectId)}.${subjectId}`,
  /** Key of a page with check entries of a location. `number`: as `pageNumberOf` returns it. */
  checkPage: (locationId: string, number: number) => `${locationId}.${number % limits.partitions}.${number}`,
  checkPageOf: (locationId: string, subjectId: string) => keys.checkPage(locationId, pageNumberOf(subjectId)),
  /** Filter for the entries, and for the pages, of a location. */
  checksOfLocation: (locationId: string) => `${locationId}.>`,
  /** Filter for the entries, and for the pages, of a partition. */
  checksOfPartition: (partition: number) => `*.${partition}.*`,
  allChecks: '>',
  /**
   * Key of a revocation. It makes gateways drop cached entries: an API key, all keys and sessions of a user, an Observation address, one
   * session, the ping addresses of a Resource (by its id, because their own are secrets), or all that a ping key names (by its id).
   */
  revocation: (what: Revoked, id: string) => `${what}.${id}`,
  allRevocations: '*.*',
  /** Key whose value has the id of the installation and the progress of its store. */
  installation: 'store',
  /** Key whose value has the level of the installation, after it was raised. The store's number decides; this key only tells of it. */
  level: 'level',
} as const

/**
 * Parses the bus subject of a report. In the form without an id, the body names the subject. Returns null for any other bus subject, for a
 * body that names no subject or another one, or if the partition is not the partition of the subject id.
 */
export function parseObservation(
  busSubject: string,
  body: unknown,
): { partition: number; locationId: string; subjectId: string } | null {
  const [head, partition, locationId, named, more] = busSubject.split('.')
  const inside = (body as { subject?: unknown } | null | undefined)?.subject
  const subjectId = named ?? inside
  if (head !== 'obs' || !locationId || typeof subjectId !== 'string' || subjectId === '' || more !== undefined) return null
  if (inside !== undefined && inside !== subjectId) return null
  return partitionOf(subjectId) === Number(partition) ? { partition: Number(partition), locationId, subjectId } : null
}

/** Parses a command subject. Returns null for any other subject, or if the partition is not the partition of the subject id. */
export function parseCommand(subject: string): { partition: number; subjectId: string } | null {
  const [head, partition, subjectId, more] = subject.split('.')
  if (head !== 'cmd' || !subjectId || more !== undefined) return null
  return partitionOf(subjectId) === Number(partition) ? { partition: Number(partition), subjectId } : null
}

/** Returns the verb in the subject of a request to the directory or to a door. */
export const parseVerb = (subject: string): string => subject.split('.')[2] ?? ''

export function parseLease(key: string): number | null {
  const partition = Number(key.split('.')[1])
  return Number.isInteger(partition) ? partition : null
}

export function parseCheckKey(key: string): { locationId: string; subjectId: string } | null {
  const [locationId, , subjectId] = key.split('.')
  return locationId && subjectId ? { locationId, subjectId } : null
}

export function parseCheckPage(key: string): { locationId: string; number: number } | null {
  const [locationId, partition, last, more] = key.split('.')
  const number = Number(last)
  const isKey = locationId && more === undefined && Number.isInteger(number) && number % limits.partitions === Number(partition)
  return isKey ? { locationId, number } : null
}

export function parseProberPresence(key: string): { locationId: string; proberId: string } | null {
  const [head, locationId, proberId] = key.split('.')
  return head === 'prober' && locationId && proberId ? { locationId, proberId } : null
}

export function parseNotifierPresence(key: string): string | null {
  const [head, notifierId] = key.split('.')
  return head === 'notifier' && notifierId ? notifierId : null
}

export const parseKeeperPresence = (key: string): string | null => key.split('.')[1] ?? null

export function parseRevocation(key: string): { what: Revoked; id: string } | null {
  const [what, id, more] = key.split('.')
  if (!isRevocable(what) || !id || more !== undefined) return null
  return { what, id }
}

/**
 * Returns a predicate that matches subjects by the server's rules: `*` is one token, `>` is one or more tokens at the end. `start`:
 * beginning that all tested subjects are known to have.
 */
export function subjectMatcher(filter: string, start = ''): (subject: string) => boolean {
  if (!/[*>]/.test(filter)) return subject => subject === filter
  if (start !== '' && filter === `${start}*`) {
    return subject => subject.length > start.length && !subject.includes('.', start.length)
  }
  const wanted = filter.split('.')
  const open = wanted.at(-1) === '>'
  const fixed = open ? wanted.slice(0, -1) : wanted
  return subject => {
    const tokens = subject.split('.')
    if (open ? tokens.length <= fixed.length : tokens.length !== fixed.length) return false
    return fixed.every((token, i) => token === '*' || token === tokens[i])
  }
}
