// The logic of the dashboard's pages without a browser: words, filters, rows, routes, refusals, charts, the event stream.
import t from 'tap'
import { pagePaths } from '#shared/contracts/session/page-paths.ts'
import type { MonitorPage, MonitorRow } from '#shared/contracts/session/session-monitors.ts'
import { csvOf } from '../../services/dashboard/charts/csv.ts'
import { linePath, timeTicks, valueTicks } from '../../services/dashboard/charts/scale.ts'
import { Refusal, refusalOf } from '../../services/dashboard/data/api.ts'
import { countdown, counted, duration, latency, percent, sentence, valueWithUnit } from '../../services/dashboard/data/format.ts'
import { pathTo, placeOf } from '../../services/dashboard/data/routing.ts'
import { isSignedOut } from '../../services/dashboard/data/session.ts'
import { createStream, link, onNews, type Source } from '../../services/dashboard/data/stream.ts'
import { createRows } from '../../services/dashboard/list/rows.ts'
import { countOf, filterMark, shownFilters, summarySentence, worstOf } from '../../services/dashboard/list/summary.ts'
import { curlOf } from '../../services/dashboard/monitor/curl.ts'
import { answersIn, changedAnswers, type FormField } from '../../services/dashboard/parts/form/field-values.ts'
import { createFormState, fieldOf, submitForm } from '../../services/dashboard/parts/form/form-state.ts'
import { withScheme } from '../../services/dashboard/parts/form/with-scheme.ts'
import {
  formFieldsOf,
  kindOf,
  type ListedKind,
  lackAt,
  lackEverywhere,
  nameBy,
  withSchemes,
} from '../../services/dashboard/resource/check-kinds.ts'
import { returnPath } from '../../services/dashboard/sign-in/words.ts'
import { allFields, answersOf, nameOf, warningsOf } from '../../services/dashboard/website/answers.ts'

const second = 1_000
const hour = 3_600 * second
const none = { down: 0, no_data: 0, pending: 0, recovering: 0, partly_known: 0, unknown: 0, up: 0, maintenance: 0 }

t.test('durations, shares and counts are written for people', async t => {
  const lengths = [0, 41 * second, 19 * 60 * second, 3 * hour, 3.2 * hour, 24 * hour, 151 * hour]
  t.strictSame(lengths.map(duration), ['0 s', '41 s', '19 min', '3 h', '3 h 12 min', '1 d', '6 d 7 h'])
  t.strictSame([-1, 79 * second, 3 * hour + 41 * 60 * second + 2 * second].map(countdown), ['0:00', '1:19', '3:41:02'])
  t.strictSame([null, 1, 0.99999, 0].map(percent), ['–', '100.00 %', '99.99 %', '0.00 %'])
  t.strictSame([null, 92.6, 1_240].map(latency), ['–', '93 ms', '1.24 s'])
  const days = (value: number | null) => valueWithUnit(value, 'days')
  t.strictSame([null, 61.97, 9.98, 0.04, -0.5, -12.3].map(days), ['–', '61 days', '9.9 days', '0 days', '-0.5 days', '-13 days'])
  t.equal(valueWithUnit(1_240, 'ms'), '1.24 s')
  t.strictSame([counted(1, 'monitor'), counted(9_971, 'monitor')], ['1 monitor', '9,971 monitors'])
  t.strictSame([sentence('the location fails'), sentence('Done.')], ['The location fails.', 'Done.'])
})

t.test('summary of the list says whether any monitor has a problem, and names the worst state first', async t => {
  t.equal(summarySentence(none), 'Nothing is watched yet.')
  t.equal(summarySentence({ ...none, up: 1 }), 'The monitor is up.')
  t.equal(summarySentence({ ...none, up: 12 }), 'All 12 monitors are up.')
  t.equal(summarySentence({ ...none, unknown: 2 }), '2 monitors, none judged yet.')
  t.equal(summarySentence({ ...none, up: 9_999, down: 1 }), '1 monitor of 10,000 needs a look.')
  const bad = { ...none, no_data: 2, recovering: 1, maintenance: 1, up: 3 }
  t.strictSame(
    shownFilters(bad, 'all').map(status => `${filterMark(status).word} ${countOf(status, bad)}`),
    ['All 6', 'Not up 3', 'No data 2', 'Recovering 1', 'Up 3', 'In maintenance 1'],
  )
  t.strictSame([worstOf(bad), worstOf(none), worstOf({ ...bad, down: 1 })], ['no-data', 'up', 'down'])
})

t.test('each path of the page map leads to its page, and each page to its path', async t => {
  for (const [page, path] of Object.entries(pagePaths)) {
    const place = placeOf(path.replaceAll(/:\w+/g, 'a%2Fb'))
    t.equal(place?.page, page, path)
    t.equal(pathTo(place!.page, place!.params), path.replaceAll(/:\w+/g, 'a%2Fb'), path)
  }
  t.strictSame([placeOf('/api/openapi/'), placeOf('/sign-in'), placeOf('/monitors/%zz')], [null, null, null])
  t.strictSame(['//evil.example', 'https://evil.example', '/\\evil', '/keys?a=1'].map(returnPath), ['/', '/', '/', '/keys?a=1'])
})

t.test('refusal is shown as a readable message beside the field that it names', async t => {
  const v3 = refusalOf(422, { error: { code: 1422, message: "Field 'url' must be a URL", details: { field: 'url' } } }, null)
  t.match(v3, { status: 422, field: 'url', message: "Field 'url' must be a URL." })
  const plain = refusalOf(429, { error: { code: 'rate_limited', message: 'Slow', details: 'Too many.' } }, '8')
  t.match(plain, { field: null, message: 'Too many. Wait 8 s, then try again.' })
  t.match(refusalOf(502, undefined, null), { message: /could not complete the request/ })
  t.equal(isSignedOut.value, false)
  refusalOf(401, { error: { code: 'wrong_credentials', message: 'no' } }, null)
  t.equal(isSignedOut.value, false, 'a wrong password ends no session')
  refusalOf(401, { error: { code: 'unauthenticated', message: 'no' } }, null)
  t.equal(isSignedOut.value, true)
  const fields = ['url', 'locations', 'rules.0.decision']
  t.strictSame(
    ['locations[0]', 'meta.url', 'rules.0.decision.all.1', 'other', null].map(named => fieldOf(named, fields)),
    ['locations', 'url', 'rules.0.decision', null, null],
  )
})

t.test('refusal beside its field omits the name of the field, unless the refusal names only a part of the field', async t => {
  const shown = async (named: string, field: string) => {
    const state = createFormState()
    const refused = new Refusal(422, '', `Field '${named}' is required.`, named)
    t.equal(await submitForm(state, [field], () => Promise.reject(refused)), false)
    return state.refusals.value.get(field)
  }
  t.equal(await shown('url', 'url'), 'This is required.')
  t.equal(await shown('document.wait.confirm_after', 'document.wait.confirm_after'), 'This is required.')
  t.equal(await shown('json.rules.0.key', 'json'), "Field 'json.rules.0.key' is required.")
})

t.test('request that a form sends has only the changed fields', async t => {
  const values = new FormData()
  for (const [name, value] of Object.entries({
    url: 'shop.example',
    statuses: '200, 204',
    interval_value: '5',
    recover_after: '60',
  }))
    values.append(name, value)
  for (const id of ['aaaa', 'bbbb']) values.append('locations', id)
  const answers = answersOf(values)
  const wanted = {
    url: 'https://shop.example',
    statuses: [200, 204],
    interval_value: 5,
    recover_after: 60,
    locations: ['aaaa', 'bbbb'],
  }
  t.match(answers, wanted)
  t.notOk('confirm_after' in answers, 'an empty delay stays the installation’s')
  t.strictSame(changedAnswers(allFields, answers, { ...answers, interval_value: 1 }), { interval_value: 5 })
  values.set('interval_value', 'often')
  t.equal(answersOf(values)['interval_value'], 'often', 'the server says what is wrong with it')
  t.strictSame([withScheme('http://a'), withScheme('')], ['http://a', ''])
  t.strictSame([nameOf('', 'shop.example/x'), nameOf('Shop', 'shop.example')], ['shop.example', 'Shop'])
})

t.test('input of each type of field is read as its answer, and an empty one is none', async t => {
  const field = { label: '', help: '', required: false, default: null, options: [], min: null, max: null }
  const rows: [type: FormField['type'], typed: string, answer: unknown, more?: Partial<FormField>][] = [
    ['string', ' two words ', ' two words '],
    ['string', ' text/plain ', 'text/plain', { form: 'media type' }],
    ['integer', ' 5 ', 5],
    ['duration', 'often', 'often'],
    ['boolean', 'false', false],
    ['boolean', 'on', true, { default: false }],
    ['enum', 'gold', 'gold'],
    ['string_list', '/\r\n /var lib\n\n', ['/', '/var lib']],
    ['integer_list', '22, 443;x', [22, 443, 'x']],
  ]
  for (const [type, typed, answer, more] of rows) {
    const fields = [{ ...field, key: 'k', type, ...more }]
    const values = (text: string) => Object.assign(new FormData(), { get: () => text })
    t.strictSame(answersIn(fields, values(typed)), { k: answer }, `${type} ${typed}`)
    if (more?.default === undefined) t.strictSame(answersIn(fields, values('')), {}, `${type}, empty`)
  }
  const kept = [{ ...field, key: 'k', type: 'string' as const }]
  t.strictSame(changedAnswers(kept, {}, { k: '' }), {}, 'an empty text that stays empty')
  t.strictSame(changedAnswers(kept, {}, { k: 'x' }), { k: null }, 'a text that is emptied')
})

t.test('kind is greyed only while no location with probers can make it (v3 3.22)', async t => {
  const place = (id: string, probers: number) => ({ id, name: id, display_name: null, active_workers_count: probers })
  const unable = [{ location: { id: 'aaaa' }, cannot: 'no pings here' }]
  const kind: ListedKind = {
    type: 'say',
    watches: 'A word',
    template: 'say-check@1',
    help: '',
    unable,
    options: [],
    fields: [],
    upgrades: null,
  }
  t.equal(lackAt(kind, 'aaaa'), 'no pings here')
  t.equal(lackAt(kind, 'bbbb'), null)
  t.equal(lackEverywhere(kind, [place('aaaa', 1), place('bbbb', 0)]), 'no pings here')
  t.equal(lackEverywhere(kind, [place('aaaa', 1), place('bbbb', 1)]), null)
  t.equal(lackEverywhere(kind, [place('aaaa', 0)]), null, 'nobody knows')
})

t.test('form of a check has the words of its kind, and a monitor without a name gets that of its address', async t => {
  const base = { label: '', help: '', required: false, default: null, options: [], min: null, max: null }
  const field = { ...base, type: 'string' as const }
  const shown = { help: 'Which one.', words: null, example: 'shop.example', lines: false, section: null }
  const option = { ...base, type: 'string' as const, takes: [], ...shown }
  const kind: ListedKind = {
    ...{ type: 'say', watches: 'A word', template: 'say-check@2', upgrades: null, help: '', unable: [] },
    options: [{ ...option, key: 'target' }],
    fields: [{ ...option, key: 'secret', lines: true, section: 'request' }],
  }
  t.equal(kindOf([kind], 'say-check@1'), kind, 'also for an older revision')
  t.equal(kindOf([kind], 'say'), null)
  const plain = { ...field, key: 'target' }
  const fields = [plain, { ...field, key: 'secret', type: 'secret' as const }, { ...field, key: 'confirm_after', default: 90 }]
  const [target, secret, delay] = formFieldsOf({ fields }, kind)
  t.match(target, { ...plain, help: 'Which one.', example: 'shop.example', section: undefined, form: undefined })
  t.match(secret, { isWriteOnly: true, form: 'lines', section: 'request' })
  t.match(delay, { section: 'judging', default: 90, help: /^Seconds/ })
  t.strictSame(formFieldsOf({ fields: [plain] }, null), [{ ...plain, isWriteOnly: false }])

  const url = { ...field, key: 'url', type: 'url' as const }
  const port = { ...field, key: 'port', type: 'integer' as const }
  const folded = { ...field, key: 'folded', section: 'answer' as const }
  t.strictSame(withSchemes([url, port], { url: 'shop.example', port: 1 }), { url: 'https://shop.example', port: 1 })
  t.equal(nameBy([url, folded], { url: 'shop.example/health', folded: 'x' }), 'shop.example')
  t.equal(nameBy([plain, port], { target: 'db.example', port: 5_432 }), 'db.example:5432')
  t.equal(nameBy([plain], { target: 'x'.repeat(200) }), 'x'.repeat(100))
  t.equal(nameBy([plain], {}), '')
})

t.test('form warns of settings by which no check can pass, and of statuses that no response has', async t => {
  const rows: [method: string, statuses: unknown[], text: string, warnings: RegExp[]][] = [
    ['GET', [200, 301], 'well', []],
    ['HEAD', [200], '', []],
    ['HEAD', [200], 'well', [/HEAD has no body/]],
    ['GET', [204, 304], 'well', [/204 or 304 has no body/]],
    ['GET', [200, 204], 'well', []],
    ['GET', [100, 200, 103], '', [/No response ends with the status 100 or 103/]],
    ['HEAD', [199], 'well', [/199/, /HEAD/]],
    ['GET', ['often'], '', []],
  ]
  for (const [method, statuses, expected_text, warnings] of rows) {
    const found = warningsOf({ method, statuses, expected_text })
    t.equal(found.length, warnings.length, `${method} ${statuses} ${expected_text}`)
    for (const [i, warning] of warnings.entries()) t.match(found[i], warning)
  }
  t.strictSame(warningsOf({}), [])
})

t.test('chart has ticks at round numbers, keeps its gaps, and is exported as text that no spreadsheet executes', async t => {
  t.strictSame(valueTicks(233, 4), [0, 100, 200, 300])
  t.strictSame(valueTicks(0, 4), [0, 0.25, 0.5, 0.75, 1])
  const from = new Date(2026, 10, 23, 0, 30).getTime()
  const ticks = timeTicks(from, from + 24 * hour, 8)
  t.ok(ticks.length <= 9 && ticks.every(at => new Date(at).getMinutes() === 0))
  const points = [0, 1, 2, 5, 6].map(n => ({ at: n * second, value: n === 1 ? null : n }))
  const d = linePath(
    points,
    second,
    at => at / second,
    value => value,
  )
  t.equal(d, 'M0.0 0.0h0M2.0 2.0h0M5.0 5.0h0L6.0 6.0')
  t.equal(
    csvOf(
      ['at', '=cmd()'],
      [
        ['a,b', 1],
        ['@x', null],
      ],
    ),
    `at,'=cmd()\r\n"a,b",1\r\n'@x,`,
  )
  const command = curlOf({ origin: 'https://w.example', workspace: 'ws', resource: "it's", signal: 'beat' })
  t.match(command, `'https://w.example/api/v3/workspaces/ws/resources/it'\\''s/observations'`)
})

t.test('rows are updated in place, and are sorted again only when the pointer is elsewhere', async t => {
  const row = (id: string, status = 'up') => ({ id, status, name: id }) as MonitorRow
  const page = (rows: MonitorRow[]): MonitorPage => ({
    at: '',
    total: rows.length,
    counts: { ...none, up: rows.length },
    from: 0,
    rows,
  })
  let server = [row('a'), row('b')]
  let asked = 0
  const due: (() => void)[] = []
  const read = async () => {
    asked++
    return page(server)
  }
  const settle = async () => {
    for (const run of due.splice(0)) run()
    await new Promise(resolve => setImmediate(resolve))
  }
  const schedule = (_ms: number, run: () => void) => {
    due.push(run)
    return () => {}
  }
  const rows = createRows({ read, schedule }, { status: 'all', text: '' }, page(server))
  const names = () => [rows.at(0)?.id, rows.at(1)?.id]
  rows.need(0, 2)
  t.equal(asked, 0, 'the first rows lie in the page')
  rows.verify()
  await settle()
  t.strictSame([asked, names()], [1, ['a', 'b']])
  server = [row('b', 'down'), row('a')]
  rows.hold(true)
  for (let n = 0; n < 20; n++) rows.changed(row('b', 'down'))
  t.equal(rows.at(1)?.status, 'down', 'at once')
  await settle()
  t.strictSame([names(), rows.isReordered.value, asked], [['a', 'b'], true, 2])
  rows.hold(false)
  await settle()
  t.strictSame([names(), rows.isReordered.value], [['b', 'a'], false])
})

t.test('stream is live after its hello and lost when disconnected; a second hello makes the page reload its data', async t => {
  const opened: { path: string; say(name: string, data?: object): void; source: Source; isClosed: boolean }[] = []
  const due: (() => void)[] = []
  const open = (path: string): Source => {
    const listeners: [string, (event: { data?: unknown }) => void][] = []
    const source: Source = {
      readyState: 1,
      addEventListener: (name, run) => listeners.push([name, run]),
      close: () => (mine.isClosed = true),
    }
    const say = (name: string, data = {}) => {
      for (const [of, run] of listeners) if (of === name) run({ data: JSON.stringify(data) })
    }
    const mine = { path, say, source, isClosed: false }
    opened.push(mine)
    return source
  }
  let renewed = 0
  const stream = createStream(
    open,
    (_ms, run) => {
      due.push(run)
      return () => {}
    },
    async () => void renewed++,
  )
  const heard: string[] = []
  t.teardown(onNews(name => heard.push(name)))
  stream.watch('ws')
  opened[0]!.say('hello')
  t.strictSame([opened[0]!.path, link.value, heard], ['/api/v3/workspaces/ws/events', 'live', ['opened']])
  opened[0]!.say('error')
  t.equal(link.value, 'lost')
  opened[0]!.say('row', { id: 'a' })
  opened[0]!.say('hello')
  t.strictSame([link.value, heard], ['live', ['opened', 'row']], 'the same stream brings what was missed')
  stream.seen(false)
  t.strictSame([opened[0]!.isClosed, link.value], [true, 'asleep'])
  stream.seen(true)
  opened[1]!.say('hello')
  t.equal(heard.at(-1), 'reset')
  opened[1]!.source.readyState = 2
  opened[1]!.say('error')
  due.at(-1)!()
  t.equal(opened.length, 3, 'a refused stream is tried again')
  t.equal(renewed, 1, 'after a look at the session')
  opened[2]!.say('ended', { why: 'stopping' })
  t.equal(renewed, 1, 'a server that stops changes no rights')
  for (const why of ['rights', 'session']) opened[2]!.say('ended', { why })
  t.equal(renewed, 3)
})

t.test("first stream continues at the position of the page's data, so the page does not read its data again", async t => {
  const paths: string[] = []
  const hellos: (() => void)[] = []
  const open = (path: string): Source => {
    paths.push(path)
    return {
      readyState: 1,
      addEventListener: (name, run) => name === 'hello' && hellos.push(() => run({ data: '{}' })),
      close: () => {},
    }
  }
  const heard: string[] = []
  t.teardown(onNews(name => heard.push(name)))
  const stream = createStream(
    open,
    () => () => {},
    async () => {},
    { workspace: 'ws', news: 'abcdefgh.7' },
  )
  stream.watch('ws')
  hellos.at(-1)!()
  t.strictSame([paths, heard], [['/api/v3/workspaces/ws/events?after=abcdefgh.7'], []])
  stream.seen(false)
  stream.seen(true)
  hellos.at(-1)!()
  t.strictSame([paths.at(-1), heard], ['/api/v3/workspaces/ws/events', ['reset']], 'a later stream knows nothing')
  const other = createStream(
    open,
    () => () => {},
    async () => {},
    { workspace: 'ws', news: 'abcdefgh.7' },
  )
  other.watch('elsewhere')
  hellos.at(-1)!()
  t.strictSame([paths.at(-1), heard.at(-1)], ['/api/v3/workspaces/elsewhere/events', 'opened'], 'another workspace')
})
