// Jobs through outages of the installation: a keeper is killed at random instants and replaced later. A job repeats a ping until it is taken,
// as curl does. What was missed is told, and nothing that was not. Reference: docs/reference/v3.md, 4.11 and 4.17.
import t from 'tap'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import { randomId } from '#shared/text/ids.ts'
import { Random } from '../../simulation/random.ts'
import { cases } from '../../support/thoroughness.ts'
import { createWorld, minute } from '../world.ts'

const period = 10 * minute
const grace = 4 * minute

async function createJob(world: ReturnType<typeof createWorld>) {
  const id = randomId(10)
  const answers = { period: period / 1_000, grace: grace / 1_000 }
  const made = {
    kind: 'create-resource',
    workspaceId: 'w',
    slug: `job-${id}`,
    name: 'Job',
    template: 'heartbeat-check@1',
    answers,
    labels: {},
  }
  const send = (body: object): Promise<Reply> => world.command(id, body as never)
  const { ok } = await send(made)
  if (!ok) throw new Error('the job was refused')
  const sent = { exitStatus: null, run: null, method: 'GET', agent: '', from: '', body: null, value: null, reason: '' }
  /** Returns whether the ping was taken. A keeper that is away answers nothing. */
  const ping = async (action: 'success' | 'start' = 'success') => {
    try {
      return (await send({ kind: 'ping', signal: 'run', action, ...sent })).ok
    } catch {
      return false
    }
  }
  return { id, ping }
}

for (let seed = 1; seed <= cases(1, 5); seed++) {
  t.test(`jobs through kills of the keeper: all that is missed is told, and nothing else, seed ${seed} (v3 4.17)`, async t => {
    const random = new Random(seed, 'job outages')
    const world = createWorld()
    let keeper = await world.startOne({ exclusive: true })
    const jobs = await Promise.all([1, 2, 3].map(() => createJob(world)))
    for (const { ping } of jobs) t.ok(await ping())
    const missed = new Map(jobs.map(({ id }) => [id, 0]))
    for (let round = 0; round < 8; round++) {
      const silent = random.chance(0.3) ? random.pick(jobs) : null
      // An outage that ends before the grace does, so that a job that repeats its ping is in time.
      if (random.chance(0.6)) {
        await world.clock.advance(period - random.integer(10, 100) * 1_000)
        world.hub.cut(keeper.bus)
        await world.clock.advance(random.integer(20, 150) * 1_000)
        keeper = await world.startOne({ exclusive: true })
        await world.clock.advance(20_000)
      } else await world.clock.advance(period)
      for (const job of jobs) {
        if (job === silent) continue
        while (!(await job.ping())) await world.clock.advance(10_000)
      }
      if (silent === null) continue
      await world.clock.advance(period)
      missed.set(silent.id, (missed.get(silent.id) ?? 0) + 1)
      for (const job of jobs) while (!(await job.ping())) await world.clock.advance(10_000)
    }
    for (const { id } of jobs) {
      const told = (await world.alerts(id)).filter(({ kind }) => kind === 'problem')
      t.equal(told.length, missed.get(id), `job ${id}`)
    }
  })
}
