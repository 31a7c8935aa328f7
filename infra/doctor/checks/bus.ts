// Reachability of the bus: each server of NATS_URL, and JetStream with room in files.
import { counted } from '#shared/text/counted.ts'
import type { Facts } from '../facts.ts'
import { type Finding, fault, unknown, warning, well } from '../finding.ts'
import { sizeText } from '../size-text.ts'

/** Share of the file storage above which the bus is nearly full. */
const fullShare = 0.85

export function checkBus({ bus, folder }: Facts): Finding[] {
  if (bus.state === 'unknown') return [unknown(bus.why)]
  if (bus.state === 'stopped') {
    if (folder?.holder == null) return [unknown('The embedded bus does not run, because Watchkeeper is stopped.')]
    const why = 'Without the bus nothing is checked and nobody is notified.'
    const remedy = 'Read the end of the log; if the process does not start it again within a minute, restart Watchkeeper.'
    return [fault(`Watchkeeper runs (process ${folder.holder}), but its bus does not.`, why, remedy)]
  }
  const { servers, files, isDoorOnly } = bus
  const away = servers.filter(server => server.fault !== null)
  const named = away.map(({ server, fault: said }) => `${server} (${said})`).join(', ')
  if (away.length === servers.length) {
    const why = 'Without the bus nothing is checked, judged or sent; probers keep their results for a while.'
    const remedy = `Start ${servers.length === 1 ? 'the NATS server' : 'the NATS servers'}; if they run, correct NATS_URL, its credentials or the network.`
    return [fault(`No server of the bus can be used: ${named}.`, why, remedy)]
  }
  const findings: Finding[] = []
  if (away.length > 0) {
    const left = servers.length - away.length
    const hasMajority = left * 2 > servers.length
    const why = hasMajority
      ? `The bus works with ${left} of ${servers.length}, but cannot lose another one.`
      : `${left} of ${servers.length} are no majority: streams take no writes, so nothing is judged.`
    const remedy =
      'Start it again; if it is lost for good, replace it (docs/running-a-cluster.md, "A NATS server is lost for good").'
    findings.push(fault(`${counted(away.length, 'server')} of the bus can't be used: ${named}.`, why, remedy))
  }
  if (isDoorOnly) return [...findings, well('The bus admits this prober to the door of its location.')]
  if (files === null) {
    const why = 'Streams and buckets lie in JetStream: without it no process starts.'
    findings.push(
      fault(
        'The bus has no JetStream.',
        why,
        'Configure `jetstream { store_dir: … }` at every NATS server, and enable it for the account.',
      ),
    )
    return findings
  }
  const { usedBytes, mostBytes } = files
  if (mostBytes > 0 && usedBytes > fullShare * mostBytes) {
    const what = `The bus has used ${sizeText(usedBytes)} of ${sizeText(mostBytes)} in files.`
    const why = 'A full bus refuses reports; probers keep them for a while and then drop them.'
    findings.push(
      warning(
        what,
        why,
        'Raise max_file_store of the NATS servers or the limit of the account, and see why reports are not judged.',
      ),
    )
  }
  const versions = [...new Set(servers.flatMap(({ version }) => version ?? []))]
  if (versions.length > 1) {
    const why = 'That is in order during an upgrade of NATS, and at no other time.'
    findings.push(
      warning(
        `The servers of the bus are of ${versions.length} versions: ${versions.join(', ')}.`,
        why,
        'Finish the upgrade of the NATS servers.',
      ),
    )
  }
  return findings.length > 0
    ? findings
    : [well(`${counted(servers.length, 'server')} of NATS ${versions.join()}, with JetStream.`)]
}
