// Keepers that only hold leases: the code of services/keeper/lease as it is, without partitions behind it.
import { pino } from 'pino'
import { keys, parseLease } from '#shared/bus/subjects.ts'
import { holdLeases, type Leases } from '../../../services/keeper/lease/leases.ts'
import { Random } from '../random.ts'
import { VirtualTime } from '../virtual-time.ts'
import { LeaseBus } from './lease-bus.ts'

export interface Placement {
  /** Starts keepers that already hold even shares, and lets them find each other. */
  startEven(keepers: number): Promise<void>
  /** Starts keepers within a second on a bus without leases. */
  startEmpty(keepers: number): Promise<void>
  join(): Promise<void>
  /** Kills keepers at this instant: they do nothing more, and release nothing. */
  kill(count: number): void
  pass(ms: number): Promise<void>
  /** Virtual time, ms. */
  elapsed(): number
  /** Returns the time from `since` until `holds` is true, ms, looked at each 100 ms; null: not within `mostMs`. */
  until(holds: () => boolean, since: number, mostMs: number): Promise<number | null>
  /** True if a live keeper works on every partition. */
  isCovered(): boolean
  /** True if no two live keepers differ by more than one partition. */
  isEven(): boolean
  /** Returns spread, moves, and writes and deliveries: mean of a second and most in one. */
  measure(run: () => Promise<void>): Promise<string[]>
}

interface Keeper {
  id: string
  isDead: boolean
  leases: Leases | null
}

/** Time to finish the work on a partition and to write its checkpoint, ms. */
const handOverMs = 50
const settleMs = 4_000
const lookMs = 100

export function createPlacement({ partitions, writesPerSecond }: { partitions: number; writesPerSecond: number }): Placement {
  const time = new VirtualTime()
  const bus = new LeaseBus(time, writesPerSecond)
  const random = new Random(7, 'placement')
  const logger = pino({ level: 'silent' })
  const keepers: Keeper[] = []
  let moves = 0

  const start = async (startsInMs: number) => {
    const keeper: Keeper = { id: `k${keepers.length}`, isDead: false, leases: null }
    keepers.push(keeper)
    await time.pass(startsInMs)
    const holding = holdLeases({
      bus: bus.connect(() => keeper.isDead),
      clock: {
        now: () => time.now(),
        monotonic: () => time.elapsed(),
        schedule: (delayMs, run) => time.schedule(delayMs, () => !keeper.isDead && run()),
      },
      logger,
      keeperId: keeper.id,
      exclusive: false,
      mayStart: () => undefined,
      onAcquired: () => {
        moves += 1
      },
      storeSilentMs: () => 0,
      notesOf: () => ({}),
      handOver: () => time.pass(handOverMs),
      onLost: () => undefined,
    })
    keeper.leases = await holding
  }
  const startMany = (count: number) => Promise.all(Array.from({ length: count }, () => start(random.integer(0, 1_000))))
  const during = async (work: Promise<unknown>, mostMs: number) => {
    let isDone = false
    void work.then(() => {
      isDone = true
    })
    for (const until = time.elapsed() + mostMs; !isDone && time.elapsed() < until; ) await time.advanceTo(time.elapsed() + lookMs)
  }
  const live = () => keepers.filter(({ isDead }) => !isDead)
  const shares = () => live().map(({ leases }) => leases?.held().length ?? 0)
  const spread = () => Math.max(...shares()) - Math.min(...shares())

  return {
    startEven: async count => {
      for (let partition = 0; partition < partitions; partition++)
        bus.seed('leases', keys.lease(partition), { holder: `k${partition % count}` })
      await during(startMany(count), settleMs)
      await time.advanceTo(time.elapsed() + settleMs)
    },
    startEmpty: count => during(startMany(count), settleMs),
    join: () => during(start(0), settleMs),
    kill: count => {
      // Every n-th of all, so that at 64 partitions both keepers with and without a partition die.
      const step = Math.max(1, Math.floor(keepers.length / count))
      for (const keeper of keepers.filter((_, index) => index % step === 0).slice(0, count)) keeper.isDead = true
    },
    pass: ms => time.advanceTo(time.elapsed() + ms),
    elapsed: () => time.elapsed(),
    until: async (holds, since, mostMs) => {
      for (; time.elapsed() - since < mostMs; await time.advanceTo(time.elapsed() + lookMs)) {
        if (holds()) return time.elapsed() - since
      }
      return null
    },
    isCovered: () => shares().reduce((sum, held) => sum + held, 0) >= partitions && isLedByLiving(bus, keepers, partitions),
    isEven: () => spread() <= 1,
    measure: async run => {
      moves = 0
      const [startedAt, before] = [time.elapsed(), { ...bus.counts }]
      const seconds: { writes: number; deliveries: number }[] = []
      let last = { ...bus.counts }
      let isOver = false
      const look = () => {
        seconds.push({ writes: bus.counts.writes - last.writes, deliveries: bus.counts.deliveries - last.deliveries })
        last = { ...bus.counts }
        if (!isOver) time.schedule(1_000, look)
      }
      time.schedule(1_000, look)
      await run()
      isOver = true
      look()
      const tookS = Math.max(1, (time.elapsed() - startedAt) / 1_000)
      const text = (value: number) => Math.round(value).toLocaleString('en-US')
      const most = (of: 'writes' | 'deliveries') => text(Math.max(0, ...seconds.map(one => one[of])))
      const mean = (of: 'writes' | 'deliveries') => text((bus.counts[of] - before[of]) / tookS)
      return [String(spread()), text(moves), mean('writes'), most('writes'), mean('deliveries'), most('deliveries')]
    },
  }
}

function isLedByLiving(bus: LeaseBus, keepers: readonly Keeper[], partitions: number): boolean {
  const living = new Set(keepers.filter(({ isDead }) => !isDead).map(({ id }) => id))
  let led = 0
  for (const { key, value } of bus.entries('leases').values()) {
    const { holder = null } = (value ?? {}) as { holder?: string | null }
    if (parseLease(key) !== null && holder !== null && living.has(holder)) led += 1
  }
  return led >= partitions
}
