// Shared loops on a clock that the test advances: retries, repeats, semaphores and pages.
import t from 'tap'
import { allPages, pages } from '#shared/async/pages.ts'
import { pause } from '#shared/async/pause.ts'
import { type Repetition, repeat, repeatWhile } from '#shared/async/repeat.ts'
import { doubled, type Retries, retry } from '#shared/async/retry.ts'
import { Semaphore } from '#shared/async/semaphore.ts'
import { removeAll } from '#shared/store/pages.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'

/** Advances the clock in steps of 10 ms. Work that does not wait for the clock ends between two steps. */
async function pass(clock: { advance(ms: number): void }, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    await new Promise(setImmediate)
    clock.advance(10)
  }
  await new Promise(setImmediate)
}

/** Creates an attempt that fails `failures` times, and its retries. */
function createRetries(failures: number, retries: Partial<Retries>) {
  const clock = createHandClock()
  const seen = { triedAt: [] as number[], leftMs: [] as number[], retried: [] as string[], outcome: '' }
  const attempt = async (leftMs: number) => {
    seen.leftMs.push(leftMs)
    if (seen.triedAt.push(clock.monotonic()) <= failures) throw new Error(`failure ${seen.triedAt.length}`)
    return 'result'
  }
  const onRetry = (error: unknown) => seen.retried.push((error as Error).message)
  retry(attempt, { clock, pauseMs: doubled(100, 300), mayPass: () => true, onRetry, ...retries }).then(
    result => {
      seen.outcome = result
    },
    error => {
      seen.outcome = error.message
    },
  )
  return { clock, seen }
}

t.test('a retry pauses longer after each failure up to a bound and returns the first result', async t => {
  const { clock, seen } = createRetries(4, {})
  await pass(clock, 1_000)
  t.strictSame(seen.triedAt, [0, 100, 300, 600, 900])
  t.strictSame(seen.retried, ['failure 1', 'failure 2', 'failure 3', 'failure 4'])
  t.equal(seen.outcome, 'result')
})

t.test('a retry throws the last error after its attempts', async t => {
  const { clock, seen } = createRetries(9, { attempts: 3 })
  await pass(clock, 1_000)
  t.strictSame(seen.triedAt, [0, 100, 300])
  t.strictSame(seen.retried, ['failure 1', 'failure 2'])
  t.equal(seen.outcome, 'failure 3')
})

t.test('a retry makes its last attempt at the end of its time limit', async t => {
  const { clock, seen } = createRetries(9, { withinMs: 450 })
  await pass(clock, 1_000)
  t.strictSame(seen.triedAt, [0, 100, 300, 450])
  t.strictSame(seen.leftMs, [450, 350, 150, 0])
  t.equal(seen.outcome, 'failure 4')
})

t.test('a retry throws a permanent error at once', async t => {
  const { clock, seen } = createRetries(9, { mayPass: error => (error as Error).message !== 'failure 2' })
  await pass(clock, 1_000)
  t.strictSame(seen.triedAt, [0, 100])
  t.strictSame(seen.retried, ['failure 1'])
  t.equal(seen.outcome, 'failure 2')
})

/** Starts a repeated call. Each run lasts `lastsMs`, or is synchronous if `lastsMs` is null. `beganAt` lists the starts of the runs. */
function createRepeat(lastsMs: number | null, repetition: Partial<Repetition> = {}, outcome: () => unknown = () => undefined) {
  const clock = createHandClock()
  const beganAt: number[] = []
  const run = () => {
    beganAt.push(clock.monotonic())
    return lastsMs === null ? undefined : pause(clock, lastsMs).then(outcome)
  }
  return { clock, beganAt, repeated: repeat({ clock, everyMs: 100, ...repetition }, run) }
}

t.test('repeated call pauses between the end of a run and the start of the next', async t => {
  const lasting = createRepeat(50)
  const synchronous = createRepeat(null)
  await pass(lasting.clock, 500)
  synchronous.clock.advance(350)
  t.strictSame(lasting.beganAt, [100, 250, 400])
  t.strictSame(synchronous.beganAt, [100, 200, 300], 'without waiting for anything but the clock')
})

t.test(
  'repeated call pauses for the time that its last run returned, and after a failure for the time in its options',
  async t => {
    const short = createRepeat(50, {}, () => 10)
    await pass(short.clock, 300)
    t.strictSame(short.beganAt, [100, 160, 220, 280])
    const errors: unknown[] = []
    const failing = createRepeat(50, { errorMs: 20, onError: error => errors.push(error) }, () => Promise.reject('no'))
    await pass(failing.clock, 300)
    t.strictSame(failing.beganAt, [100, 170, 240])
    t.strictSame(errors, ['no', 'no', 'no'])
  },
)

t.test('repeated call runs at once on request, or once more after the current run', async t => {
  const { clock, beganAt, repeated } = createRepeat(50)
  const ended: string[] = []
  void repeated.soon().then(() => ended.push('first'))
  t.strictSame(beganAt, [0])
  await pass(clock, 20)
  void repeated.soon().then(() => ended.push('second'))
  void repeated.soon().then(() => ended.push('third'))
  await pass(clock, 40)
  t.strictSame(beganAt, [0, 50])
  await pass(clock, 250)
  t.strictSame(beganAt, [0, 50, 200], 'and goes on as before')
  t.strictSame(ended, ['first', 'second', 'third'])
})

t.test('a repeat that is stopped ends after its current run', async t => {
  const { clock, beganAt, repeated } = createRepeat(50)
  await pass(clock, 120)
  let isOver = false
  void repeated.soon()
  void repeated.stop().then(() => {
    isOver = true
  })
  await pass(clock, 10)
  t.notOk(isOver)
  await pass(clock, 30)
  t.ok(isOver)
  await pass(clock, 500)
  await repeated.soon()
  t.strictSame(beganAt, [100])
})

t.test('conditional repeated call ends at the first tick at which its condition is false, and can be started again', t => {
  const clock = createHandClock()
  const tickedAt: number[] = []
  let isNeeded = true
  const ticking = repeatWhile(
    clock,
    100,
    () => isNeeded,
    () => tickedAt.push(clock.monotonic()),
  )
  clock.advance(150)
  t.strictSame(tickedAt, [], 'it is not begun')
  ticking.begin()
  ticking.begin()
  clock.advance(200)
  isNeeded = false
  clock.advance(200)
  isNeeded = true
  clock.advance(200)
  t.strictSame(tickedAt, [250, 350])
  ticking.begin()
  clock.advance(100)
  ticking.stop()
  clock.advance(500)
  t.strictSame(tickedAt, [250, 350, 850])
  t.end()
})

t.test('a semaphore starts work in the order of its arrival, at most two at a time, also after failures', async t => {
  const semaphore = new Semaphore(2)
  const began: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<string>())
  const outcomes = ends.map(({ promise }, index) =>
    semaphore
      .run(() => {
        began.push(index)
        return promise
      })
      .catch(error => (error as Error).message),
  )
  t.strictSame([began, semaphore.isFull, semaphore.waiting], [[0, 1], true, 3])
  ends[1]?.reject(new Error('failed'))
  t.equal(await outcomes[1], 'failed')
  t.strictSame([began, semaphore.waiting], [[0, 1, 2], 2])
  for (const end of ends) end.resolve('done')
  t.strictSame(await Promise.all(outcomes), ['done', 'failed', 'done', 'done', 'done'])
  t.strictSame([began, semaphore.isFull, semaphore.waiting], [[0, 1, 2, 3, 4], false, 0])
})

t.test('pages are read one after the other until a page has no successor, or the reader has enough', async t => {
  const asked: (number | null)[] = []
  const read = async (after: number | null) => {
    asked.push(after)
    const from = after ?? 0
    return { items: [from, from + 1], next: from < 4 ? from + 2 : null }
  }
  const found: number[] = []
  for await (const page of pages(read)) if (found.push(...page) >= 4) break
  t.strictSame(found, [0, 1, 2, 3])
  t.strictSame(asked, [null, 2])
  t.strictSame(await allPages(async after => ({ items: [after], next: after === null ? 'b' : null })), [null, 'b'])
})

t.test('removal deletes exactly the documents that match, in slices', async t => {
  const store = createMemoryStore()
  const ids = Array.from({ length: 5 }, (_, index) => `name${index}`)
  await store.insert('series', [...ids.map(id => ({ id, subjectId: 'ours' })), { id: 'other', subjectId: 'theirs' }] as never)
  let finds = 0
  const find: typeof store.find = (...asked) => {
    finds++
    return store.find(...asked)
  }
  const counted = { ...store, find }
  t.equal(await removeAll(counted, 'series', { subjectId: 'ours' }, 2), 5)
  t.equal(finds, 3)
  t.strictSame(
    (await store.get('series', [...ids, 'other'])).map(document => document?.id ?? null),
    [null, null, null, null, null, 'other'],
  )
})
