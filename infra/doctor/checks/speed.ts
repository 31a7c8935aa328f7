// Speed of guarded writes. A keeper commits by such a write, so its time is part of the time to each message.
import type { Facts } from '../facts.ts'
import { type Finding, fault, warning, well } from '../finding.ts'

/** Median times of one write, ms. Between machines of one data centre, a majority takes 1 to 10 ms. */
const slowMs = 100
const tooSlowMs = 1_000

export function checkSpeed({ store, folder }: Facts): Finding[] {
  if (store.kind === 'mongodb') {
    if (store.fault !== null || store.probe.medianMs === null) return []
    return [
      judged(
        'A guarded write to the store',
        store.probe.medianMs,
        'See the load and the disks of MongoDB, and the way to its primary; members on other continents make each write wait.',
      ),
    ]
  }
  if (folder === null || folder.flushMs === null) return []
  return [
    judged(
      `A write through to the disk of ${folder.path}`,
      folder.flushMs,
      'See what else writes to this disk; a network file system is no place for the data folder.',
    ),
  ]
}

function judged(what: string, ms: number, remedy: string): Finding {
  const said = `${what} takes ${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms.`
  if (ms < slowMs) return well(said)
  const why = 'Every judgement waits for such a write: with many monitors, messages come late.'
  return ms < tooSlowMs ? warning(said, why, remedy) : fault(said, why, remedy)
}
