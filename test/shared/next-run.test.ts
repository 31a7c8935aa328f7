// Runs of cron expressions: a walk over minutes finds the same ones in eight zones. Reference: docs/reference/v3.md, 3.24.
import t from 'tap'
import { expressionFault, nextRun, runAfterEnd, zoneFault } from '#shared/schedule/next-run.ts'
import { Random } from '../simulation/random.ts'

const minute = 60_000
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString().slice(0, 16))
const at = (text: string) => Date.parse(`${text}Z`)

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'America/St_Johns',
]

interface Wall {
  minute: number
  hour: number
  day: number
  month: number
  weekday: number
}

const formats = new Map(
  zones.map(zone => [
    zone,
    new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone: zone, hourCycle: 'h23', minute: 'numeric', hour: 'numeric', day: 'numeric', month: 'numeric' },
      ...{ weekday: 'short', year: 'numeric' },
    }),
  ]),
)

function wallOf(zone: string, instant: number): Wall & { asUtc: number } {
  const parts = Object.fromEntries((formats.get(zone) as Intl.DateTimeFormat).formatToParts(instant).map(p => [p.type, p.value]))
  const [year, month, day, hour, min] = ['year', 'month', 'day', 'hour', 'minute'].map(part => Number(parts[part])) as [
    ...[number, number, number, number, number],
  ]
  const asUtc = Date.UTC(year, month - 1, day, hour, min)
  return { minute: min, hour, day, month, weekday: new Date(asUtc).getUTCDay(), asUtc }
}

const fits = (field: string, value: number, least = 0): boolean => {
  if (field === '*') return true
  const [range = '', step] = field.split('/')
  if (step !== undefined) {
    const from = range === '*' ? least : Number(range)
    return value >= from && (value - from) % Number(step) === 0
  }
  return field.split(',').some(part => {
    const [low, high] = part.split('-').map(Number)
    return high === undefined ? value === low : value >= (low as number) && value <= high
  })
}

function matches(expression: string, wall: Wall): boolean {
  const [min = '', hour = '', day = '', month = '', weekday = ''] = expression.split(' ')
  const isDay = fits(day, wall.day, 1)
  const isWeekday = fits(weekday.replaceAll('7', '0'), wall.weekday)
  const days = day.startsWith('*') || weekday.startsWith('*') ? isDay && isWeekday : isDay || isWeekday
  return fits(min, wall.minute) && fits(hour, wall.hour) && fits(month, wall.month) && days
}

/** Walks over the minutes after `from`. What a change of the clock skips fires at the change, and what it repeats fires once. */
function naiveNext(expression: string, zone: string, from: number, isFixed: boolean): number | null {
  let before = wallOf(zone, Math.floor(from / minute) * minute).asUtc
  let latest = before
  for (let instant = Math.floor(from / minute) * minute + minute; instant < from + 40 * 24 * 60 * minute; instant += minute) {
    const wall = wallOf(zone, instant)
    for (let skipped = before + minute; isFixed && skipped < wall.asUtc; skipped += minute) {
      const gone = new Date(skipped)
      const fields = { minute: gone.getUTCMinutes(), hour: gone.getUTCHours(), day: gone.getUTCDate() }
      if (matches(expression, { ...fields, month: gone.getUTCMonth() + 1, weekday: gone.getUTCDay() })) return instant
    }
    const isRepeated = wall.asUtc <= latest
    if (matches(expression, wall) && !(isFixed && isRepeated)) return instant
    before = wall.asUtc
    latest = Math.max(latest, wall.asUtc)
  }
  return null
}

t.test('cron: next runs are those that a walk over minutes finds, in eight zones around changes of the clock', async t => {
  const random = new Random(7, 'next-run')
  const changes = [
    '2026-03-08T00:00',
    '2026-03-28T12:00',
    '2026-04-04T06:00',
    '2026-10-03T06:00',
    '2026-10-24T12:00',
    '2026-10-31T12:00',
  ]
  for (const zone of zones) {
    for (let i = 0; i < 12; i++) {
      const from = at(random.pick(changes)) + random.integer(0, 36 * 60) * minute
      const daily = random.chance(0.6)
      const min = random.integer(0, 59)
      const expression = daily
        ? `${min} ${random.integer(0, 23)} ${random.pick(['*', '*', '*/2'])} * ${random.pick(['*', '*', '1-5', '0'])}`
        : random.pick(['* * * * *', '*/5 * * * *', '5/15 * * * *'])
      const expected = naiveNext(expression, zone, from, daily)
      if (expected === null) continue
      t.equal(iso(nextRun(expression, zone, from)), iso(expected), `${expression} in ${zone} after ${iso(from)}`)
    }
  }
})

t.test(
  'cron: a daily run at 02:30 in Berlin is at 03:00 when the hour is skipped, and comes once when it is repeated',
  async t => {
    t.equal(iso(nextRun('30 2 * * *', 'Europe/Berlin', at('2026-03-28T12:00'))), '2026-03-29T01:00')
    t.equal(iso(nextRun('30 2 * * *', 'Europe/Berlin', at('2026-10-24T12:00'))), '2026-10-25T00:30')
    t.equal(iso(nextRun('30 2 * * *', 'Europe/Berlin', at('2026-10-25T00:30'))), '2026-10-26T01:30')
  },
)

t.test('cron: expressions that are refused say what to write', async t => {
  const refused = {
    '@daily': /written out in five fields/,
    '0 0 30 2 *': /no run within the next five years/,
    '30 2 * *': /five fields on one line/,
    '0 30 2 * * *': /five fields on one line/,
    '? 2 * * *': /must not contain '\?'/,
    'Mon..Fri 10:00': /OnCalendar/,
    '*-*-* 02:30:00': /OnCalendar/,
    '99 2 * * *': /no cron expression/,
    'a b c d e': /no cron expression/,
    [`0,${'1,'.repeat(60)} * * * *`]: /at most 100 characters/,
    '30 2 * *\n*': /five fields|must not contain/,
  }
  for (const [expression, fault] of Object.entries(refused)) t.match(expressionFault(expression) ?? '', fault, expression)
  const taken = [
    '30 2 * * *',
    '5/15 * * * *',
    '0 2 * * MON-FRI',
    '0 0 L * *',
    '0 0 15W * *',
    '0 9 * * 5#2',
    '0 0 1 JAN *',
    '0 4 * * 7',
    '0 0 29 2 *',
  ]
  for (const expression of taken) t.equal(expressionFault(expression), null, expression)
})

t.test('cron: day and weekday both fit if one begins with a star, else one of them is enough', async t => {
  t.equal(iso(nextRun('0 0 13 * 5', 'UTC', at('2026-11-01T00:00'))), '2026-11-06T00:00')
  t.equal(iso(nextRun('0 0 */13 * 5', 'UTC', at('2026-11-01T01:00'))), '2026-11-27T00:00')
})

t.test('zones: names of this Node are taken, offsets and unknown ones are not', async t => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires']) t.equal(zoneFault(zone), null, zone)
  for (const zone of ['+02:00', 'Mars/Olympus', 'Europe/Berlin; x', ''])
    t.match(zoneFault(zone) ?? '', /name of a time zone/, zone)
})

t.test('an end shortly before a run is the end of that run', async t => {
  const after = (expression: string, end: string) => iso(runAfterEnd(expression, 'UTC', Date.parse(end)))
  t.equal(after('30 2 * * *', '2026-11-01T02:29:30Z'), '2026-11-02T02:30')
  t.equal(after('30 2 * * *', '2026-11-01T02:28:30Z'), '2026-11-01T02:30')
  t.equal(after('*/5 * * * *', '2026-11-01T02:29:40Z'), '2026-11-01T02:35', '20 s are within a tenth of 5 minutes')
  t.equal(after('*/5 * * * *', '2026-11-01T02:29:20Z'), '2026-11-01T02:30', '40 s are not')
})
