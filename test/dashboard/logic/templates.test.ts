// The editor of Templates without a browser: fields of a draft, samples, the debounced preview, changes between revisions, rebinding.
import t from 'tap'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { Refusal } from '../../../services/dashboard/data/api.ts'
import type { ListedOption } from '../../../services/dashboard/resource/check-kinds.ts'
import { decisionWords } from '../../../services/dashboard/templates/decision-words.ts'
import { changesBetween } from '../../../services/dashboard/templates/editor/changes.ts'
import {
  agreementFields,
  examplesFor,
  fieldsTaken,
  isOnlySecret,
  locationFields,
  statedOf,
  valueFieldOf,
  withCheckType,
  withNewAnswer,
} from '../../../services/dashboard/templates/editor/check-draft.ts'
import {
  emptyDraft,
  nearestPlace,
  numberOr,
  valueAt,
  withItem,
  withoutItem,
  withValue,
} from '../../../services/dashboard/templates/editor/draft.ts'
import { draftKeys, dropDraft, keepDraft, readDraft } from '../../../services/dashboard/templates/editor/draft-store.ts'
import {
  answerOf,
  createEditor,
  metaOf,
  type Preview,
  pauseMs,
  shownPlace,
} from '../../../services/dashboard/templates/editor/editor.ts'
import { sampleNames, sampleOf } from '../../../services/dashboard/templates/preview/samples.ts'
import { outcomeOf, storyOf } from '../../../services/dashboard/templates/preview/story.ts'
import { readBound, rebindAll } from '../../../services/dashboard/templates/revision/rebind.ts'
import { templateRows } from '../../../services/dashboard/templates/template-rows.ts'

const end = Date.parse('2026-11-23T12:00:00Z')

t.test('any JSON value in a field of a draft can be read and changed', async t => {
  const draft = emptyDraft()
  t.equal(valueAt(draft, 'rules.0.decision.any.0.operand'), 'problem')
  t.equal(valueAt({ rules: 'none' }, 'rules.0.key'), undefined)
  const changed = withValue(draft, 'rules.0.wait.confirm_after', 5)
  t.equal(valueAt(changed, 'rules.0.wait.confirm_after'), 5)
  t.equal(valueAt(draft, 'rules.0.wait.confirm_after'), 300, 'the draft before stays as it was')
  t.strictSame(Object.keys(changed), Object.keys(draft), 'members keep their order')
  t.strictSame(withValue({ a: 1, b: 2 }, 'a', undefined), { b: 2 })
  t.strictSame(withValue({}, 'wait.confirm_after', 1), { wait: { confirm_after: 1 } })
  const two = withItem(draft, 'signals', { key: 'load' })
  t.strictSame(valueAt(withoutItem(two, 'signals', 0), 'signals'), [{ key: 'load' }])
  t.strictSame(withoutItem({ fields: [1] }, 'fields', 0, true), {})
  t.strictSame(['12', '1.', 'soon', ''].map(numberOr), [12, 1, 'soon', ''])
})

t.test('refusal is shown at its field, or at the nearest enclosing field', async t => {
  const places = new Set(['key', 'rules.0.decision', 'rules.0.decision.all.1.signal', 'answers.hold'])
  t.equal(nearestPlace('rules.0.decision.all.1.signal', places), 'rules.0.decision.all.1.signal')
  t.equal(nearestPlace('rules.0.decision.all.1.operand', places), 'rules.0.decision')
  t.equal(nearestPlace('rules.5.key', places), null, 'the key of a rule is not the key of the Template')
  t.strictSame([shownPlace('hold', places), shownPlace(null, places)], ['answers.hold', null])
})

t.test('typed text becomes a value of the type of its field, or stays text if it does not fit the type', async t => {
  t.strictSame(
    [answerOf('duration', '90'), answerOf('number', 'x'), answerOf('boolean', 'true'), answerOf('string', '5')],
    [90, 'x', true, '5'],
  )
  t.strictSame(
    [answerOf('string_list', 'a, b'), answerOf('integer_list', '1,2')],
    [
      ['a', 'b'],
      [1, 2],
    ],
  )
  const draft = {
    fields: [
      { key: 'hold', type: 'duration' },
      { key: 'note', type: 'string' },
    ],
  }
  t.strictSame(metaOf(draft, { hold: '60', note: '', gone: 'x' }), { hold: 60 })
})

const counted = {
  ...emptyDraft(),
  fields: [{ key: 'limit', type: 'number', default: 40 }],
  signals: [{ key: 'load', kind: 'periodic', every_seconds: 60 }],
  rules: [
    {
      ...{ key: 'high', action: 'Look.', wait: { confirm_after: 300, recover_after: 120 } },
      decision: { signal: 'load', field: 'value', operator: 'gt', operand: { meta: 'limit' }, min_count: 3, within_seconds: 90 },
    },
  ],
}

t.test('sample has the signals and intervals of the draft, and values on both sides of the threshold', async t => {
  const { observations, at } = sampleOf(counted, 'fails', end)
  t.equal(at, new Date(end).toISOString())
  t.strictSame([...new Set(observations.map(({ value }) => value))], [32, 48])
  t.strictSame([...new Set(observations.map(({ state }) => state))], ['ok'], 'no rule reads the status')
  const [first, second] = observations.map(one => Date.parse(one.at))
  t.equal(second! - first!, 30_000, 'three values in 90 s')
  const bad = observations.filter(({ value }) => value === 48).map(one => Date.parse(one.at))
  t.ok(bad.at(-1)! - bad[0]! >= 300_000, 'it fails longer than the confirmation delay')
  const silent = sampleOf(emptyDraft(), 'silent', end)
  t.ok(end - Date.parse(silent.observations.at(-1)!.at) >= 480_000, 'three periods and the confirmation delay pass')
  const brief = sampleOf(emptyDraft(), 'brief', end).observations.filter(({ state }) => state === 'problem')
  t.ok(brief.length > 0 && brief.length * 60 < 300)
})

t.test('sample stays within the bound of a preview, and exists also for an unfinished draft', async t => {
  const signals = Array.from({ length: 16 }, (_, i) => ({ key: `s${i}`, kind: 'heartbeat', every_seconds: 10 }))
  const long = { ...emptyDraft(), signals, rules: [{ wait: { confirm_after: 31_536_000, recover_after: 31_536_000 } }] }
  for (const name of sampleNames) {
    t.ok(sampleOf(long, name, end).observations.length <= 500, name)
    t.strictSame(
      sampleOf({ rules: 5, signals: [null, { key: 7 }] }, name, end).observations.filter(one => one.signal !== '7'),
      [],
    )
  }
})

function editorOf(answers: (() => Promise<Preview>)[]) {
  const waiting: (() => void)[] = []
  const asked: { body: { manifest: object }; signal: AbortSignal }[] = []
  const kept: object[] = []
  const editor = createEditor(emptyDraft(), {
    preview: (body, signal) => {
      asked.push({ body: body as { manifest: object }, signal })
      return answers[asked.length - 1]!()
    },
    schedule: (ms, run) => {
      t.equal(ms, pauseMs)
      waiting.push(run)
      return () => void waiting.splice(waiting.indexOf(run), 1)
    },
    now: () => end,
    onChange: draft => kept.push(draft),
  })
  const pause = async () => {
    for (const run of waiting.splice(0)) run()
    for (let i = 0; i < 5; i++) await Promise.resolve()
  }
  return { editor, asked, kept, pause }
}

t.test('typing sends one request after a pause, and an older preview never replaces a newer preview', async t => {
  const empty: Preview = { rules: [], warnings: [] }
  let endFirst = (_: Preview) => {}
  const first = new Promise<Preview>(resolve => (endFirst = resolve))
  const { editor, asked, kept, pause } = editorOf([() => first, async () => empty])
  editor.set('name', 'N')
  editor.set('name', 'Ni')
  await pause()
  t.equal(asked.length, 1)
  t.equal(kept.length, 2)
  editor.set('name', 'Night')
  await pause()
  t.ok(asked[0]?.signal.aborted)
  t.equal(editor.judged.value?.draft['name'], 'Night')
  endFirst({ rules: [], warnings: [{ signal: 'old', text: 'old' }] })
  await pause()
  t.strictSame(editor.judged.value?.warnings, [])
  editor.stop()
})

t.test('refusal keeps the last preview, and disappears with the next accepted preview', async t => {
  const empty: Preview = { rules: [], warnings: [] }
  const refuse = async () => Promise.reject(new Refusal(422, '1422', 'Too long.', 'name'))
  const { editor, pause } = editorOf([async () => empty, refuse, async () => empty])
  editor.judgeSoon()
  await pause()
  editor.set('name', 'x'.repeat(101))
  await pause()
  t.strictSame(editor.refusal.value, { place: 'name', sentence: 'Too long.' })
  t.not(editor.judged.value, null)
  editor.sample.value = 'own'
  editor.own.value = '[{'
  editor.judgeSoon()
  await pause()
  t.match(editor.refusal.value, { place: null, sentence: /^The Observations are no JSON/ })
  editor.own.value = '[]'
  editor.judgeSoon()
  await pause()
  t.equal(editor.refusal.value, null)
})

t.test('preview is shown as a sequence of events with the titles of its messages', async t => {
  const at = (minute: string) => `2026-11-23T11:${minute}:00Z`
  const history = [{ kind: 'confirmed', condition: 'problem' }]
  const incident = { opened_at: at('00'), confirmed_at: at('05'), closed_at: at('10'), history }
  const rule = { key: 'failing', status: 'ok' as const, explanation: 'report ok', incidents: [incident] }
  const observations = [{ signal: 'report', state: 'ok' as const, at: '2026-11-23T10:58:00Z' }]
  const draft = withValue(emptyDraft(), 'rules.0.action', 'Look.')
  const judged = { rules: [rule], warnings: [], draft, observations, at: '2026-11-23T11:10:00Z' }
  t.strictSame(
    storyOf(judged, rule).map(({ offset, message }) => [offset, message]),
    [
      ['+2 min', null],
      ['+7 min', 'Example: failing — Look.'],
      ['+12 min', 'Example: failing is over'],
    ],
  )
  const routed = withValue(draft, 'rules.0.routes', [{ destination: { name: 'A' }, on: ['opened'] }])
  t.strictSame(
    storyOf({ ...judged, draft: routed }, rule).map(({ message }) => message),
    ['Example: failing opened — Look.', null, null],
  )
  const silent = { ...rule, incidents: [{ ...incident, history: [{ kind: 'confirmed', condition: 'no_data' }] }] }
  t.equal(storyOf(judged, silent)[1]?.message, 'Example: failing — no data')
  t.equal(outcomeOf({ ...rule, incidents: [{ ...incident, confirmed_at: null }] }), 'No incident is confirmed: nobody is woken.')
})

t.test('each change of a draft is described by a sentence about the Resources that would use the draft', async t => {
  const before = emptyDraft()
  t.strictSame(changesBetween(before, { ...before, version: 2 }), [])
  const after = withValue(
    withValue(withItem(before, 'fields', { key: 'limit', type: 'number', required: true }), 'signals.0.every_seconds', 120),
    'rules',
    [{ key: 'silent' }],
  )
  t.strictSame(changesBetween(before, after), [
    'The answer limit is new and required: a monitor is bound with it, or not at all.',
    'The signal report is silent after 360 s, before after 180 s.',
    'The rule failing goes.',
    'The rule silent is new.',
  ])
})

t.test('finished or unfinished decision is written in words', async t => {
  t.strictSame(decisionWords(valueAt(emptyDraft(), 'rules.0.decision')), {
    words: 'any of these:',
    parts: [
      { words: 'the status of report is problem', parts: [] },
      { words: 'report is silent', parts: [] },
    ],
  })
  t.equal(decisionWords(valueAt(counted, 'rules.0.decision')).words, 'load is above the answer limit, 3 times within 90 s')
  t.equal(decisionWords(null).words, 'nothing yet')
})

const revision = (version: number, destination: string | null = null): SentTemplate => ({
  ...{ id: `job@${version}`, key: 'job', version, name: `Job ${version}`, summary: '', fields: [], signals: [] },
  rules: [
    {
      ...{ key: 'failing', signals: [], help: '', action: 'Look.', wait: { confirm_after: 0, recover_after: 0 } },
      ...{ decision: { signal: 'run', field: 'known' }, destination, routes: null },
    },
  ],
})

t.test('row of the list counts Resources by revision, and names damaged revisions and disabled destinations', async t => {
  const destinations = [{ id: 'd1', name: 'Ops', enabled: false }]
  const templates = [revision(1), revision(10, 'd1'), revision(2)]
  const [row, draft] = templateRows({ templates, destinations, uses: { 'job@10': 3, 'job@1': 2, 'job@7': 1 } }, ['new-one'])
  t.match(row, { key: 'job', name: 'Job 10', version: 10, revisions: 3, current: 3, older: 3, hasDraft: false })
  t.match(row?.faults, [/^job@7 is missing or damaged in the store: 1 monitor of it is not judged/, /Ops, which is disabled/])
  t.match(draft, { key: 'new-one', version: null, hasDraft: true, faults: [] })
})

t.test('draft is stored by workspace and key, and a broken draft is ignored', async t => {
  const held = new Map<string, string>()
  const storage = {
    get length() {
      return held.size
    },
    key: (i: number) => [...held.keys()][i] ?? null,
    getItem: (name: string) => held.get(name) ?? null,
    setItem: (name: string, value: string) => void held.set(name, value),
    removeItem: (name: string) => void held.delete(name),
  }
  t.ok(keepDraft('job', { key: 'job' }, storage))
  t.strictSame([readDraft('job', storage), readDraft('other', storage)], [{ key: 'job' }, null])
  t.strictSame(draftKeys(storage), ['job'])
  t.notOk(keepDraft('job', { key: 'x'.repeat(300_000) }, storage), 'a huge one is not kept')
  for (const name of held.keys()) held.set(name, '[')
  t.equal(readDraft('job', storage), null)
  dropDraft('job', storage)
  t.strictSame(draftKeys(storage), [])
})

t.test('rebinding reads every page, stops at a refusal, and says how many Resources are done', async t => {
  const resource = (n: number) => ({ id: `r${n}`, key: `host-${n}`, open_incident: null })
  const pages = [
    { items: [resource(1), resource(2)], next: 'more' },
    { items: [resource(3)], next: null },
  ]
  const resources = await readBound('job@1', async cursor => pages[cursor === null ? 0 : 1]!)
  t.equal(resources.length, 3)
  const seen: number[] = []
  await rebindAll(
    resources,
    'job@2',
    done => seen.push(done),
    async () => {},
  )
  t.strictSame(seen, [1, 2, 3])
  const refuse = async (id: string) => (id === 'r2' ? Promise.reject(new Refusal(422, '1422', 'Needs hold.', 'hold')) : undefined)
  await t.rejects(
    rebindAll(resources, 'job@2', () => {}, refuse),
    {
      message: /of 3 monitors (is|are) bound to job@2\. host-2 was not: Needs hold\. Run it again to go on\.$/,
    },
  )
})

const option = (given: Partial<ListedOption> & Pick<ListedOption, 'key' | 'type'>): ListedOption => ({
  ...{ label: given.key, help: '', required: false, default: null, options: [], min: null, max: null, takes: [given.type] },
  ...{ words: null, example: null, lines: false, section: null },
  ...given,
})

const options = {
  host: option({ key: 'host', type: 'string', required: true, takes: ['string', 'enum'], max: 253 }),
  port: option({ key: 'port', type: 'integer', required: true, takes: ['integer', 'duration'], min: 1, max: 65_535 }),
  family: option({ key: 'family', type: 'enum', options: ['any', '4', '6'], default: 'any' }),
  send: option({ key: 'send', type: 'secret', takes: ['secret', 'text', 'string'] }),
  pass: option({ key: 'pass', type: 'secret' }),
}

t.test('signal of a draft gets a type, and its required options read fields, which are added if none fits', async t => {
  const check = { key: 'door', kind: 'check', every_seconds: 60 }
  const draft = { fields: [{ key: 'port', type: 'string' }], signals: [check] }
  const typed = withCheckType(draft, 'signals.0', 'knock', Object.values(options))
  t.strictSame(valueAt(typed, 'fields'), [
    { key: 'port', type: 'string' },
    { key: 'locations', label: 'Locations', type: 'location_list', required: true },
    { key: 'host', label: 'host', type: 'string', required: true },
    { key: 'port_2', label: 'port', type: 'integer', required: true, min: 1, max: 65_535 },
  ])
  const asked = { type: 'knock', host: { meta: 'host' }, port: { meta: 'port_2' } }
  t.strictSame(valueAt(typed, 'signals.0'), { ...check, check: asked, locations: { meta: 'locations' } })
  const shown = Object.values(options).map(one => ({ ...one, example: one === options.family ? null : `a ${one.key}` }))
  const given = [
    ['host', 'a host'],
    ['port_2', 'a port'],
  ]
  t.strictSame(examplesFor(typed, 'signals.0', shown), given)
  t.strictSame(examplesFor(withValue(typed, 'fields.3.default', 7), 'signals.0', shown), given.slice(0, 1))
  const again = withCheckType(typed, 'signals.0', 'knock', [options.host])
  t.strictSame(valueAt(again, 'fields'), valueAt(typed, 'fields'), 'a field of the key that fits is read')
  t.strictSame(valueAt(again, 'signals.0.check'), { type: 'knock', host: { meta: 'host' } })
  const secret = withNewAnswer(typed, 'signals.0', options.pass)
  t.strictSame(valueAt(secret, 'fields.4'), { key: 'pass', label: 'pass', type: 'secret' })
  t.strictSame(valueAt(secret, 'signals.0.check.pass'), { meta: 'pass' })
})

t.test('option of a check reads fields of the types that it takes, and an enum reads choices of its own alone', async t => {
  const enumOf = (key: string, ...options: string[]) => ({ key, type: 'enum', options })
  const draft = {
    fields: [
      { key: 'place', type: 'location_list', required: true },
      { key: 'other', type: 'location_list' },
      { key: 'name', type: 'string' },
      { key: 'pass', type: 'secret' },
      enumOf('four', '4', 'any'),
      enumOf('mode', 'at_least_one', 'all'),
      7,
    ],
  }
  t.strictSame(fieldsTaken(draft, options.family), ['four'])
  t.strictSame(fieldsTaken(draft, options.host), ['name', 'four', 'mode'])
  t.strictSame(fieldsTaken(draft, options.pass), ['pass'])
  t.strictSame(fieldsTaken(draft, options.send), ['name', 'pass'])
  t.strictSame([locationFields(draft), agreementFields(draft)], [['place'], ['mode']])
})

t.test('value of an option is stated unless it is the one that the option has by itself, and never a secret', async t => {
  t.strictSame([statedOf(options.family, 'any'), statedOf(options.family, '4')], [undefined, '4'])
  t.strictSame([isOnlySecret(options.pass), isOnlySecret(options.send)], [true, false])
  t.match(valueFieldOf(options.send), { type: 'string', label: 'send: value' })
  t.equal(valueFieldOf({ ...options.send, lines: true }).type, 'text')
})

t.test('sample reports for a check from a Location of its own, and is silent for as long as one may be', async t => {
  const draft = {
    fields: [
      { key: 'places', type: 'location_list', required: true },
      { key: 'every', type: 'duration', default: 10 },
    ],
    signals: [{ key: 'page', kind: 'check', every_seconds: { meta: 'every' } }],
    rules: [{ wait: { confirm_after: 0 }, decision: { signal: 'page', field: 'status', operator: 'eq', operand: 'problem' } }],
  }
  const { observations, at } = sampleOf(draft, 'silent', end)
  t.strictSame([...new Set(observations.map(({ signal }) => signal))], ['page@here'])
  t.equal(Date.parse(at) - Date.parse(observations.at(-1)?.at ?? ''), 80_000, 'a minute of silence, after one more interval')
  t.strictSame(metaOf(draft, { places: 'typed' }), { places: ['here'] })
})

t.test('changes of a check and of a rule without a result are sentences', async t => {
  const before = { signals: [{ key: 'page', kind: 'check', every_seconds: 60, check: { type: 'a' } }], rules: [{ key: 'down' }] }
  const signal = { ...before.signals[0], every_seconds: { meta: 'every' } }
  t.strictSame(changesBetween(before, { ...before, rules: [{ key: 'down', unknown: 'no_data' }] }), [
    'The rule down decides otherwise while its result is unknown.',
  ])
  t.strictSame(changesBetween(before, { ...before, signals: [signal] }), [
    'The signal page is silent after three times the answer every, before after 180 s.',
  ])
  t.strictSame(changesBetween(before, { ...before, signals: [{ ...signal, check: { type: 'b' } }] }), [
    'The signal page is checked otherwise.',
  ])
})
