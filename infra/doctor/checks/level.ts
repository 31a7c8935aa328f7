// Level of the installation: the number that migrations have given the store, and the number that this program knows.
import type { Facts } from '../facts.ts'
import { type Finding, fault, warning, well } from '../finding.ts'

export function checkLevel({ store, latestNumber }: Facts): Finding[] {
  if (store.kind === 'none' || store.kind === 'unknown') return []
  if (store.kind === 'sqlite' && store.isUsed) return []
  const { level } = store
  if (level === null) return []
  const { number, done } = level
  if (number > latestNumber) {
    const what = `A newer version has converted the store: its number is ${number}, and this program knows ${latestNumber}.`
    return [
      fault(
        what,
        'This version refuses to start on it.',
        'Start the newer version, or go back to the copy from before the upgrade (docs/upgrading.md).',
      ),
    ]
  }
  if (done < number) {
    const what = `The conversion of the store has stopped between ${done} and ${number}.`
    return [
      fault(
        what,
        'No process starts until it is finished.',
        store.kind === 'sqlite'
          ? 'Start Watchkeeper: it goes on.'
          : 'Run the command or the start again that converted it: it goes on.',
      ),
    ]
  }
  if (number === latestNumber) return [well(`The store has the number ${number}, the newest that this program knows.`)]
  if (store.kind === 'sqlite') return [well(`The store has the number ${number} of ${latestNumber}: the next start converts it.`)]
  const what = `The store has the number ${number} of ${latestNumber}.`
  const why = 'So that the version before may run beside, everything is still written in its forms.'
  return [warning(what, why, `When every process is of this version, run \`${finishUpgrade}\` once.`)]
}

/** The command that raises the number of a shared store. */
const finishUpgrade = './watchkeeper cluster finish-upgrade'
