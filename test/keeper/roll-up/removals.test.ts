// Removals that run beside the rounds, one of each kind at a time.
import t from 'tap'
import { createRemovals } from '../../../services/keeper/removal/removals.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'

t.test('removal that is requested again while it runs is repeated once, and is reported done once', async t => {
  const memory = createMemoryStore()
  let looks = 0
  let open: () => void = () => undefined
  const gate = new Promise<void>(resolve => {
    open = resolve
  })
  const find = async (...query: Parameters<typeof memory.find>) => {
    if (query[0] === 'series') looks++
    await gate
    return memory.find(...query)
  }
  const store = { ...memory, find } as typeof memory
  const context = { store, mayCommit: () => true, clock: createHandClock(0), logger: { debug: t.fail } }
  const done: [string, string | null, number][] = []
  const finished = new Promise<void>(resolve => {
    const onRemoved = (subjectId: string, signalKey: string | null) => {
      done.push([subjectId, signalKey, looks])
      resolve()
    }
    const { start } = createRemovals(context as never, onRemoved, () => true)
    for (let asked = 0; asked < 3; asked++) start('subject', 's1')
  })
  open()
  await finished
  await new Promise<void>(resolve => void setImmediate(resolve))
  t.strictSame(done, [['subject', 's1', 2]], 'after the second pass')
})

t.test(
  'removal waits while its lease is too old, continues after the renewal of the lease, and ends when another keeper has the lease',
  async t => {
    for (const isKept of [true, false]) {
      const clock = createVirtualClock()
      let isYoung = false
      const context = { store: createMemoryStore(), mayCommit: () => isYoung, clock, logger: { debug: () => undefined } }
      const done: (string | null)[][] = []
      const { start } = createRemovals(
        context as never,
        (...removed) => void done.push(removed),
        () => isKept,
      )
      start('subject', null)
      start('subject', 's1')
      await clock.advance(500)
      t.strictSame(done, [])
      isYoung = true
      await clock.advance(500)
      t.strictSame(done.map(([, signalKey]) => signalKey).sort(), isKept ? [null, 's1'] : [])
    }
  },
)
