// Instants of reports on the keeper's clock, whatever happens to the bus's clock.
import t from 'tap'
import { createSentTime } from '../../../services/keeper/loading/sent-time.ts'

const hour = 3_600_000
const start = 1_700_000_000_000

/**
 * Returns the instant of each message on the keeper's clock. `now`: instant of the read on the keeper's clock; `at`: stamp of the bus. All
 * in ms after the start.
 */
function place(messages: readonly (readonly [now: number, at: number])[], isFresh: boolean, knownBehindMs = 0): number[] {
  const clock = { now: () => 0 }
  const sentTime = createSentTime(clock, knownBehindMs)
  return messages.map(([now, at], index) => {
    clock.now = () => start + now
    return sentTime({ sequence: index + 1, at: start + at }, isFresh) - start
  })
}

const cases: {
  name: string
  messages: [now: number, at: number][]
  isFresh: boolean
  behindMs?: number
  placed: number[]
}[] = [
  {
    name: 'message that waited counts at its stamp',
    messages: [
      [90_000, 10],
      [90_000, 20],
    ],
    isFresh: false,
    placed: [10, 20],
  },
  {
    name: 'messages that piled up while the keeper was busy count at their stamps',
    messages: [
      [10, 0],
      [30_000, 5_000],
      [30_000, 29_990],
    ],
    isFresh: true,
    placed: [0, 5_000, 29_990],
  },
  {
    name: 'no message gets a future instant when the clock is set forward',
    messages: [
      [10, 0],
      [1_000, hour + 990],
      [2_000, hour + 1_990],
    ],
    isFresh: true,
    placed: [0, 1_000, 2_000],
  },
  {
    name: 'stamps are moved forward by the step when the clock is set back, even if the first message after the step is late',
    messages: [
      [10, 0],
      [5_000, 1_000 - hour],
      [6_000, 5_990 - hour],
      [40_000, 8_990 - hour],
    ],
    isFresh: true,
    placed: [0, 5_000, 6_000, 9_000],
  },
  {
    name: "what is moved becomes less as the keeper's clock comes back",
    messages: [
      [10, 0],
      [1_000, 1_000 - hour],
      [2_000, 2_000 - hour / 2],
      [3_000, 3_000],
    ],
    isFresh: true,
    placed: [0, 1_000, 2_000, 3_000],
  },
  {
    name: 'later messages keep their distances when the clock was set back while messages waited',
    messages: [
      [2 * hour, 0],
      [2 * hour, 1_000 - hour],
      [2 * hour, 61_000 - hour],
    ],
    isFresh: false,
    placed: [0, 0, 60_000],
  },
  {
    name: 'known lag of the clock counts from the first message on, and no instant is later than the read',
    messages: [
      [100, -hour],
      [600, 500 - hour],
      [700, 690 - hour],
    ],
    isFresh: false,
    behindMs: hour,
    placed: [0, 500, 690],
  },
  {
    name: 'usual difference between machines is no step, whether known or observed',
    messages: [
      [1_000, 100],
      [1_000, -900],
    ],
    isFresh: true,
    behindMs: 1_000,
    placed: [100, -900],
  },
  {
    name: 'clock that is slightly ahead is no step, and later messages count at their stamps',
    messages: [
      [0, 900],
      [2_000, 1_100],
    ],
    isFresh: true,
    placed: [900, 1_100],
  },
  {
    name: 'both steps count when the clock was set back twice while messages waited',
    messages: [
      [9 * hour, 0],
      [9 * hour, 1_000 - hour],
      [9 * hour, 2_000 - 2 * hour],
      [9 * hour, 62_000 - 2 * hour],
    ],
    isFresh: false,
    placed: [0, 0, 0, 60_000],
  },
]
for (const { name, messages, isFresh, behindMs, placed } of cases) {
  t.test(name, async t => {
    t.strictSame(place(messages, isFresh, behindMs), placed)
  })
}

t.test('message that is read again is not taken as a set-back of the bus clock', async t => {
  const sentTime = createSentTime({ now: () => start + 2 * hour })
  const [first, second] = [
    { sequence: 1, at: start },
    { sequence: 2, at: start + 5_000 },
  ]
  for (const message of [first, second, first, second]) t.equal(sentTime(message, true), message.at)
})
