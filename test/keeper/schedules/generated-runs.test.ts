// Random sequences of pings, against a walk that computes the status of a job again from all its pings. Reference: docs/reference/v3.md, 4.17
// and 17.12.
import t from 'tap'
import type { PingAction } from '#shared/contracts/observations/ping.ts'
import { Random } from '../../simulation/random.ts'
import { cases } from '../../support/thoroughness.ts'
import { createJob, minute, rid, second, start } from './job-world.ts'

interface Sent {
  at: number
  action: PingAction
  run: string | null
}

const period = 20 * minute
const grace = 5 * minute

/** Status of the job at an instant, from all pings until then, as one would write it down without a machine. */
function naiveStatus(sent: readonly Sent[], at: number): 'new' | 'up' | 'down' {
  let ended: { at: number; isGood: boolean } | null = null
  let started: { at: number; run: string | null } | null = null
  for (const { at: instant, action, run } of sent) {
    if (instant > at) break
    if (action === 'start') started = { at: instant, run }
    if (action === 'success' || action === 'fail') {
      ended = { at: instant, isGood: action === 'success' }
      if (action === 'fail' || run === null || started?.run === run) started = null
    }
  }
  const isLate = ended !== null && at >= ended.at + period + grace
  const isStuck = started !== null && at >= started.at + grace
  if (isLate || isStuck || ended?.isGood === false) return 'down'
  return ended === null ? 'new' : 'up'
}

const words = { problem: 'down', ok: 'up', not_judged: 'new', no_data: 'no data' } as const

t.test('random pings: the verdict at every instant is that of a walk over all pings', async t => {
  const sequences = cases(2_000, 20_000)
  const random = new Random(11, 'runs')
  let compared = 0
  for (let i = 0; i < sequences; i++) {
    const job = createJob({ answers: { period: period / second, grace: grace / second } })
    const sent: Sent[] = []
    let at = start + minute
    for (let n = random.integer(1, 8); n > 0; n--) {
      at += random.pick([1, 999, 30 * second, 4 * minute, grace, period, period + grace, period + grace - 1])
      const run = random.chance(0.5) ? rid(random.integer(1, 2)) : null
      const one: Sent = { at, action: random.pick(['success', 'success', 'fail', 'start', 'log'] as const), run }
      const before = at - random.pick([0, 1, second])
      if (before > job.subject().judgedAt) {
        job.pass(before)
        if (naiveStatus(sent, before) !== words[job.verdict() ?? 'not_judged'])
          return void t.fail(failure(sent, before, job.verdict()))
        compared++
      }
      sent.push(one)
      job.ping(at, { action: one.action, run })
      if (naiveStatus(sent, at) !== words[job.verdict() ?? 'not_judged']) return void t.fail(failure(sent, at, job.verdict()))
      compared++
    }
    const end = at + random.pick([grace - 1, grace, period + grace - 1, period + grace, 3 * period])
    job.pass(end)
    if (naiveStatus(sent, end) !== words[job.verdict() ?? 'not_judged']) return void t.fail(failure(sent, end, job.verdict()))
    compared++
  }
  t.ok(compared > sequences * 5, `${compared} verdicts of ${sequences} sequences`)
})

const failure = (sent: readonly Sent[], at: number, verdict: unknown): string =>
  `at ${at - start}: ${JSON.stringify(sent.map(one => ({ ...one, at: one.at - start })))} is ${naiveStatus(sent, at)}, not ${verdict}`
