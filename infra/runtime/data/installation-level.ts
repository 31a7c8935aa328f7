// Level of this installation in a process that has the store. In a cluster, follows its rise on the bus, and raises it when asked to.
import { Compile } from 'typebox/schema'
import { serve } from '#shared/bus/clients/serve.ts'
import type { Bus } from '#shared/bus/port.ts'
import { keys, subjects } from '#shared/bus/subjects.ts'
import { FinishUpgradeRequest, LevelEntry, type LevelRaised } from '#shared/contracts/level.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { type Level, levelOf } from '#shared/store/level.ts'
import type { Clock } from '#shared/time/clock.ts'
import { retryStart } from '../retry-start.ts'

export interface FollowOptions {
  bus: Bus
  clock: Clock
  logger: Logger
  /** Number of the store as this process opened it. */
  number: number
  /** Runs the migrations that are held, and returns the new number. Rejects with a StoreError. */
  raise(): Promise<number>
}

export interface FollowedLevel {
  level: Level
  stop(): Promise<void>
}

const entryContract = Compile(LevelEntry)

export async function followLevel({ bus, clock, logger, number, raise }: FollowOptions): Promise<FollowedLevel> {
  const level = levelOf(number)
  const bucket = bus.bucket('installation')
  level.onRaise(to => logger.info({ level: to }, 'level raised'))
  const onEntry = ({ value }: { value: unknown }) => entryContract.Check(value) && level.raise(value.number)
  const finish = async (): Promise<LevelRaised> => {
    const was = level.number()
    const to = await raise()
    // If this message is lost, a repeated request sends it again, and each start reads the store.
    await bucket.put(keys.level, { number: to })
    level.raise(to)
    return { was, number: to }
  }
  const watching = await retryStart(clock, () => bucket.watch(keys.level, { onEntry }))
  const serving = await serve(bus, {
    subject: subjects.finishUpgrade,
    queue: 'level',
    contractOf: () => FinishUpgradeRequest,
    logger,
    serve: finish,
  })
  return { level, stop: async () => void (await Promise.all([watching.close(), serving.close()])) }
}
