// An import without a browser: its stages, its messages about faults, and the API that its script uses.
import t from 'tap'
import type { FromScript, ShownStep, ToScript } from '#shared/contracts/session/configuration-script.ts'
import { Refusal } from '../../../services/dashboard/data/api.ts'
import { workspaceId } from '../../../services/dashboard/data/session.ts'
import { configurationApi } from '../../../services/dashboard/exports/configuration-api.ts'
import { countsSentence, createImport, failureSentence, rebinds } from '../../../services/dashboard/exports/import-state.ts'
import { createScript, type Script } from '../../../services/dashboard/exports/script.ts'

const step = (verb: ShownStep['verb'], name: string, what = ''): ShownStep => ({ verb, kind: 'Resource', name, what, line: 1 })
const steps = [step('made', 'a'), step('changed', 'b', 'from job@1 to job@2, labels.env'), step('left', 'c')]
const file = new File(['abc'], 'fleet.yaml')

function importOf(over: Partial<Script> = {}) {
  const heard = { ended: 0, stopped: 0 }
  const script: Script = {
    exportFile: async () => ({ text: '', objects: 0, omitted: [] }),
    readFile: async () => [],
    plan: async () => steps,
    run: async () => {},
    stop: () => void heard.stopped++,
    end: () => void heard.ended++,
    ...over,
  }
  return { ...createImport({ open: () => script }), heard }
}

t.test('import plans a file without a write, then writes it step by step', async t => {
  const stages: string[] = []
  const importing = importOf({
    run: async done => {
      for (const one of steps) {
        done([one])
        stages.push(JSON.stringify(importing.stage.value))
      }
    },
  })
  await importing.write()
  t.equal(importing.stage.value.at, 'waiting')
  await importing.choose(file)
  t.strictSame(importing.stage.value, { at: 'planned', name: 'fleet.yaml', steps })
  t.equal(importing.heard.ended, 0)
  await importing.write()
  t.match(stages, [/"writing".*"done":1/, /"done":2/, /"done":3/])
  t.strictSame(importing.stage.value, { at: 'written', name: 'fleet.yaml', steps })
  t.equal(importing.heard.ended, 1, 'the memory of the worker is free again')
  await importing.write()
  t.equal(stages.length, 3, 'it is written once')
})

t.test('import that fails in the middle reports the finished steps, and shows the reason of each failure', async t => {
  const sentence = 'fleet.yaml, line 7, Resource a: meta.hold: it must be a number.'
  const refused = importOf({ readFile: async () => Promise.reject(new Error(sentence)) })
  await refused.choose(file)
  t.strictSame(refused.stage.value, { at: 'failed', sentence, done: null })
  t.equal(failureSentence(new Refusal(403, 'forbidden', 'Needs the role editor.')), 'Needs the role editor.')
  t.equal(failureSentence(new TypeError('x')), 'The page made a mistake. Load it again.')
  const cut = importOf({
    run: async done => {
      done([steps[0]!])
      throw new Error('Resource b failed: it is taken.')
    },
  })
  await cut.choose(file)
  await cut.write()
  t.strictSame(cut.stage.value, { at: 'failed', sentence: 'Resource b failed: it is taken.', done: [steps[0]] })
})

t.test('cancelled reading ends its worker, and none of its results are shown later', async t => {
  const reading = Promise.withResolvers<readonly string[]>()
  const importing = importOf({ readFile: () => reading.promise })
  const choosing = importing.choose(file)
  t.match(importing.stage.value, { at: 'reading', name: 'fleet.yaml', progress: { at: 'file', share: 0 } })
  importing.restart()
  t.same([importing.stage.value, importing.heard.ended], [{ at: 'waiting' }, 1])
  reading.resolve(['Ops'])
  await choosing
  t.same(importing.stage.value, { at: 'waiting' })
})

t.test('leaving the page ends the worker, unless it is writing', async t => {
  const importing = importOf()
  await importing.choose(file)
  importing.leave()
  t.equal(importing.heard.ended, 1)
  const run = Promise.withResolvers<void>()
  const writing = importOf({ run: () => run.promise })
  await writing.choose(file)
  const written = writing.write()
  writing.leave()
  t.equal(writing.heard.ended, 0)
  run.resolve()
  await written
  t.equal(writing.heard.ended, 1)
})

t.test('new destinations need their URLs before the plan, and an invalid URL is refused at its field', async t => {
  const given: [string, string][][] = []
  const plan: Script['plan'] = async urls => {
    given.push([...urls])
    if (!urls.get('Ops')?.startsWith('https')) throw new Error('Destination Ops: url: it is no address.')
    return steps
  }
  const importing = importOf({ readFile: async () => ['Ops'], plan })
  await importing.choose(file)
  t.strictSame(importing.stage.value, { at: 'asking', name: 'fleet.yaml', destinations: ['Ops'] })
  await importing.giveUrls(new Map([['Ops', 'x']]))
  t.match(importing.refusal.value, /it is no address/)
  t.equal(importing.stage.value.at, 'asking')
  await importing.giveUrls(new Map([['Ops', 'https://a.example']]))
  t.equal(importing.stage.value.at, 'planned')
  t.equal(importing.refusal.value, null)
  t.equal(given.length, 2)
})

/** A worker whose messages the test sends by hand. */
function workerByHand() {
  const sent: ToScript[] = []
  const listeners = new Map<string, (event: { data?: unknown }) => void>()
  const worker = {
    postMessage: (message: ToScript) => void sent.push(message),
    addEventListener: (name: string, listener: (event: { data?: unknown }) => void) => void listeners.set(name, listener),
    terminate: () => {},
  }
  const say = (data: FromScript) => listeners.get('message')?.({ data })
  return { worker, sent, say, break: () => listeners.get('error')?.({}) }
}

t.test('worker gets the responses of the API, and none after the import is stopped', async t => {
  const { worker, sent, say } = workerByHand()
  const asked: string[] = []
  const api = { ...configurationApi('w1'), read: async <T>(path: string) => void asked.push(path) as T }
  const script = createScript({ worker, api, workspace: 'w1', onProgress: () => {} })
  const planning = script.plan(new Map())
  say({ steps: steps.slice(0, 2) })
  say({ steps: steps.slice(2) })
  say({ result: 3 })
  t.same(await planning, steps)
  const done: ShownStep[] = []
  const running = script.run(more => done.push(...more))
  say({ call: 1, method: 'read', arguments: ['/locations'] })
  await new Promise(setImmediate)
  say({ done: [2, 0] })
  script.stop()
  say({ call: 2, method: 'read', arguments: ['/destinations'] })
  await new Promise(setImmediate)
  t.same(asked, ['/locations'])
  t.match(sent.slice(2), [{ answerTo: 1 }, { answerTo: 2, failure: { sentence: 'The import was stopped.', reason: null } }])
  say({ failure: 'The import was stopped.' })
  await t.rejects(running, { message: 'The import was stopped.' })
  t.same(done, [steps[2], steps[0]])
})

t.test('import shows an error when its worker cannot be loaded', async t => {
  const { worker, break: fail } = workerByHand()
  const script = createScript({ worker, api: configurationApi('w1'), workspace: 'w1', onProgress: () => {} })
  const exporting = script.exportFile()
  fail()
  await t.rejects(exporting, { message: /could not be loaded/ })
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
      return Response.json({ result: [], error: null, meta: null })
    },
  })
  workspaceId.value = 'shown'
  const api = configurationApi('imported')
  await api.classic({ method: 'POST', path: '/subjects/a/rules?workspace_id=imported', body: {} })
  await api.classic({ method: 'GET', path: '/subjects', query: { workspace_id: 'imported' } })
  await api.call({ method: 'POST', path: '/workspaces/imported/templates', body: {} })
  workspaceId.value = null
  t.strictSame(asked, [
    'POST /session/v2/subjects/a/rules?workspace_id=imported',
    'GET /session/v2/subjects?workspace_id=imported',
    'POST /api/v3/workspaces/imported/templates',
  ])
})

t.test('script gets the reason of a failed request, and learns whether generation 2 is switched off', async t => {
  const taken = new Refusal(409, '1409', 'The key is taken.', 'key')
  t.strictSame(configurationApi('w1').reasonOf(taken), { words: 'key: The key is taken.', isUnanswered: false })
  t.strictSame(configurationApi('w1').reasonOf(new Refusal(0, '', 'No connection.')), {
    words: 'No connection.',
    isUnanswered: true,
  })
  t.equal(configurationApi('w1').reasonOf(new Error('x')), null)
  t.ok(configurationApi('w1').isGone(new Refusal(410, '1410', 'Gone.')))
})
