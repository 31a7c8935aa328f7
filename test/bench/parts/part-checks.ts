// Checks: number of checks per second that are made on time, stored and judged; cost of a check; lateness of checks. Additional monitors
// with an interval of 1 s raise the rate in steps, until more than 5 % of the checks are late.
import { setTimeout as pause } from 'node:timers/promises'
import { measureRoute, type RouteFigures } from '../bare/baselines.ts'
import { type KindCosts, measureKinds } from '../fleets/check-kinds.ts'
import type { KindFigures } from '../fleets/kind-checks.ts'
import { homeOf, type Seeded, seed } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { type Observed, observe } from '../run/observe.ts'
import { type Detail, type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median } from '../run/statistics.ts'
import type { System } from '../run/system.ts'

interface Rung extends Observed {
  name: string
  asked: number
  reads: RouteFigures
}

/** Steps of the rate, percent of the bare prober's rate. The last step is a rate that no machine sustains, so that one step fails. */
const ladder = [5, 10, 20, 25, 30, 35, 40, 50, 60, 70, 80]
const quickLadder = [5, 20]
/** Rate at which punctuality is measured, checks a second. */
const steadyRate = 400
const held = { onTime: 0.99, judged: 0.99, lagMs: 1_000 }
const givenUp = { onTime: 0.95 }
/** Factor on the number of monitors, so that one hit more or less at an end of the window does not fail a step. */
const headroom = 1.005
/** A system and its prober compile their hot paths in the first seconds. */
const warmUpMs = 4_000

export async function checks(run: Run): Promise<PartResult> {
  const bare = await run.bareProber()
  const rungs = await run.withSystem(system => climb(run, system, bare.checksPerSecond))
  const best = rungs.filter(isHeld).at(-1)
  const half = best && closest(rungs, best.hitsPerSecond / 2)
  const steady = rungs.find(({ asked }) => asked === steadyRate)
  const part = 'checks'
  run.say('checks: one of each kind')
  const kinds = await measureKinds(run.target.origin, run.options.quick ? { rounds: 1, checks: 50 } : { rounds: 9, checks: 400 })
  if (best !== undefined) run.foundHeld(best.hitsPerSecond)
  return {
    quantities: [
      quantity(part, 'checks held, stored and judged, 99 % on time', '/s', best?.hitsPerSecond ?? 0, {
        better: 'higher',
        baseline: bare.checksPerSecond,
        budget: 0.35,
        floor: 0.2,
      }),
      quantity(part, 'CPU per 1,000 checks at that rate, everything together', 'ms', best?.cpuMsPerThousand ?? Number.NaN, {
        better: 'lower',
        baseline: bare.cpuMsPerThousand,
        budget: 3,
        floor: 5,
      }),
      ...(steady === undefined ? [] : punctuality(steady)),
      quantity(part, 'API read while checks run at half the held rate, p99', 'ms', half?.reads.p99Ms ?? Number.NaN, {
        better: 'lower',
        budget: 20,
      }),
      ...kindQuantities(kinds),
    ],
    details: [ladderDetail(rungs, bare.cpuMsPerThousand), kindDetail(kinds)],
  }
}

/** A figure of a kind whose checks failed means nothing. */
const costOf = ({ error, cpuMsPerThousand }: KindFigures): number => (error === null ? median(cpuMsPerThousand) : Number.NaN)

/** CPU of the prober alone, as a ratio to a plain check over HTTP. */
function kindQuantities({ figures, plain }: KindCosts) {
  const usual = figures.find(({ name }) => name === plain)
  if (usual === undefined) return []
  return figures
    .filter(figure => figure !== usual)
    .map(figure =>
      quantity('checks', `CPU of the prober per 1,000 checks: ${figure.name}`, 'ms', costOf(figure), {
        better: 'lower',
        baseline: costOf(usual),
      }),
    )
}

function kindDetail({ figures, plain, leftOut }: KindCosts): Detail {
  const usual = figures.find(({ name }) => name === plain)
  const made = figures.map(figure => ({
    kind: figure.name,
    'CPU ms/1,000': Number(costOf(figure).toFixed(1)),
    'least ms/1,000': Number(Math.min(...figure.cpuMsPerThousand).toFixed(1)),
    [`x ${plain}`]: usual === undefined ? '' : Number((costOf(figure) / costOf(usual)).toFixed(2)),
    note: figure.error ?? '',
  }))
  const none = leftOut.map(({ name, why }) => ({
    ...{ kind: name, 'CPU ms/1,000': '', 'least ms/1,000': '', [`x ${plain}`]: '', note: `not measured: ${why}` },
  }))
  return { title: 'One check of each kind, the prober alone', rows: [...made, ...none] }
}

const isHeld = ({ onTime, judgedShare, judgingLag }: Rung) =>
  onTime >= held.onTime && judgedShare >= held.judged && judgingLag.p99 <= held.lagMs

const closest = (rungs: Rung[], rate: number): Rung | undefined =>
  [...rungs].sort((a, b) => Math.abs(a.hitsPerSecond - rate) - Math.abs(b.hitsPerSecond - rate))[0]

async function climb(run: Run, system: System, bareRate: number): Promise<Rung[]> {
  await system.start()
  const connection = await system.connect()
  try {
    const shares = run.options.rungs ?? (run.options.quick ? quickLadder : ladder)
    const steps = [
      ...(run.options.rungs ? [] : [{ name: 'steady', asked: steadyRate }]),
      ...shares.map(share => ({ name: `${share} %`, asked: Math.ceil((bareRate * share * headroom) / 100) })),
    ].sort((a, b) => a.asked - b.asked)
    return await climbSteps(run, system, connection, steps)
  } finally {
    await connection.close()
  }
}

/** With `--rungs`, the steady rate is not measured, so there are no quantities of it. */
const punctuality = ({ lateness, jitter }: Rung) => [
  quantity('checks', `after the slot at ${steadyRate}/s, p99`, 'ms', lateness.p99, { better: 'lower', budget: 2, floor: 5 }),
  quantity('checks', `off the interval at ${steadyRate}/s, p99`, 'ms', jitter.p99, { better: 'lower', budget: 2 }),
]

async function climbSteps(run: Run, system: System, connection: Connection, steps: { name: string; asked: number }[]) {
  const key = await system.key()
  const home = await homeOf(connection, system.url, key)
  const rungs: Rung[] = []
  let seeded: Seeded = { subjectIds: [], elapsedMs: 0 }
  for (const { name, asked } of steps) {
    const options = {
      from: seeded.subjectIds.length,
      to: asked,
      intervalSeconds: 1,
      workspaceId: home.workspaceId,
      locationIds: [home.locationId],
      urlOf: run.target.urlOf,
    }
    seeded = await seed(connection, options, seeded.subjectIds)
    await run.target.untilSeen(asked, 60_000)
    await pause(warmUpMs)
    const { subjectIds } = seeded
    const observed = await observe({ system, target: run.target, subjectIds, intervalMs: 1_000, seconds: run.options.seconds })
    const path = `/api/v2/monitoring/websites/${subjectIds[0]}`
    const reads = await measureRoute(system.url, path, { key, connections: 1, seconds: run.options.quick ? 1 : 4 })
    const rung = { name, asked, ...observed, reads }
    rungs.push(rung)
    run.say(`checks: ${name}: ${describe(rung)}`)
    if (rung.onTime < givenUp.onTime) break
  }
  return rungs
}

const describe = ({ asked, hitsPerSecond, onTime, cpuMsPerThousand, lateness }: Rung) =>
  `asked ${asked}/s, made ${hitsPerSecond.toFixed(0)}/s, ${(onTime * 100).toFixed(1)} % on time, p99 ${lateness.p99.toFixed(1)} ms late, ` +
  `${cpuMsPerThousand.toFixed(0)} ms of CPU per 1,000`

function ladderDetail(rungs: Rung[], bareCpu: number): Detail {
  const ms = (value: number) => Number(value.toFixed(1))
  return {
    title: 'Rate ladder, interval 1 s',
    rows: rungs.map(rung => ({
      rung: rung.name,
      'asked/s': rung.asked,
      'made/s': Math.round(rung.hitsPerSecond),
      'on time %': ms(rung.onTime * 100),
      'late p50 ms': ms(rung.lateness.p50),
      'p95 ms': ms(rung.lateness.p95),
      'p99 ms': ms(rung.lateness.p99),
      'max ms': ms(rung.lateness.max),
      'jitter p99 ms': ms(rung.jitter.p99),
      'prober late p99 ≤ ms': rung.proberLatenessP99,
      'judged %': ms(rung.judgedShare * 100),
      'lag p50 ≤ ms': rung.judgingLag.p50,
      'lag p99 ≤ ms': rung.judgingLag.p99,
      shed: rung.shed,
      skipped: rung.skipped,
      'CPU ms/1,000': Math.round(rung.cpuMsPerThousand),
      'of it bus': Math.round(rung.cpuByName['nats-server'] ?? 0),
      'x bare': ms(rung.cpuMsPerThousand / bareCpu),
      'load CPU ms/1,000': Math.round(rung.loadCpuMsPerThousand),
      'RSS MB': Math.round(rung.residentBytes / 1e6),
      'API read p99 ms': ms(rung.reads.p99Ms),
    })),
  }
}
