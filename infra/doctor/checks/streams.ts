// Streams and buckets of the bus: whether they are there, have the wanted copies and a leader, and have room.
import type { ExaminedStream } from '#shared/bus/nats/nats-examine.ts'
import type { Facts } from '../facts.ts'
import { type Finding, fault, warning, well } from '../finding.ts'
import { sizeText } from '../size-text.ts'

const nearlyFull = 0.6
const full = 0.95
const leastServers = 3

export function checkStreams({ bus, settings: { values } }: Facts): Finding[] {
  if (bus.state !== 'looked' || bus.streams === null) return []
  const { streams } = bus
  const missing = streams.filter(({ isPresent }) => !isPresent)
  if (missing.length === streams.length) {
    return [
      warning(
        'The bus has no stream of Watchkeeper yet.',
        'So it was never used with this bus, or the bus has lost its files.',
        'Start Watchkeeper: the start makes them. If it has run on this bus, put the files of the NATS servers back first.',
      ),
    ]
  }
  const wanted = values?.NATS_REPLICAS ?? 0
  const present = streams.filter(({ isPresent }) => isPresent)
  const reachable = bus.servers.filter(server => server.fault === null).length
  const findings = [
    ...(missing.length > 0 ? [lost(missing)] : []),
    ...present.flatMap(ofCluster),
    ...copies(present, wanted, reachable),
    ...present.flatMap(ofRoom),
  ]
  const [first] = present
  return findings.length > 0
    ? findings
    : [well(`All ${streams.length} are there, in ${first?.copies ?? 1} ${first?.copies === 1 ? 'copy' : 'copies'} each.`)]
}

function lost(missing: readonly ExaminedStream[]): Finding {
  const why = 'The bus has lost them: check results that were not judged yet, leases or check entries are gone.'
  return fault(
    `Missing on the bus: ${namesOf(missing)}.`,
    why,
    'Restart one directory, keeper or notifier: its start makes them anew, and keepers write the checks again.',
  )
}

function ofCluster({ name, hasLeader, behind, offline }: ExaminedStream): Finding[] {
  if (!hasLeader) {
    const why = 'Nothing can be written to it. An election takes up to 10 s; longer means that most of its servers are away.'
    return [fault(`${name} has no leader.`, why, 'Start the NATS servers that are away; run this command again after 10 s.')]
  }
  if (offline.length > 0) {
    return [
      fault(
        `${name} has copies on servers that are away: ${offline.join(', ')}.`,
        'If another server is lost, it takes no writes.',
        'Start these servers, or replace them (docs/running-a-cluster.md).',
      ),
    ]
  }
  if (behind.length > 0) {
    return [
      warning(
        `${name} is not yet current on ${behind.join(', ')}.`,
        'While copies catch up, the loss of another server may stop the stream.',
        'Stop no NATS server until this is gone.',
      ),
    ]
  }
  return []
}

function copies(present: readonly ExaminedStream[], wanted: number, reachable: number): Finding[] {
  const differing = present.filter(({ copies }) => wanted > 0 && copies !== wanted)
  if (differing.length > 0) {
    const what = `${namesOf(differing)}: ${differing[0]?.copies} instead of ${wanted} copies.`
    return [
      fault(
        what,
        'NATS_REPLICAS promises that the bus survives the loss of a server; with these copies it does not.',
        `Restart one process with a store and NATS_REPLICAS=${wanted} while at least ${wanted} servers run.`,
      ),
    ]
  }
  const single = present.filter(({ copies }) => copies === 1)
  if (wanted === 0 && reachable >= leastServers && single.length > 0) {
    return [
      warning(
        `${namesOf(single)} lie on one server each.`,
        `The bus has ${reachable} servers, but the loss of one would stop Watchkeeper.`,
        'Set NATS_REPLICAS=3 at every process with a store, and restart them.',
      ),
    ]
  }
  return []
}

function ofRoom({ name, bytes, mostBytes }: ExaminedStream): Finding[] {
  if (mostBytes <= 0 || bytes < nearlyFull * mostBytes) return []
  const what = `${name} has used ${sizeText(bytes)} of ${sizeText(mostBytes)}.`
  const why = 'Judged reports leave it within a minute, so keepers or the store do not keep up. A full stream refuses reports.'
  const remedy = 'See whether keepers run and hold all partitions, and whether the store is slow.'
  return [bytes >= full * mostBytes ? fault(what, why, remedy) : warning(what, why, remedy)]
}

const namesOf = (streams: readonly ExaminedStream[]): string => streams.map(({ name }) => name).join(', ')
