// Versions of the processes that live, by their presence on the bus.
import { counted } from '#shared/text/counted.ts'
import type { Facts } from '../facts.ts'
import { type Finding, unknown, warning, well } from '../finding.ts'

export function checkVersions({ bus, version }: Facts): Finding[] {
  if (bus.state !== 'looked' || bus.present === null) return []
  const { present } = bus
  if (present.length === 0) return [unknown('No process is present on the bus.')]
  const said = present.flatMap(({ service, id, version: its }) => (its === null ? [] : [{ name: `${service} ${id}`, its }]))
  const older = said.filter(({ its }) => isOlder(its, version))
  const newer = said.filter(({ its }) => isOlder(version, its))
  const findings: Finding[] = []
  if (older.length > 0)
    findings.push(
      warning(
        `${counted(older.length, 'process')} of ${present.length} older than ${version}: ${named(older)}.`,
        'They check and write in the forms of their version; new kinds of checks are not made there.',
        'Upgrade them; until then do not finish the upgrade of the store.',
      ),
    )
  if (newer.length > 0)
    findings.push(
      warning(
        `${counted(newer.length, 'process')} of ${present.length} newer than ${version}: ${named(newer)}.`,
        'This program is the older one.',
        'Upgrade this one, too.',
      ),
    )
  if (findings.length > 0) return findings
  const services = [...new Set(present.map(({ service }) => service))].toSorted()
  const counts = services.map(service => counted(present.filter(one => one.service === service).length, service))
  return [well(`Present: ${counts.join(', ')}; none says that it is of another version than ${version}.`)]
}

const namedMost = 5
const named = (processes: readonly { name: string; its: string }[]): string =>
  [
    ...processes.slice(0, namedMost).map(({ name, its }) => `${name} (${its})`),
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
