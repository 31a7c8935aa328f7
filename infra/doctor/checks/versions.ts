// Versions of the processes that live, by their presence on the bus.
import type { PresentProcess } from '#shared/bus/nats/nats-examine.ts'
import { counted } from '#shared/text/counted.ts'
import type { Facts } from '../facts.ts'
import { type Finding, unknown, warning, well } from '../finding.ts'

/** Services whose presence says which number of migrations they know. */
const sayingNumber = ['keeper', 'prober']

export function checkVersions({ bus, version, latestNumber }: Facts): Finding[] {
  if (bus.state !== 'looked' || bus.present === null) return []
  const { present } = bus
  if (present.length === 0) return [unknown('No process is present on the bus.')]
  const older = present.filter(one => isBehind(one, version, latestNumber))
  const newer = present.filter(one => isOlder(version, one.version ?? ''))
  const findings: Finding[] = []
  if (older.length > 0) {
    const what = `Of ${present.length} present, ${older.length} of an older version than ${version}: ${named(older)}.`
    const why = 'They work in the forms of their version, and new kinds of checks are not made there.'
    findings.push(warning(what, why, 'Upgrade them, probers on other machines too; until then do not finish the upgrade.'))
  }
  if (newer.length > 0) {
    const what = `Of ${present.length} present, ${newer.length} of a newer version than ${version}: ${named(newer)}.`
    findings.push(warning(what, 'This program is the older one.', 'Upgrade this one, too.'))
  }
  if (findings.length > 0) return findings
  const services = [...new Set(present.map(({ service }) => service))].toSorted()
  const counts = services.map(service => counted(present.filter(one => one.service === service).length, service))
  return [well(`Present: ${counts.join(', ')}; none is known to be of another version than ${version}.`)]
}

const isBehind = ({ service, version, knows }: PresentProcess, own: string, latestNumber: number): boolean =>
  isOlder(version ?? '', own) || (sayingNumber.includes(service) && knows < latestNumber)

const namedMost = 5
const named = (processes: readonly PresentProcess[]): string =>
  [
    ...processes
      .slice(0, namedMost)
      .map(({ service, id, version }) => `${service} ${id}${version === null ? '' : ` (${version})`}`),
    ...(processes.length > namedMost ? ['…'] : []),
  ].join(', ')

/** Compares versions such as `2.10.0` by their numbers. A text without numbers is never older. */
export function isOlder(one: string, other: string): boolean {
  const [first, second] = [numbersOf(one), numbersOf(other)]
  if (first === null || second === null) return false
  const at = first.findIndex((number, index) => number !== second[index])
  return at >= 0 && (first[at] ?? 0) < (second[at] ?? 0)
}

function numbersOf(version: string): number[] | null {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  return numbers.length === 3 ? numbers.map(Number) : null
}
