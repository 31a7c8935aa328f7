// `node test/simulation/placement.ts`: placement and take-over of partitions by the real code of the keepers' leases, on the virtual clock, at up
// to 1,000 keepers. Prints the tables of docs/scaling.md. Options and their defaults: `--partitions 64,1024`, `--keepers 10,100,1000`,
// `--killed 1,10,300`: numbers that die at once. `--writes 10000`: conditional writes a second that the leader of a bucket takes, 0 for any
// number. `--only 'one dies'`: the runs whose words contain this. `--for-s 200`: real time for each number of partitions; then no run begins.
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { limits } from '#shared/limits/limits.ts'
import type { Placement } from './placement/placement.ts'

const { values } = parseArgs({
  options: {
    partitions: { type: 'string', default: '64,1024' },
    keepers: { type: 'string', default: '10,100,1000' },
    killed: { type: 'string', default: '1,10,300' },
    writes: { type: 'string', default: '10000' },
    'for-s': { type: 'string', default: '200' },
    only: { type: 'string', default: '' },
    child: { type: 'boolean', default: false },
  },
})

/** Longest virtual times: until everything is held, and until the shares are even. */
const coverMs = 120_000
/** A thousand keepers take a second of processor time for each virtual second. */
const balanceMs = (keepers: number) => (keepers > 300 ? 20_000 : 120_000)
const steadyMs = 6_000

const say = (line: string) => void process.stdout.write(`${line}\n`)
const seconds = (ms: number | null, most: number): string => (ms === null ? `> ${most / 1_000}` : (ms / 1_000).toFixed(1))
const number = (value: number): string => Math.round(value).toLocaleString('en-US')

if (values.child) await simulate(Number(values.partitions))
else
  for (const partitions of values.partitions.split(',')) {
    // The number of partitions is read when the keepers' code is loaded, so each number has a process of its own.
    const same = [
      '--keepers',
      values.keepers,
      '--writes',
      values.writes,
      '--for-s',
      values['for-s'],
      '--only',
      values.only,
      '--killed',
      values.killed,
    ]
    const given = [import.meta.filename, '--child', '--partitions', partitions, ...same]
    const { status } = spawnSync(process.execPath, given, { stdio: 'inherit' })
    if (status !== 0) process.exitCode = 1
  }

async function simulate(partitions: number): Promise<void> {
  Object.assign(limits, { partitions })
  const { createPlacement } = await import('./placement/placement.ts')
  const endsAt = performance.now() + Number(values['for-s']) * 1_000
  const isLate = () => performance.now() > endsAt
  say(`\n${partitions} partitions, ${values.writes === '0' ? 'any number of' : values.writes} writes a second\n`)
  say(
    '| keepers | what happens | all held, s | even, s | spread | moves | writes /s | most in 1 s | deliveries /s | most in 1 s |',
  )
  say('|---|---|---|---|---|---|---|---|---|---|')
  for (const keepers of values.keepers.split(',').map(Number)) {
    const create = () => createPlacement({ partitions, writesPerSecond: Number(values.writes) })
    const row = (what: string, cells: string[]) => say(`| ${number(keepers)} | ${what} | ${cells.join(' | ')} |`)
    const run = async (what: string, act: (placement: Placement) => Promise<string[]>) => {
      if (!what.includes(values.only)) return
      if (isLate()) return row(what, ['left out: no time'])
      row(what, await act(await create()))
    }
    await run('nothing', async placement => {
      await placement.startEven(keepers)
      return ['-', '-', ...(await placement.measure(() => placement.pass(steadyMs)))]
    })
    await run('one joins', async placement => {
      await placement.startEven(keepers)
      return observed(placement, keepers, () => placement.join())
    })
    for (const count of values.killed
      .split(',')
      .map(Number)
      .filter(count => count < keepers))
      await run(count === 1 ? 'one dies' : `${count} die at once`, async placement => {
        await placement.startEven(keepers)
        return observed(placement, keepers, async () => placement.kill(count))
      })
    await run('all start on an empty bus', async placement => observed(placement, keepers, () => placement.startEmpty(keepers)))
  }
}

async function observed(placement: Placement, keepers: number, act: () => Promise<void>): Promise<string[]> {
  let cover: number | null = null
  let even: number | null = null
  const cells = await placement.measure(async () => {
    const startedAt = placement.elapsed()
    await act()
    cover = await placement.until(placement.isCovered, startedAt, coverMs)
    even = cover === null ? null : await placement.until(placement.isEven, startedAt, balanceMs(keepers))
  })
  return [seconds(cover, coverMs), seconds(even, balanceMs(keepers)), ...cells]
}
