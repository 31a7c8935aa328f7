// An import without a browser: its stages, its messages about faults, and the requests that it sends.
import t from 'tap'
import type { AppliedConfiguration, ConfigurationFault, ConfigurationStep } from '#shared/contracts/session/configuration.ts'
import { Refusal, refusalOf } from '../../../services/dashboard/data/api.ts'
import { workspaceId } from '../../../services/dashboard/data/session.ts'
import { exportConfiguration, sendConfiguration } from '../../../services/dashboard/exports/configuration-api.ts'
import {
  countsSentence,
  createImport,
  type ImportRequest,
  rebinds,
  sentencesOf,
} from '../../../services/dashboard/exports/import-state.ts'

const step = (result: ConfigurationStep['result'], name: string, what = ''): ConfigurationStep => ({
  ...{ result, kind: 'Resource', name, what, file: 'fleet.yaml', line: 1 },
})
const steps = [step('made', 'a'), step('changed', 'b', 'from job@1 to job@2, labels.env'), step('left', 'c')]
const counts = { made: 0, changed: 0, left: 0, deleted: 0, archived: 0 }
const answer = (state: AppliedConfiguration['state'], over: Partial<AppliedConfiguration> = {}): AppliedConfiguration => ({
  ...{ state, steps, counts, remaining: 0, failed: null },
  ...over,
})
const file = new File(['abc'], 'fleet.yaml')

/** An import whose requests to write get these responses in turn; an Error is thrown. Its dry runs get `plan`. */
function importOf(written: readonly (AppliedConfiguration | Error)[], plan: (sent: ImportRequest) => AppliedConfiguration) {
  const sent: ImportRequest[] = []
  const left = [...written]
  const importing = createImport(async request => {
    sent.push(request)
    if (request.dry_run) return plan(request)
    const next = left.shift() ?? answer('applied')
    if (next instanceof Error) throw next
    return next
  })
  return { ...importing, sent }
}
const planned = () => answer('planned')

const fault = (over: Partial<ConfigurationFault>): ConfigurationFault => ({
  ...{ file: 'fleet.yaml', line: 7, column: 1, place: 'name', object: 'Destination Ops', message: 'it is new' },
  ...over,
})
const refused = (...faults: ConfigurationFault[]) => {
  const error = { code: 1422, message: faults[0]?.message, details: { field: 'files', faults } }
  return refusalOf(422, { error }, null)
}

t.test('import plans a file without a write, then sends the same until nothing remains, and counts each step once', async t => {
  const importing = importOf([answer('unfinished', { steps: [steps[0]!], remaining: 2 }), answer('applied')], planned)
  await importing.write()
  t.equal(importing.stage.value.at, 'waiting')
  await importing.choose(file)
  t.strictSame(importing.stage.value, { at: 'planned', name: 'fleet.yaml', steps })
  t.strictSame(importing.sent, [{ files: { 'fleet.yaml': 'abc' }, values: {}, dry_run: true }])
  const done: number[] = []
  importing.stage.subscribe(stage => stage.at === 'writing' && done.push(stage.done))
  await importing.write()
  t.strictSame(done, [0, 1])
  t.strictSame(importing.stage.value, { at: 'written', name: 'fleet.yaml', steps })
  t.strictSame(
    importing.sent.slice(1).map(({ dry_run }) => dry_run),
    [false, false],
  )
  await importing.write()
  t.equal(importing.sent.length, 3, 'it is written once')
})

t.test('import that fails in the middle shows what is done, and how to go on', async t => {
  const failed = { kind: 'Resource', name: 'b', message: 'The key is taken.', file: 'fleet.yaml', line: 3, may_repeat: false }
  const first = answer('unfinished', { steps: [steps[0]!], remaining: 2 })
  const cases: [AppliedConfiguration | Error, RegExp][] = [
    [
      answer('failed', { steps: [], remaining: 2, failed }),
      /^fleet\.yaml, line 3: Resource b failed: The key is taken; correct it,/,
    ],
    [
      answer('failed', { steps: [], remaining: 2, failed: { ...failed, may_repeat: true } }),
      /taken; import the file again to go on\.$/,
    ],
    [new Refusal(0, '', 'No connection.'), /^No connection\.$/],
  ]
  for (const [second, sentence] of cases) {
    const importing = importOf([first, second], planned)
    await importing.choose(file)
    await importing.write()
    t.match(importing.stage.value, { at: 'failed', sentences: [sentence], done: [steps[0]] })
  }
})

t.test('import that is stopped sends no further request, and shows what is done', async t => {
  const importing = importOf([answer('unfinished', { steps: [steps[0]!], remaining: 2 })], planned)
  await importing.choose(file)
  const writing = importing.write()
  importing.stopWriting()
  await writing
  t.match(importing.stage.value, { at: 'failed', sentences: ['The import was stopped.'], done: [steps[0]] })
  t.equal(importing.sent.length, 2)
})

t.test('faults of a file are shown one by one, with file, line, object and field', async t => {
  const importing = importOf([], () => {
    throw refused(fault({}), fault({ place: '7:1', object: null, message: 'a bracket is missing' }))
  })
  await importing.choose(file)
  t.strictSame(importing.stage.value, {
    at: 'failed',
    sentences: ['fleet.yaml, line 7, Destination Ops: name: it is new.', 'fleet.yaml, line 7: a bracket is missing.'],
    done: null,
  })
  t.strictSame(sentencesOf(new Refusal(403, 'forbidden', 'Needs the role editor.')), ['Needs the role editor.'])
  t.strictSame(sentencesOf(new TypeError('x')), ['The page made a mistake. Load it again.'])
})

t.test('values that no file holds are asked for, and a wrong one is refused at the form', async t => {
  const missing = { variable: 'WATCHKEEPER_DESTINATION_OPS_URL', value: 'URL of Ops' }
  const importing = importOf([], ({ values }) => {
    if (values[missing.variable]?.startsWith('https')) return planned()
    throw refused(fault({ ...missing, message: 'it must be a URL' }))
  })
  await importing.choose(file)
  t.match(importing.stage.value, { at: 'asking', missing: [missing] })
  t.equal(importing.refusal.value, null, 'nothing was entered yet')
  await importing.giveValues({ [missing.variable]: 'x' })
  t.match(importing.refusal.value, /it must be a URL/)
  t.equal(importing.stage.value.at, 'asking')
  await importing.giveValues({ [missing.variable]: 'https://a.example' })
  t.equal(importing.stage.value.at, 'planned')
  t.equal(importing.refusal.value, null)
  await importing.write()
  t.match(importing.sent.at(-1), { values: { [missing.variable]: 'https://a.example' }, dry_run: false })
})

t.test('file that is too large or no text is refused without a request, and one that was dropped shows nothing', async t => {
  const importing = importOf([], planned)
  await importing.choose({ name: 'disk.img', size: 16 * 1024 ** 2 + 1 } as File)
  t.match(importing.stage.value, { at: 'failed', sentences: ['disk.img: it has more than 16777216 bytes.'], done: null })
  await importing.choose(new File([new Uint8Array([0xff, 0xfe])], 'a.yaml'))
  t.match(importing.stage.value, { at: 'failed', sentences: ['a.yaml: it is not UTF-8.'] })
  t.equal(importing.sent.length, 0)
  const choosing = importing.choose(file)
  t.strictSame(importing.stage.value, { at: 'reading', name: 'fleet.yaml' })
  importing.restart()
  await choosing
  t.strictSame(importing.stage.value, { at: 'waiting' })
})

t.test('summary counts the steps of a plan and the Resources that move to another revision', async t => {
  t.equal(countsSentence(steps), '1 made, 1 changed, 1 left as it is')
  t.equal(rebinds(steps), 1)
})

t.test('import continues in its workspace while another workspace is shown', async t => {
  const asked: string[] = []
  t.intercept(globalThis, 'fetch', {
    value: async (path: string, { method }: { method: string }) => {
      asked.push(`${method} ${path}`)
      return Response.json({ result: answer('planned'), error: null, meta: null })
    },
  })
  const send = sendConfiguration('imported')
  workspaceId.value = 'shown'
  await send({ files: {}, values: {}, dry_run: true })
  await exportConfiguration('imported')
  workspaceId.value = null
  t.strictSame(asked, [
    'POST /api/v3/workspaces/imported/configuration',
    'GET /api/v3/workspaces/imported/configuration?form=document',
  ])
})
