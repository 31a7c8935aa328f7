// Requests that a page sends after a person types text, and sentences about the uses of a transformation. Tested without a browser.
import t from 'tap'
import { createAsking, type Outcome } from '../../../services/dashboard/data/asking.ts'
import { lossOf, sharedError, usedBy } from '../../../services/dashboard/transformations/transformation.ts'

/** A clock that the test advances, and a server whose responses the test sends. */
function setUp(againMs: (outcome: Outcome<string>) => number | null = () => null) {
  const asked: { input: string; signal: AbortSignal; answer(out: string): void; fail(error: unknown): void }[] = []
  const timers = new Map<() => void, number>()
  const asking = createAsking<string, string>({
    ask: (input, signal) => new Promise((resolve, reject) => void asked.push({ input, signal, answer: resolve, fail: reject })),
    schedule: (ms, run) => {
      timers.set(run, ms)
      return () => timers.delete(run)
    },
    againMs,
  })
  const pass = () => {
    for (const run of [...timers.keys()]) {
      timers.delete(run)
      run()
    }
  }
  return { asking, asked, timers, pass, settle: () => new Promise<void>(resolve => setImmediate(resolve)) }
}

t.test('request is sent once after the last key', t => {
  const { asking, asked, pass } = setUp()
  for (const text of ['a', 'ab', 'abc']) asking.change(text)
  t.equal(asked.length, 0)
  pass()
  t.same(
    asked.map(({ input }) => input),
    ['abc'],
  )
  t.end()
})

t.test(
  'response to older text never replaces a newer response, and the shown response is marked as old during typing',
  async t => {
    const { asking, asked, pass, settle } = setUp()
    asking.change('a')
    pass()
    asking.change('ab')
    t.ok(asked[0]?.signal.aborted)
    asked[0]?.answer('of a')
    await settle()
    t.equal(asking.answer.value, null)
    pass()
    asked[1]?.answer('of ab')
    await settle()
    t.same([asking.answer.value, asking.isOld.value], ['of ab', false])
    asking.change('abc')
    t.same([asking.answer.value, asking.isOld.value], ['of ab', true])
  },
)

t.test('same request is repeated at once on demand, and a failure keeps the last response', async t => {
  const { asking, asked, pass, settle } = setUp()
  asking.again()
  t.equal(asked.length, 0, 'nothing was asked yet')
  asking.change('a')
  pass()
  asked[0]?.answer('first')
  await settle()
  asking.again()
  asked[1]?.fail(new Error('gone'))
  await settle()
  t.same([asking.answer.value, (asking.failure.value as Error).message], ['first', 'gone'])
  asking.again()
  asked[2]?.answer('second')
  await settle()
  t.same([asking.answer.value, asking.failure.value], ['second', null])
})

t.test('request is sent only once more after its response, however many changes arrive before the response', async t => {
  const { asking, asked, pass, settle } = setUp()
  asking.change('a')
  pass()
  for (let i = 0; i < 3; i++) asking.again()
  t.same([asked.length, asked[0]?.signal.aborted], [1, false])
  asked[0]?.answer('first')
  await settle()
  t.same([asking.answer.value, asked.length], ['first', 2])
  asked[1]?.answer('second')
  await settle()
  t.same([asking.answer.value, asked.length], ['second', 2])
})

t.test('request is repeated after the pause that its outcome determines, until it is stopped', async t => {
  const { asking, asked, timers, pass, settle } = setUp(outcome => ('answer' in outcome ? Number(outcome.answer) : 5))
  asking.change('a')
  pass()
  asked[0]?.fail(new Error('busy'))
  await settle()
  t.same([...timers.values()], [5])
  pass()
  asked[1]?.answer('700')
  await settle()
  t.same([...timers.values()], [700])
  asking.again()
  t.same([timers.size, asked.length], [0, 3], 'news take the place of the timer')
  asked[2]?.answer('900')
  await settle()
  t.same([...timers.values()], [900])
  asking.stop()
  asking.again()
  t.same([timers.size, asked.length], [0, 3])
})

t.test('uses of a transformation are named, with the effect of its deletion', t => {
  t.equal(usedBy([]), 'No destination uses it.')
  t.equal(usedBy(['Ops', 'Desk', 'Pager']), 'Used by Ops, Desk and Pager.')
  t.match(lossOf(['Ops']), /From then on Ops gets the usual message/)
  t.match(lossOf(['Ops', 'Desk']), /Ops and Desk get the usual message/)
  const bad = (error: string) => ({ label: 'x', ok: false, error }) as const
  t.equal(sharedError({ passed: false, results: [bad('a'), bad('a')] }), 'a')
  t.equal(sharedError({ passed: false, results: [bad('a'), { label: 'y', ok: true, output: '' }] }), null)
  t.end()
})
