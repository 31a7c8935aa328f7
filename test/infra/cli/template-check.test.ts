// `./watchkeeper template check` as a process, without an installation and without a data folder. Reference: docs/reference/v3.md, 3.11.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startApiWorld } from '../../support/worlds/api-world.ts'
import { runProgram, temporaryFolder } from '../run-program.ts'

const folder = temporaryFolder(t)
const write = (name: string, content: unknown): string => {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content, null, 2))
  return file
}
const check = (...args: string[]) =>
  runProgram(t, ['template', 'check', ...args], { DATA_DIR: join(folder, 'data'), NATS_URL: 'nats://127.0.0.1:1' }).ended

const isProblem = { signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' }
const manifest = {
  key: 'heartbeat',
  version: 1,
  name: 'Heartbeat',
  fields: [{ key: 'hold', type: 'duration', required: true }],
  signals: [{ key: 'beat', kind: 'heartbeat', every_seconds: 60 }],
  rules: [{ key: 'failing', action: 'Look.', wait: { confirm_after: { meta: 'hold' }, recover_after: 0 }, decision: isProblem }],
}
const observations = [
  { signal: 'beat', state: 'problem', at: '2026-10-05T12:00:00Z' },
  { signal: 'beat', state: 'ok', at: '2026-10-05T12:02:00Z' },
]
const sent = { observations, meta: { hold: 60 } }
const good = write('good.json', manifest)

t.test("template check prints the result of the API's preview of the same Template", async t => {
  const world = await startApiWorld()
  t.teardown(() => world.stop())
  const { token } = await world.addPerson('olga', { w1: 'owner' })
  const answered = await world.call('POST', '/api/v3/workspaces/w1/templates/preview', { token, body: { manifest, ...sent } })
  const { code, stdout, stderr } = await check(good, '--observations', write('sent.json', sent), '--json')
  t.strictSame([code, stderr], [0, ''])
  t.strictSame(JSON.parse(stdout), answered.json.result)
  t.match(answered.json.result.rules, [{ incidents: [{ confirmed_at: '2026-10-05T12:01:00.000Z' }] }])
  t.notOk(existsSync(join(folder, 'data')), 'no data folder is made')
})

t.test('template check prints its findings in lines, without colours when piped', async t => {
  const alone = await check(good)
  t.strictSame([alone.code, alone.stderr], [0, ''])
  t.match(alone.stdout, /^heartbeat@1 can be published: 1 signal, 1 rule\.\nWarning: No rule notices when beat falls silent.*\n$/)
  const { stdout } = await check(good, '--observations', write('sent.json', sent))
  t.match(stdout, /\nrule +status +incidents +explanation\nfailing +ok +1 +beat ok\n/)
  t.match(stdout, /\nfailing +2026-10-05T12:00:00.000Z +2026-10-05T12:01:00.000Z +2026-10-05T12:02:00.000Z +beat problem\n$/)
  t.notOk(stdout.includes('\u001b'))
})

const wrongAt = { ...manifest, rules: [{ ...manifest.rules[0], decision: { all: [isProblem, { ...isProblem, signal: 'x' }] } }] }
t.test('template check names file and line of the first fault', async t => {
  const inOneLine = JSON.stringify({ ...manifest, colour: 1 })
  /** `at`: line and column of the fault; null: the fault concerns the whole file. */
  const faults: [what: string, content: unknown, at: [number, number] | null, place: string, message: RegExp][] = [
    ['a missing comma', '{\n  "key": "a"\n  "name": 1\n}', [3, 3], '3:3', /^Missing , between/],
    ['a missing comma in one line', '{"key": "a" "name": 1}', [1, 13], '1:13', /^Unexpected double-quoted-scalar token/],
    ['an early end', '{\r\n"key": [1,\r\n', [3, 1], '3:1', /must .*end with a \]/],
    ['an open text', '{\n"key": "a', [2, 10], '2:10', /^Missing closing "quote/],
    ['nothing', '', null, '', /^it must hold one Template/],
    ['a number', '7', [1, 1], '', /^it must be one object, a Template$/],
    ['no object', '[1]', [1, 2], '', /^it must be one object, a Template$/],
    ['too deep', `${'['.repeat(65)}${']'.repeat(65)}`, [1, 65], '1:65', /deeper than 64/],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), null, '', /UTF-8/],
    ['too large', `"${' '.repeat(1_048_576)}"`, null, '', /more than 1048576 bytes/],
    ['an unknown key', { ...manifest, colour: 1 }, [37, 3], 'colour', /^Unknown field 'colour'/],
    ['an unknown key in one line', inOneLine, [1, inOneLine.indexOf('"colour"') + 1], 'colour', /^Unknown field 'colour'/],
    ['an unknown signal', wrongAt, [38, 13], 'rules.0.decision.all.1.signal', /declares no signal 'x'/],
    ['a system key', { ...manifest, key: 'website-check' }, [2, 3], 'key', /system Template/],
  ]
  for (const [what, content, at, place, message] of faults) {
    const file = write('bad.json', content)
    const { code, stdout, stderr } = await check(file, '--json')
    t.equal(code, 4, what)
    const { error } = JSON.parse(stdout)
    const [line, column] = at ?? [null, null]
    t.strictSame({ ...error, message: '' }, { file, place, line, column, message: '' }, what)
    t.match(error.message, message, what)
    const named = /^\d+:/.test(place)
      ? [file, place]
      : [at === null ? file : `${file}:${line}`, ...(place === '' ? [] : [` ${place}`])]
    t.equal(stderr, `${named.join(':')}: ${error.message}\n`, what)
  }
})

t.test('template check reads YAML as publication does, and names line and dotted path of a fault', async t => {
  const text = [
    'kind: Template',
    'key: heartbeat',
    'version: 1',
    'name: Heartbeat',
    'signals: [{key: beat, kind: heartbeat, every_seconds: 60}]',
  ]
  const rules = [
    'rules:',
    '  - key: failing',
    '    action: Look.',
    '    wait: {confirm_after: 60, recover_after: 0}',
    '    decision:',
  ]
  const decision = (signal: string) => [`      {signal: ${signal}, field: status, operator: eq, operand: problem}`]
  const yaml = (signal: string) => `${[...text, ...rules, ...decision(signal)].join('\n')}\n`
  const { code, stdout } = await check(write('good.yaml', yaml('beat')), '--observations', write('list.json', observations))
  t.equal(code, 0)
  t.match(stdout, /^heartbeat@1 can be published/)
  const file = write('bad.yml', yaml('heart'))
  const wrong = await check(file)
  t.equal(wrong.code, 4)
  t.match(wrong.stderr, `${file}:11: rules.0.decision.signal: `)
})

t.test('template check names the line in a file of Observations', async t => {
  const [first, second] = observations
  const faults: [what: string, content: unknown, place: string][] = [
    ['an answer that is missing', observations, '2: hold'],
    ['a wrong answer', { observations, meta: { hold: 'x' } }, '15: hold'],
    ['an unknown signal', { ...sent, observations: [first, { ...second, signal: 'x' }] }, '9: observations.1.signal'],
    ['no instant in a list', [first, { ...second, at: undefined }], '7: observations.1.at'],
    ['no instant', { ...sent, observations: [{ ...first, at: undefined }] }, '3: observations.0.at'],
    ['an unknown member', { ...sent, manifest }, '17: manifest'],
    ['too long', { ...sent, at: '2028-01-01T00:00:00Z' }, '17: at'],
    ['a number', 7, '1: it must be a list of Observations, or an object with observations, meta and at'],
    ['a list of numbers', '[7]', '1: it must be an Observation'],
    ['nothing', '', ' it must be a list of Observations, or an object with observations, meta and at'],
    ['a comment alone', '# later', ' it must be a list of Observations'],
    ['null', 'null', ' it must be a list of Observations'],
    ['an empty list', [], ' hold'],
    ['an empty object', {}, '1: hold'],
    ['an instant alone', '{"at": "2026-10-05T12:00:00Z"}', '1: hold'],
    ['an Observation without a signal', '{"at": "2026-10-05T12:00:00Z", "state": "ok"}', '1: state'],
    [
      'a second document',
      `${JSON.stringify(sent)}\n---\n${JSON.stringify(first)}`,
      '1: an object with observations, meta or at must',
    ],
    ['a second object of fields', `${JSON.stringify(first)}\n---\n{}`, '3: an object with observations, meta or at must'],
    ['fields in a list', [sent, sent], '3: observations.0.observations'],
  ]
  for (const [what, content, place] of faults) {
    const file = write('bad.json', content)
    const { code, stderr } = await check(good, '--observations', file)
    t.equal(code, 4, what)
    t.match(stderr.slice(`${file}:`.length), new RegExp(`^${place}\\b`), `${what}: ${stderr}`)
  }
})

t.test('template check ends with different exit codes for a missing file and a wrong command', async t => {
  t.match(await check(join(folder, 'nothing.json')), { code: 5, stderr: /^There is no file or folder .*nothing\.json\.\n$/ })
  t.match(await check(good, '--observations', join(folder, 'nothing.json')), { code: 5 })
  t.match(await check(folder), { code: 1, stderr: /can't be read \(EISDIR\)/ })
  t.match(await check(good, '--observations', ''), { code: 2 })
  t.match(await check(), { code: 2 })
  t.strictSame(
    readdirSync(folder).filter(name => !/\.(json|ya?ml)$/.test(name)),
    [],
  )
})
