// Small shared functions: clock, durations, identifiers, incident ids, settings.
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { type Due, DueHeap } from '#shared/async/due-heap.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { choice, duration, integer, list, readSettings, SettingError, text } from '#shared/settings.ts'
import { fnv1a32, partitionOf } from '#shared/text/hash.ts'
import {
  checkObservationId,
  fromBase62,
  observationPrefix,
  parseCheckObservationId,
  parsePushedObservationId,
  pushedObservationId,
  pushedPrefix,
  randomId,
  seriesId,
  toBase62,
} from '#shared/text/ids.ts'
import { oneLine } from '#shared/text/one-line.ts'
import { hasHiddenCharacters } from '#shared/text/plain-text.ts'
import { aheadOfWall, createSystemClock } from '#shared/time/clock.ts'
import { createDoubt } from '#shared/time/clock-witness.ts'
import { formatDuration, humanDuration, parseDuration } from '#shared/time/durations.ts'

const minute = 60_000
const hour = 60 * minute

/** A system clock whose two sources the test sets, and the drifts that it reports. */
function sources() {
  let wall = 1_700_000_000_000
  let monotonic = 5_000
  const drifts: number[] = []
  const clock = createSystemClock({ wall: () => wall, monotonic: () => monotonic, onDrift: drift => drifts.push(drift) })
  const pass = (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      wall += Math.min(left, 1_000)
      monotonic += Math.min(left, 1_000)
      clock.compare()
    }
  }
  const set = (ms: number) => {
    wall += ms
  }
  return { clock, drifts, pass, set, wall: () => wall }
}

t.test('clock returns the wall time of its start plus the monotonic time since then', async t => {
  const { clock, drifts, pass, set } = sources()
  t.teardown(() => clock.stop())
  const startedAt = clock.now()
  pass(minute)
  set(900)
  pass(minute)
  t.equal(clock.now(), startedAt + 2 * minute)
  t.strictSame(drifts, [], 'a difference below a second is nothing')
})

t.test('clock follows a suspend and a clock set forward at its next reading, and reports it once', async t => {
  const { clock, drifts, pass, set, wall } = sources()
  t.teardown(() => clock.stop())
  const startedAt = clock.now()
  set(hour)
  t.equal(clock.now(), startedAt + hour)
  t.strictSame(drifts, [hour])
  pass(minute)
  t.strictSame([clock.now(), clock.wall?.()], [wall(), wall()])
  t.strictSame(drifts, [hour])
  set(366 * 24 * hour)
  pass(minute)
  t.ok(clock.now() - startedAt < hour + 3 * minute, 'a wrong date is not followed')
  t.equal(drifts.length, 2, 'and is reported')
})

const jumps: [name: string, byMs: number, witness: () => Promise<number>, isFollowed: boolean][] = [
  ['that the bus made, too, as in a suspend', hour, async () => hour, true],
  ['that the bus did not make, because only this clock was set', hour, async () => 3, false],
  ['of which the bus does not say anything', hour, async () => Promise.reject(new Error('cut off')), true],
]
for (const [name, byMs, witness, isFollowed] of jumps)
  t.test(`clock with a witness ${isFollowed ? 'follows' : 'does not follow'} a jump ${name}, and reports it once`, async t => {
    const { clock, drifts, pass, set } = sources()
    t.teardown(() => clock.stop())
    clock.heed(witness)
    const startedAt = clock.now()
    set(byMs)
    t.equal(clock.now(), startedAt, 'not before the witness was heard')
    await turn()
    const jumpedMs = isFollowed ? byMs : 0
    t.equal(clock.now(), startedAt + jumpedMs)
    pass(minute)
    await turn()
    t.equal(clock.now(), startedAt + jumpedMs + minute, 'and goes on with time')
    t.strictSame(drifts, [byMs])
    set(-byMs)
    await turn()
    if (!isFollowed) t.equal(clock.now(), startedAt + minute, 'when the clock is right again, nothing happens')
  })

t.test('jump is followed after 3 s if the witness says nothing, and what it says later is ignored', async t => {
  const followed: number[] = []
  const waits: { ms: number; end(): void }[] = []
  const schedule = (ms: number, end: () => void) => {
    waits.push({ ms, end })
    return () => undefined
  }
  const doubt = createDoubt({ schedule, drift: () => hour, follow: driftMs => followed.push(driftMs), stepMs: 2_000 })
  const { promise: answer, resolve } = Promise.withResolvers<number>()
  doubt.heed(() => answer)
  t.equal(doubt.isHeld(hour), true)
  t.equal(doubt.isHeld(hour), true, 'it is asked once')
  await turn()
  t.strictSame([followed, waits.map(({ ms }) => ms)], [[], [3_000]])
  waits[0]?.end()
  await turn()
  t.strictSame([followed, doubt.isAsking()], [[hour], false])
  resolve(0)
  await turn()
  t.strictSame([followed, doubt.isAsking()], [[hour], false])
})

t.test('clock never runs backwards when the system clock is set back, and agrees with it in five times the step', async t => {
  const { clock, drifts, pass, set, wall } = sources()
  t.teardown(() => clock.stop())
  set(-hour)
  t.equal(clock.wall?.(), wall(), 'instants for senders are right at once')
  t.ok(Math.abs(aheadOfWall(clock) - hour) < 2_000)
  let before = clock.now()
  for (let i = 0; i < 5 * 60; i++) {
    pass(minute)
    const passedMs = clock.now() - before
    t.ok(passedMs >= 0.79 * minute && passedMs <= minute, `${passedMs} ms in a minute`) || t.fail(`${i}`)
    before = clock.now()
  }
  t.ok(clock.now() - wall() <= 3_000 && clock.now() >= wall() - 1_000, `${clock.now() - wall()} ms are left`)
  t.strictSame(drifts, [-hour])
  const late = clock.now()
  set(-2 * 24 * hour)
  pass(1_000)
  t.ok(late - clock.now() > 24 * hour, 'the end of a wrong date is followed')
})

t.test('durations are read in Go style and written normalised', async t => {
  const read: [string, number | null, string?][] = [
    ['2m', 120_000, '2m0s'],
    ['90s', 90_000, '1m30s'],
    ['1h30m', 5_400_000, '1h30m0s'],
    ['0s', 0, '0s'],
    ['0', 0, '0s'],
    ['1.5h', 5_400_000, '1h30m0s'],
    ['250ms', 250, '250ms'],
    ['.5s', 500, '500ms'],
    ['', null],
    ['5', null],
    ['-5s', null],
    ['5 s', null],
    ['5d', null],
    ['1h30', null],
    ['99999999999999h', null],
    ['1ms', 1, '1ms'],
    ['1.005s', 1_005, '1.005s'],
    ['500us500us', 1, '1ms'],
    ['0ns', 0, '0s'],
    ['1us', null],
    ['1µs', null],
    ['1ns', null],
    ['1.5ms', null],
    ['1m0.0005s', null],
    [`1.${'0'.repeat(61)}s`, 1_000, '1s'],
    [`1.${'0'.repeat(62)}s`, null],
  ]
  for (const [written, ms, normalised] of read) {
    t.equal(parseDuration(written), ms, `"${written}"`)
    if (ms !== null) t.equal(formatDuration(ms), normalised, `${ms} ms`)
  }
  t.strictSame([0, 45_000, 120_000, 3_900_000, 100 * hour].map(humanDuration), ['0s', '45s', '2m', '1h 5m', '4d 4h'])
})

t.test('observation id sorts by time and is parsed into its parts', async t => {
  t.equal(fnv1a32('hello'), 0x4f9f2cab, 'FNV-1a 32 as published')
  t.ok(partitionOf('anything') < 64)
  const subjectId = randomId(10)
  t.match(subjectId, /^[0-9A-Za-z]{10}$/)
  const slotAt = 1_795_000_000_123
  const id = checkObservationId(subjectId, 'aB3x', slotAt)
  t.equal(id.length, 22)
  t.strictSame(parseCheckObservationId(id), { subjectId, source: 'aB3x', slotAt })
  t.ok(id.startsWith(observationPrefix(slotAt, subjectId)))
  t.ok(checkObservationId(subjectId, 'aB3x', slotAt + 1) > id, 'text order is time order')
  t.ok(observationPrefix(slotAt + 24 * hour) > observationPrefix(slotAt))
  t.equal(fromBase62(toBase62(61, 1)), 61)
  t.ok(Number.isNaN(fromBase62('a-b')), 'what is no digit stands for no number')
  t.throws(() => toBase62(62, 1), /does not fit/)
  for (const strange of [-1, 1.5, Number.NaN]) t.throws(() => toBase62(strange, 3), /does not fit/)
})

t.test('signal entries sort by instant from year 0 to 9999', async t => {
  const instants = [
    -62_167_219_200e6,
    -9e15,
    -1_001,
    -1_000,
    -1,
    0,
    1,
    999,
    1_000,
    1_790_000_000e6 - 1,
    1_790_000_000e6,
    90_000_000_000e6,
    253_402_300_799_999e3,
  ]
  const ids = instants.map(us => pushedObservationId('subject001', 's1', {}, us))
  t.strictSame([...ids].sort(), ids)
  for (const [i, id] of ids.entries()) {
    const observedAtUs = instants[i] as number
    t.strictSame(parsePushedObservationId(id), { subjectId: 'subject001', signalKey: 's1', observedAtUs })
    t.ok(id.startsWith(pushedPrefix('subject001', 's1')))
    t.ok(id.startsWith(pushedPrefix('subject001', 's1', observedAtUs)))
  }
  t.notOk(
    pushedObservationId('subject001', 's10', {}, 1).startsWith(pushedPrefix('subject001', 's1')),
    'nothing of another signal',
  )
  const labels = { b: '1', a: '2' }
  const labelled = pushedObservationId('subject001', 's1', labels, 5)
  t.equal(labelled, pushedObservationId('subject001', 's1', { a: '2', b: '1' }, 5), 'the order of labels says nothing')
  t.equal(labelled.split('.').at(-1), seriesId('subject001', 's1', labels).split('.').at(-1))
  t.not(labelled, pushedObservationId('subject001', 's1', {}, 5))
})

t.test('public incident ids are opaque, not numeric, and valid only with their salt', async t => {
  const ids = createIncidentIds('salt')
  const other = createIncidentIds('another')
  const seen = new Set<string>()
  for (let number = 1; number <= 200; number++) {
    const internal = `${toBase62(number * 4_000_037, 10)}.${number}`
    const shown = ids.encode(internal)
    seen.add(shown)
    t.equal(ids.decode(shown)?.incidentId, internal)
    t.not(other.decode(shown)?.incidentId, internal, 'changing the salt makes earlier ids stop resolving')
    t.notMatch(shown, /^\d+$/)
  }
  t.equal(seen.size, 200)
  for (const strange of ['', '1', 'i', 'iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii', '../../x', 'i\u0000aaaaaaaaaaaaaaa'])
    t.equal(ids.decode(strange), null)
  t.doesNotThrow(() => {
    for (let n = 0; n < 5_000; n++) ids.decode(`i${toBase62(n * 1_000_003, 6)}${toBase62(n * 7_368_787 + 1, 9)}`)
  }, 'any text of the form may be sent')
})

t.test('heap returns the earliest instant after any moves and removals', async t => {
  const heap = new DueHeap<Due & { name: number }>()
  const items = Array.from({ length: 500 }, (_, name) => ({ name, dueAt: 0, place: -1 }))
  for (const item of items) heap.put(item, (item.name * 7919) % 1_000)
  for (const item of items.filter(({ name }) => name % 3 === 0)) heap.put(item, (item.name * 104_729) % 1_000)
  for (const item of items.filter(({ name }) => name % 5 === 0)) heap.remove(item)
  const taken: number[] = []
  for (let first = heap.first(); first !== undefined; first = heap.first()) {
    taken.push(first.dueAt)
    heap.remove(first)
  }
  t.equal(taken.length, 400)
  t.strictSame(
    taken,
    [...taken].sort((a, b) => a - b),
  )
})

t.test('settings are parsed once, and a bad value is refused with a message that names its setting', async t => {
  const declared = {
    NAME: text({ default: 'x', meaning: 'a name' }),
    COUNT: integer({ default: '3', unit: 'things', min: 1, max: 9, meaning: 'a count' }),
    HOLD: duration({ default: '2m', meaning: 'a hold' }),
    LEVEL: choice({ default: 'low', of: ['low', 'high'], meaning: 'a level' }),
    PARTS: list({ default: 'a,b', of: ['a', 'b', 'c'], meaning: 'some parts' }),
    SECRET: { ...integer({ default: '1', unit: '', min: 1, max: 1, meaning: 'hidden' }), secret: true },
  }
  t.strictSame(readSettings(declared, { HOLD: '90s', PARTS: 'c, a' }), {
    NAME: 'x',
    COUNT: 3,
    HOLD: 90_000,
    LEVEL: 'low',
    PARTS: ['c', 'a'],
    SECRET: 1,
  })
  const bad: [Record<string, string>, RegExp][] = [
    [{ COUNT: '10' }, /^COUNT must be a whole number from 1 to 9; it is "10"\.$/],
    [{ COUNT: '1.5' }, /^COUNT must be a whole number/],
    [{ HOLD: 'soon' }, /^HOLD must be a duration such as/],
    [{ LEVEL: 'middle' }, /^LEVEL must be one of low, high/],
    [{ PARTS: 'a,d' }, /^PARTS does not know "d"/],
    [{ PARTS: ' , ' }, /^PARTS must name at least one/],
    [{ SECRET: 'hunter2' }, /^SECRET must be a whole number from 1 to 1\.$/],
  ]
  for (const [environment, sentence] of bad)
    t.throws(() => readSettings(declared, environment), { message: sentence, constructor: SettingError })
})

t.test('name has hidden characters if any character is invisible or changes the direction of text', async t => {
  const hidden = [
    '\0',
    '\n',
    '\x7f',
    '\x85',
    '\u202e',
    '\u202a',
    '\u2066',
    '\u2069',
    '\u200b',
    '\u200f',
    '\u2028',
    '\ufeff',
    '\xad',
  ]
  for (const character of [...hidden, '\u2060', '\u061c', '\ud800', '\udc00', '\u{e0001}', '\u{e0041}', '\u{1f3f4}\u{e0041}']) {
    t.equal(hasHiddenCharacters(`Shop ${character}pohs`), true, `U+${character.codePointAt(character.length - 1)?.toString(16)}`)
  }
  const names = [
    'Shop',
    'Café – Zürich № 5',
    '商店 一号',
    'متجر',
    'می‌خواهم',
    'श्री‍',
    '👩‍👩‍👧 family',
    '❤️ 1️⃣ 🇩🇪',
    '🏴󠁧󠁢󠁷󠁬󠁳󠁿 Wales',
    'à la e\u0301',
    '',
  ]
  for (const name of names) t.equal(hasHiddenCharacters(name), false, name)
})

t.test('oneLine removes hidden characters, but keeps a joiner between two visible characters', async t => {
  const rows: [text: string, line: string][] = [
    ['a\n\u001b[2Jb\u202e', 'a [2Jb '],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['👩\u200d💻 ❤\ufe0f\u200d🔥', '👩\u200d💻 ❤\ufe0f\u200d🔥'],
    ['\u200da\u200d', ' a '],
    ['a\u200d\u200cb', 'a b'],
    ['a\u200d b', 'a  b'],
    ['a\u202e\u200db', 'a b'],
  ]
  for (const [text, line] of rows) t.equal(oneLine(text), line, JSON.stringify(text))
})
