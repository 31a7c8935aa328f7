// The delivery machine: every path of its events, and the invariants of each state on the path.
import t from 'tap'
import { getShortestPaths } from 'xstate/graph'
import { type DeliveryEvent, deliveryMachine, deliveryVersion, unknownOutcome } from '#machines/delivery.ts'
import { advanceDelivery, isTerminal, openDelivery } from '#machines/delivery-snapshot.ts'
import type { DeliverySnapshot } from '#shared/contracts/notifications/delivery.ts'

const opened = { at: 1_000, giveUpAt: 1_300 }
const instants = [1_000, 1_100, 1_200, 1_300, 1_400]

const events: DeliveryEvent[] = instants.flatMap(at => [
  { type: 'delivery.claimed', at, until: at + 100 },
  { type: 'attempt.delivered', at },
  { type: 'attempt.refused', at, retryable: true, error: 'http_503: busy', retryMs: 100 },
  { type: 'attempt.refused', at, retryable: false, error: 'http_404: gone', retryMs: 100 },
  { type: 'claim.lapsed', at },
  { type: 'claim.released', at },
  { type: 'delivery.withdrawn', at, error: 'destination_disabled: switched off' },
])
// Each instant of it doubles the paths.
events.push({ type: 'delivery.postponed', at: 1_000, until: 1_100 })

const after = (...given: DeliveryEvent[]): DeliverySnapshot =>
  given.reduce((snapshot, event) => advanceDelivery(snapshot, event).snapshot, openDelivery(opened))

const claimed: DeliveryEvent = { type: 'delivery.claimed', at: 1_000, until: 1_100 }
const refused: DeliveryEvent = { type: 'attempt.refused', at: 1_050, retryable: true, error: 'http_503: busy', retryMs: 100 }

t.test('delivery keeps the invariants of its states on every path', async t => {
  const paths = getShortestPaths(deliveryMachine, {
    input: opened,
    events,
    limit: 20_000,
    stopWhen: ({ context }) => context.attempts > 3,
  })
  const reached = new Set<string>()
  const broken: string[] = []
  for (const { state, steps } of paths) {
    const { value, context, status } = state
    reached.add(value)
    const isOver = value === 'delivered' || value === 'failed'
    const path = `${steps.map(({ event }) => `${event.type}@${(event as { at?: number }).at}`).join(' ')}: ${JSON.stringify(context)}`
    if (isOver !== (context.deadlineAt === null)) broken.push(`deadline ${path}`)
    if (isOver !== (status === 'done')) broken.push(`final ${path}`)
    if (value === 'waiting' && (context.deadlineAt ?? 0) > context.giveUpAt) broken.push(`waits beyond the end ${path}`)
    if (value === 'sending' && context.attempts === 0) broken.push(`sends without an attempt ${path}`)
    if (value === 'failed' && context.lastError === null) broken.push(`failed without a reason ${path}`)
    const snapshot: DeliverySnapshot = { machine: 'delivery', version: deliveryVersion, value, context }
    for (const event of events) {
      const next = advanceDelivery(snapshot, event)
      if (isOver && next.snapshot !== snapshot) broken.push(`left the end ${path}`)
      const ends = isTerminal(next.snapshot) && !isOver
      if (ends !== next.effects.some(({ type }) => type === 'startNext')) broken.push(`next not started ${path}`)
      if ((next.snapshot.value === 'waiting' && value === 'sending') !== next.effects.some(({ type }) => type === 'wakeAt')) {
        broken.push(`timer ${path}`)
      }
    }
  }
  t.same([...reached].sort(), ['delivered', 'failed', 'queued', 'sending', 'waiting'], 'every state is reached')
  t.ok(paths.length > 40, `${paths.length} paths are looked at`)
  t.same(broken, [])
})

t.test('delivery has the state of the table after each event', async t => {
  const rows: [string, DeliverySnapshot, DeliveryEvent, string, number | null, string[]][] = [
    ['a claim before its time is not taken', after(), { ...claimed, at: 999 }, 'queued', 1_000, []],
    ['a claim orders the sending', after(), claimed, 'sending', 1_100, ['send']],
    ['a second claim is not taken', after(claimed), { ...claimed, at: 1_050 }, 'sending', 1_100, []],
    ['success ends it', after(claimed), { type: 'attempt.delivered', at: 1_040 }, 'delivered', null, ['logAttempt', 'startNext']],
    ['a refusal waits', after(claimed), refused, 'waiting', 1_150, ['logAttempt', 'wakeAt']],
    [
      'a wait ends at the last chance',
      after(claimed),
      { ...refused, retryMs: 9_999 },
      'waiting',
      1_300,
      ['logAttempt', 'wakeAt'],
    ],
    ['a final refusal fails', after(claimed), { ...refused, retryable: false }, 'failed', null, ['logAttempt', 'startNext']],
    ['a refusal after the end fails', after(claimed), { ...refused, at: 1_300 }, 'failed', null, ['logAttempt', 'startNext']],
    ['a retry before its time is not taken', after(claimed, refused), { ...claimed, at: 1_149 }, 'waiting', 1_150, []],
    ['a retry is claimed', after(claimed, refused), { ...claimed, at: 1_150, until: 1_250 }, 'sending', 1_250, ['send']],
    ['a living claim does not lapse', after(claimed), { type: 'claim.lapsed', at: 1_099 }, 'sending', 1_100, []],
    ['a lapsed claim is due again', after(claimed), { type: 'claim.lapsed', at: 9_999 }, 'queued', 9_999, []],
    [
      'a claim that lapses beyond the end fails',
      after({ type: 'delivery.claimed', at: 1_250, until: 1_350 }),
      { type: 'claim.lapsed', at: 1_350 },
      'failed',
      null,
      ['startNext'],
    ],
    [
      'such a claim lapses no earlier',
      after({ type: 'delivery.claimed', at: 1_250, until: 1_350 }),
      { type: 'claim.lapsed', at: 1_349 },
      'sending',
      1_350,
      [],
    ],
    ['a postponed delivery is due later', after(), { type: 'delivery.postponed', at: 1_010, until: 1_070 }, 'queued', 1_070, []],
    ['what is not due is not postponed', after(), { type: 'delivery.postponed', at: 999, until: 1_070 }, 'queued', 1_000, []],
    ['a claim given back is due', after(claimed), { type: 'claim.released', at: 1_020 }, 'queued', 1_020, []],
    [
      'withdrawing a waiting one',
      after(claimed, refused),
      { type: 'delivery.withdrawn', at: 1_060, error: 'x' },
      'failed',
      null,
      ['startNext'],
    ],
    [
      'one on its way cannot be withdrawn',
      after(claimed),
      { type: 'delivery.withdrawn', at: 1_060, error: 'x' },
      'sending',
      1_100,
      [],
    ],
  ]
  for (const [name, from, event, value, deadlineAt, effects] of rows) {
    const next = advanceDelivery(from, event)
    t.same(
      [next.snapshot.value, next.snapshot.context.deadlineAt, next.effects.map(({ type }) => type)],
      [value, deadlineAt, effects],
      name,
    )
  }
})

t.test('claim of a delivery gives a number to the attempt and its log row', async t => {
  const again: DeliveryEvent = { type: 'delivery.claimed', at: 1_150, until: 1_250 }
  const { effects } = advanceDelivery(after(claimed, refused, again), { type: 'attempt.delivered', at: 1_160 })
  t.same(effects[0], { type: 'logAttempt', params: { attempt: 2, status: 'delivered', error: '', at: 1_160 } })
  const lapsed = after({ type: 'delivery.claimed', at: 1_250, until: 1_350 }, { type: 'claim.lapsed', at: 1_400 })
  t.equal(lapsed.context.lastError, unknownOutcome)
})

t.test('snapshot of a delivery is unchanged after storage, and is refused when its version differs', async t => {
  const stored = JSON.parse(JSON.stringify(after(claimed, refused))) as DeliverySnapshot
  t.equal(advanceDelivery(stored, { ...claimed, at: 1_200 }).snapshot.value, 'sending')
  t.throws(() => advanceDelivery({ ...stored, version: 99 }, claimed), RangeError)
})

t.test('delivery machine starts without input', async t => {
  t.match(deliveryMachine.getInitialSnapshot({} as never, undefined).context, { attempts: 0, lastError: null })
})
