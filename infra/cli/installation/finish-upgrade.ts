// `./watchkeeper cluster finish-upgrade`: lets a cluster write the forms of this version, once no process of an earlier one runs.
import { askToFinishUpgrade } from '#shared/bus/clients/clients.ts'
import type { BucketEntry } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import type { JsonOption } from '../noun.ts'
import { printJson, say } from '../terminal/printing.ts'
import { withBus } from './running-installation.ts'

export async function finishUpgrade({ json }: JsonOption): Promise<void> {
  const { was, number } = await withBus(async (bus, clock) => {
    const presence = bus.bucket('presence')
    const { aheadMs } = await bus.clockOffset(() => clock.now())
    const since = clock.now() + aheadMs - limits.presence.goneMs
    const present = await presence.list(keys.allPresent)
    const earlier = present.filter(({ at }) => at >= since).flatMap(earlierProcess)
    if (earlier.length > 0) throw notYet(earlier)
    return await askToFinishUpgrade(bus).catch(explain)
  })
  if (json) return printJson({ was, level: number })
  if (was === number) say(`The upgrade was finished before: the level of the installation is ${number}.`)
  else
    say(
      `The upgrade is finished: the level of the installation is ${number}. Processes of the version before refuse to start now.`,
    )
}

/** Returns the name of a process that does not know the newest level, by its presence: `keeper.<id>`, or `prober.<location>.<id>`. */
export function earlierProcess({ key, value }: Pick<BucketEntry, 'key' | 'value'>): string[] {
  const { knows = 0 } = (value ?? {}) as { knows?: number }
  if (knows >= latestNumber(migrations)) return []
  const words = key.split('.')
  return [`the ${words[0]} ${words.at(-1)}`]
}

function notYet(earlier: readonly string[]): StartError {
  const who = earlier.slice(0, 5).join(', ') + (earlier.length > 5 ? ` and ${earlier.length - 5} more` : '')
  const advice = 'Replace every process by this version first, the probers on other machines too; nothing was changed.'
  return new StartError(`An earlier version still runs: ${who}. ${advice}`, exitCodes.refused)
}

function explain(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  const why =
    'No process here can finish an upgrade: an installation in one process, with its own data folder, does it at each start.'
  throw new StartError(why, exitCodes.refused)
}
