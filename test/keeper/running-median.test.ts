// Running median of a signal's numbers, compared with the median of a plain list that is filtered and sorted at each report (v3 4.5).
import fc from 'fast-check'
import t from 'tap'
import { baselineOf } from '#shared/judging/heard-signal.ts'
import { limits } from '#shared/limits/limits.ts'
import { parsePushedObservationId } from '#shared/text/ids.ts'
import type { RunningMedian } from '../../services/keeper/step/judging/running-median.ts'
import { SignalNumbers } from '../../services/keeper/step/judging/signal-numbers.ts'
import { Random } from '../simulation/random.ts'
import { create, host, observe, setStage } from './resources/resource-world.ts'
import { minute } from './world.ts'

const { numbersLeaving, medianValues } = limits.keeper

interface Row {
  atUs: number
  value: number | null
}

/** A signal with a window of `lengthUs`. `reads` counts the reports for which all numbers of the signal were read. */
function createSignal(lengthUs: number) {
  const rows: Row[] = []
  let median: RunningMedian | null = null
  let reads = 0
  const since = (fromUs: number) => rows.filter(({ atUs }) => atUs >= fromUs)
  const readAll = (fromUs: number) => {
    reads++
    const numbers = since(fromUs).filter(({ value }) => value !== null)
    const instantsUs = Float64Array.from(numbers, ({ atUs }) => atUs)
    const all = new SignalNumbers(
      instantsUs,
      Float64Array.from(numbers, ({ value }) => value as number),
    )
    median = all.running(7, fromUs)
    return all
  }
  const learnFrom = (known: RunningMedian, fromUs: number) => {
    const sinceUs = known.learnFromUs(fromUs)
    const oldest = sinceUs === null ? [] : since(sinceUs).slice(0, numbersLeaving + 1)
    if (sinceUs === null) return
    known.learnLeaving({ instantsUs: oldest.map(({ atUs }) => atUs), values: oldest.map(({ value }) => value) })
  }
  return {
    reads: () => reads,
    /** Returns the baseline of the report and the expected baseline. */
    report: (atUs: number, value: number | null) => {
      const fromUs = atUs - lengthUs
      if (median !== null) learnFrom(median, fromUs)
      const baseline = median?.baselineOf(fromUs, atUs) ?? readAll(fromUs).baseline(fromUs, atUs)
      const inside = rows.filter(row => row.value !== null && row.atUs >= fromUs && row.atUs < atUs)
      const naive = baselineOf(Float64Array.from(inside, row => row.value as number))
      rows.push({ atUs, value })
      rows.sort((one, other) => one.atUs - other.atUs)
      if (median?.add(atUs, value) === false) median = null
      return { baseline, naive }
    },
  }
}

const value = fc.oneof(fc.constant(null), fc.integer({ min: -3, max: 3 }), fc.integer({ min: -1_000, max: 1_000 }))

t.test('running median equals the median of all numbers when reports come late, repeat an instant, or stay away', async () => {
  const reports = fc.array(fc.record({ stepUs: fc.integer({ min: -2, max: 12 }), value }), { minLength: 40, maxLength: 300 })
  fc.assert(
    fc.property(reports, fc.integer({ min: 1, max: 600 }), (sent, lengthUs) => {
      const signal = createSignal(lengthUs)
      let atUs = 1_000
      for (const { stepUs, value } of sent) {
        atUs += stepUs
        const { baseline, naive } = signal.report(atUs, value)
        if (baseline.samples !== naive.samples || baseline.median !== naive.median) return false
      }
      return true
    }),
    { numRuns: 300 },
  )
})

t.test('running median rarely reads all numbers when reports are regular', async t => {
  const wave = createSignal(2_000)
  const rising = createSignal(2_000)
  const equal = createSignal(2_000)
  for (let report = 1; report <= 3_000; report++) {
    for (const { baseline, naive } of [
      wave.report(report, Math.sin(report * report)),
      rising.report(report, report),
      equal.report(report, 10),
    ])
      if (baseline.median !== naive.median || baseline.samples !== naive.samples) t.fail(`report ${report}`)
  }
  t.ok(wave.reads() < 30, `${wave.reads()} reads`)
  t.ok(rising.reads() <= (2 * 3_000) / (medianValues / 2), `${rising.reads()} reads`)
  t.equal(equal.reads(), 1)
})

t.test('running median is discarded when a signal has the largest number of values that a baseline allows', async t => {
  const most = limits.intake.baselineNumbers
  const listOf = (length: number) => Float64Array.from({ length }, (_, i) => i)
  t.equal(new SignalNumbers(listOf(most), listOf(most)).running(7, 0), null)
  const median = new SignalNumbers(listOf(most - 1), listOf(most - 1)).running(7, 0)
  median?.add(most - 1, most - 1)
  t.equal(median?.baselineOf(0, most)?.samples, most)
  median?.add(most, most)
  t.equal(median?.baselineOf(0, most + 1), null)
})

const instantOf = (id: string) => parsePushedObservationId(id).observedAtUs
const day = 24 * 60 * minute
const low = { signal: 'load', field: 'value', operator: 'lt', operand: 0.5, baseline: { days: 1, min_samples: 3 } }
const measured = {
  ...host,
  rules: [{ key: 'low', action: 'Look.', wait: { confirm_after: 0, recover_after: 0 }, decision: low }],
}

t.test('baseline equals the median of the stored numbers after any reports (v3 4.5)', async t => {
  const counts = { numbers: 0 }
  const world = await setStage(measured, store => ({
    ...store,
    numbers: (collection, query) => {
      counts.numbers++
      return store.numbers(collection, query)
    },
  }))
  const { id } = await create(world)
  const random = new Random(1, 'reports')
  const sent: { sentId: string; atUs: number }[] = []
  let atUs = (world.clock.now() - 12 * day) * 1_000
  const load = (more: object = {}) => ({ signal: 'load', value: random.integer(0, 200), atUs, ...more })
  const usual = () => {
    const one = { sentId: `${atUs}`, atUs }
    sent.push(one)
    return observe(world, id, load(one))
  }
  const earlierUs = () => random.pick(sent).atUs
  const rare: (() => Promise<unknown>)[] = [
    () => observe(world, id, load()),
    () => observe(world, id, load({ state: 'no_data', value: null })),
    () => observe(world, id, load({ atUs: earlierUs() + random.integer(-1, 1) })),
    () => observe(world, id, load({ ...random.pick(sent), value: 1_000 })),
    () => observe(world, id, load({ sentId: random.pick(sent).sentId })),
    () => observe(world, id, load({ atUs: sent.at(-1)?.atUs })),
    () => observe(world, id, load(), load({ atUs: earlierUs() - 7 }), load({ atUs: atUs + 1 })),
    () => Promise.all([observe(world, id, load({ atUs: atUs + 3 })), usual(), observe(world, id, load({ atUs: atUs + 5 }))]),
    () => observe(world, id, { signal: 'probe' }),
    async () => {
      atUs += random.integer(1, 30) * 60 * minute * 1_000
    },
  ]
  const stamped = () => observe(world, id, load({ atUs: null }))
  for (let step = 0; step < 700; step++) {
    atUs += 10 * minute * 1_000
    await (step >= 690 ? stamped() : step < 2 || random.chance(0.9) ? usual() : random.pick(rare)())
    const [series] = await world.store.get('series', [`${id}.s2.-`])
    const newestUs = series?.heard?.recent[0]?.atUs ?? 0
    const where = { id: { gte: `${id}.s2.`, lt: `${id}.s2.~` } }
    const rows = (await world.store.find('pushedObservations', { where, limit: 2_000 })).map(row => ({
      ...row,
      atUs: instantOf(row.id),
    }))
    const inside = rows.filter(row => row.value !== null && row.atUs >= newestUs - day * 1_000 && row.atUs < newestUs)
    const naive = baselineOf(Float64Array.from(inside, row => row.value as number))
    const found = series?.heard?.baselines[1]
    if (found?.median !== naive.median || found?.samples !== naive.samples) return t.strictSame(found, naive, `step ${step}`)
  }
  t.ok(counts.numbers > 5 && counts.numbers < 350, `${counts.numbers} times all numbers were read`)
})
