// Every subject of the bus and every key of its buckets is built and parsed here, and nowhere else.
import { partitionOf } from '#shared/hash.ts'

export type Revoked = 'key' | 'user' | 'address'

export const subjects = {
  /** A prober's report. The location comes from here, never from the payload. */
  observation: (locationId: string, subjectId: string) => `obs.${partitionOf(subjectId)}.${locationId}.${subjectId}`,
  observationsOfPartition: (partition: number) => `obs.${partition}.>`,
  allObservations: 'obs.>',
  /** A command to the subject's keeper. */
  command: (subjectId: string) => `cmd.${partitionOf(subjectId)}.${subjectId}`,
  commandsOfPartition: (partition: number) => `cmd.${partition}.*`,
  /** A question to the directory. */
  ask: (verb: string) => `ask.directory.${verb}`,
  allAsks: 'ask.directory.*',
  /** "There is an alert": the notifiers share them. */
  alertNudge: 'nudge.alert',
  /** A test message to a destination, carried out by one notifier. */
  testMessage: 'notify.test',
  /** A preview of a Template, run by one keeper. */
  preview: 'keeper.preview',
  /** A backup, made by the process that has the embedded store. */
  backup: 'installation.backup',
  /** A request of a prober with credentials for this location alone: what it may send at all. */
  door: (locationId: string, verb: string) => `door.${locationId}.${verb}`,
  doorOf: (locationId: string) => `door.${locationId}.*`,
  /** "The locations or the credentials of probers have changed": the directories look again. */
  doorNudge: 'nudge.doors',
  /** What a subject's machines just did, for those who look. */
  state: (workspaceId: string, subjectId: string) => `state.${workspaceId}.${subjectId}`,
  allStates: 'state.>',
} as const

export const keys = {
  lease: (partition: number) => `p.${partition}`,
  allLeases: 'p.*',
  /** Written by any keeper while no lease moves, so that all see that leases could. */
  leaseBeat: 'beat',
  keeperPresence: (keeperId: string) => `keeper.${keeperId}`,
  allKeepers: 'keeper.*',
  gatewayPresence: (gatewayId: string) => `gateway.${gatewayId}`,
  allGateways: 'gateway.*',
  proberPresence: (locationId: string, proberId: string) => `prober.${locationId}.${proberId}`,
  probersOf: (locationId: string) => `prober.${locationId}.*`,
  allProbers: 'prober.*.*',
  /** Whoever says that it lives. */
  allPresent: '>',
  check: (locationId: string, subjectId: string) => `${locationId}.${partitionOf(subjectId)}.${subjectId}`,
  checksOfLocation: (locationId: string) => `${locationId}.>`,
  checksOfPartition: (partition: number) => `*.${partition}.*`,
  /** Gateways forget what they know of a key, of all keys of a user, or of an Observation address. */
  revocation: (what: Revoked, id: string) => `${what}.${id}`,
  allRevocations: '*.*',
  /** Whose bus this is, and how far its store has come. */
  installation: 'store',
} as const

/** The parts of an observation subject; null where it is not one or names a partition that is not its subject's. */
export function parseObservation(subject: string): { partition: number; locationId: string; subjectId: string } | null {
  const [head, partition, locationId, subjectId, more] = subject.split('.')
  if (head !== 'obs' || !locationId || !subjectId || more !== undefined) return null
  return partitionOf(subjectId) === Number(partition) ? { partition: Number(partition), locationId, subjectId } : null
}

/** The subject id of a command subject; null where it is not one or names a partition that is not its subject's. */
export function parseCommand(subject: string): { partition: number; subjectId: string } | null {
  const [head, partition, subjectId, more] = subject.split('.')
  if (head !== 'cmd' || !subjectId || more !== undefined) return null
  return partitionOf(subjectId) === Number(partition) ? { partition: Number(partition), subjectId } : null
}

/** The verb of a question to the directory, and of a request of a prober. */
export const parseVerb = (subject: string): string => subject.split('.')[2] ?? ''

export function parseLease(key: string): number | null {
  const partition = Number(key.split('.')[1])
  return Number.isInteger(partition) ? partition : null
}

export function parseCheckKey(key: string): { locationId: string; subjectId: string } | null {
  const [locationId, , subjectId] = key.split('.')
  return locationId && subjectId ? { locationId, subjectId } : null
}

export function parseProberPresence(key: string): { locationId: string; proberId: string } | null {
  const [head, locationId, proberId] = key.split('.')
  return head === 'prober' && locationId && proberId ? { locationId, proberId } : null
}

export const parseKeeperPresence = (key: string): string | null => key.split('.')[1] ?? null

export function parseRevocation(key: string): { what: Revoked; id: string } | null {
  const [what, id, more] = key.split('.')
  if ((what !== 'key' && what !== 'user' && what !== 'address') || !id || more !== undefined) return null
  return { what, id }
}
