// The clients of the directory and of the keepers, and the server of requests: which requests are retried, when, and for how long.
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { createDirectoryClient, createKeeperClient } from '#shared/bus/clients/clients.ts'
import { serve } from '#shared/bus/clients/serve.ts'
import type { Incoming } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const logger = createLogger('silent')
const command = { kind: 'delete-subject', id: 'c1' } as const

function world() {
  const clock = createVirtualClock()
  const hub = createMemoryHub({ clock })
  const bus = hub.connect()
  const server = hub.connect()
  return { clock, hub, bus, server, keeper: createKeeperClient(bus, clock), directory: createDirectoryClient(bus, clock) }
}

/**
 * Serves the commands of all keepers. Request n gets element n of `answers`; later requests get the last element. No
 * response is sent for an element null.
 */
async function answering(server: ReturnType<typeof world>['server'], answers: unknown[]) {
  const asked: { body: unknown; traceId: string }[] = []
  await server.subscribe('cmd.*.*', ({ body, traceId, respond }: Incoming) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)]
    asked.push({ body, traceId })
    if (answer !== null) respond(answer)
  })
  return asked
}

const refusal = (code: AppError['code']) => ({
  ok: false,
  error: new AppError(code, `it is ${code}`, { details: 'why' }).toBody(),
})
const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    result => ({ result }),
    error => ({ error: error as AppError }),
  )

t.test('request in a cluster succeeds when three attempts are lost', async t => {
  const { clock, server, bus } = world()
  const asked = await answering(server, [null, null, null, { ok: true, result: 7 }])
  const keeper = createKeeperClient({ ...bus, tryMs: limits.bus.clustered.tryMs }, clock)
  const outcome = outcomeOf(keeper.send('subject001', command, 'trace1'))
  await clock.advance(limits.request.totalMs)
  t.match(await outcome, { result: 7 })
  t.equal(new Set(asked.map(({ body }) => (body as { id: string }).id)).size, 1, 'under one id')
})

t.test('repeated command', async t => {
  for (const { title, answers, afterMs, result, tries } of [
    { title: 'answered at once', answers: [{ ok: true, result: 7 }], afterMs: 0, result: 7, tries: 1 },
    { title: 'silence once', answers: [null, { ok: true, result: 7 }], afterMs: limits.bus.alone.tryMs, result: 7, tries: 2 },
    {
      title: 'busy twice',
      answers: [refusal('busy'), refusal('busy'), { ok: true, result: 7 }],
      afterMs: 150,
      result: 7,
      tries: 3,
    },
    { title: 'unavailable once', answers: [refusal('unavailable'), { ok: true, result: 7 }], afterMs: 50, result: 7, tries: 2 },
    { title: 'silence for ever', answers: [null], afterMs: 4_000, result: 'unavailable', tries: 2 },
    { title: 'busy for ever', answers: [refusal('busy')], afterMs: 4_000, result: 'unavailable', tries: 13 },
    { title: 'refused', answers: [refusal('not_found')], afterMs: 0, result: 'not_found', tries: 1 },
    { title: 'an internal error', answers: [refusal('internal')], afterMs: 0, result: 'internal', tries: 1 },
    { title: 'something that is no reply', answers: [{ strange: true }], afterMs: 0, result: 'internal', tries: 1 },
  ]) {
    await t.test(title, async t => {
      const { clock, server, keeper } = world()
      const asked = await answering(server, answers)
      const outcome = outcomeOf(keeper.send('subject001', command, 'trace1'))
      let settledAt = -1
      const startedAt = clock.monotonic()
      void outcome.then(() => {
        settledAt = clock.monotonic() - startedAt
      })
      for (let ms = 0; ms < 5_000 && settledAt < 0; ms += 10) await clock.advance(10)
      const got = await outcome
      t.equal('result' in got ? got.result : got.error.code, result)
      t.ok(settledAt - afterMs >= 0 && settledAt - afterMs <= 10, `after ${settledAt} ms`)
      t.equal(asked.length, tries)
      t.ok(asked.every(({ body, traceId }) => JSON.stringify(body) === JSON.stringify(command) && traceId === 'trace1'))
      if ('error' in got && got.error.code === 'not_found') t.match(got.error, { message: 'it is not_found', details: 'why' })
    })
  }
})

t.test('command without a responder reaches a keeper within 50 ms after the keeper starts', async t => {
  const { clock, server, keeper } = world()
  const outcome = outcomeOf(keeper.send('subject001', command))
  await clock.advance(1_000)
  await answering(server, [{ ok: true, result: 'found' }])
  await clock.advance(limits.request.retryMs)
  t.strictSame(await outcome, { result: 'found' })
})

t.test('request fails with `unavailable` after 4 s when it has no responder or the bus is disconnected', async t => {
  for (const cut of [false, true]) {
    const { clock, hub, bus, directory } = world()
    if (cut) hub.cut(bus)
    const outcome = outcomeOf(directory.ask('list-locations', {}))
    await clock.advance(limits.request.totalMs + 10)
    const got = await outcome
    t.match(got, { error: { code: 'unavailable', message: 'The directory does not answer', retryable: true } })
  }
})

t.test('server of requests responds up to its bound of concurrent requests, and refuses further requests', async t => {
  const contract = Type.Object({ n: Type.Integer() })
  const serving = async (answer: (n: number) => Promise<unknown>) => {
    const { bus, server, clock } = world()
    const subscription = await serve(server, {
      subject: subjects.allAsks,
      queue: 'directory',
      contractOf: subject => (subject === 'ask.directory.count' ? contract : null),
      serve: body => answer((body as { n: number }).n),
      logger,
    })
    const ask = (body: unknown, verb = 'count') => bus.request(`ask.directory.${verb}`, body, { timeoutMs: 1_000 })
    return { ask, subscription, clock }
  }
  const outcomes = async (t: Test) => {
    const { ask } = await serving(async n => {
      if (n === 1) throw new AppError('forbidden', 'Forbidden', { details: 'not yours' })
      if (n === 2) throw new Error('the password is secret-word')
      return { twice: n * 2 }
    })
    t.strictSame(await ask({ n: 4 }), { ok: true, result: { twice: 8 } })
    t.strictSame(await ask({ n: 1 }), { ok: false, error: { code: 'forbidden', message: 'Forbidden', details: 'not yours' } })
    const failed = await ask({ n: 2 })
    t.match(failed, { ok: false, error: { code: 'internal' } })
    t.notMatch(JSON.stringify(failed), /secret-word/, 'what went wrong inside stays inside')
    t.match(await ask({ n: 'x' }), { ok: false, error: { code: 'malformed', details: /\/n/ } })
    t.match(await ask({}, 'other'), { ok: false, error: { code: 'not_found' } })
  }
  t.test('server replies to every request with its result or its error', outcomes)

  t.test('server refuses requests with `busy` above its bound, and finishes running requests when it closes', async t => {
    const releases: (() => void)[] = []
    const { ask, subscription, clock } = await serving(n => new Promise(resolve => releases.push(() => resolve(n))))
    const held = Array.from({ length: limits.bus.servedAtOnce }, (_, n) => ask({ n }))
    await clock.settle()
    t.equal(releases.length, limits.bus.servedAtOnce)
    t.match(await ask({ n: 0 }), { ok: false, error: { code: 'busy' } })
    let closed = false
    const closing = subscription.close().then(() => {
      closed = true
    })
    await clock.settle()
    t.equal(closed, false)
    for (const release of releases) release()
    await closing
    t.match(await held.at(-1), { ok: true, result: limits.bus.servedAtOnce - 1 })
  })
})
