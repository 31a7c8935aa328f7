// The script for configuration files, run as its worker runs it. The test sends the messages of the page. Covers the
// progress that the script reports, the slices of a plan, and failures of the API.
import t from 'tap'
import type { FromScript, ScriptQuestion, ToScript } from '#shared/contracts/session/configuration-script.ts'
import { type ScriptPort, serveScript } from '../../services/gateway/configuration/serve-script.ts'

type Call = Extract<FromScript, { call: number }>

/** A page that uses the script. `answers` returns the API's response to a call. */
function page(answers: (call: Call) => Extract<ToScript, { answerTo: number }>) {
  const heard: FromScript[] = []
  let settle: (last: FromScript) => void = () => {}
  const port: ScriptPort = {
    onmessage: null,
    postMessage: message => {
      heard.push(message)
      if ('call' in message) setImmediate(() => port.onmessage?.({ data: answers(message) }))
      if ('result' in message || 'failure' in message) settle(message)
    },
  }
  serveScript(port)
  const ask = (question: ScriptQuestion) =>
    new Promise<FromScript>(resolve => {
      settle = resolve
      port.onmessage?.({ data: { question, workspace: 'w1' } })
    })
  return { heard, ask }
}

const system = {
  id: 'website-check@1',
  key: 'website-check',
  version: 1,
  rules: [{ decision: null }],
}

/** Responds as an empty workspace. Its list of Resources has two pages. */
const nothing = ({ call: answerTo, method, arguments: [path] }: Call) => {
  if (method === 'page') return { answerTo, result: { items: [], next: answerTo < 4 ? 'more' : null } }
  return { answerTo, result: String(path).endsWith('/templates') ? [system] : [] }
}

const monitor = (n: number) => `kind: Monitor
key: site-${n}
name: Site ${n}
meta: {url: 'https://example.com/${n}', locations: [de], interval_value: 5}
`
const fileOf = (text: string) => ({ ask: 'read', name: 'fleet.yaml', file: new Blob([text]) }) as const
const withLocation = (call: Call) =>
  call.arguments[0] === '/locations' ? { answerTo: call.call, result: [{ id: 'aaaa', name: 'de' }] } : nothing(call)

t.test('script reports progress while it reads the file, checks the objects and reads the workspace', async t => {
  const { heard, ask } = page(withLocation)
  t.same(await ask(fileOf(Array.from({ length: 2_000 }, (_, n) => monitor(n)).join('---\n'))), { result: [] })
  const said = heard.flatMap(message => ('progress' in message ? [message.progress] : []))
  const shares = said.flatMap(progress => (progress.at === 'file' ? [progress.share] : []))
  t.ok(shares.length >= 90 && shares.length <= 101, `${shares.length} times`)
  t.ok(shares.every((share, i) => share <= 1 && share >= (shares[i - 1] ?? 0)))
  t.same(
    said.filter(({ at }) => at !== 'file').map(({ at }) => at),
    ['objects', 'workspace', 'workspace'],
  )
})

t.test('plan is sent in slices of 1,000 steps, and finished steps are sent by their indices', async t => {
  const { heard, ask } = page(call => {
    if (call.method === 'call') return { answerTo: call.call, result: { id: `id-${call.call}` } }
    return withLocation(call)
  })
  await ask(fileOf(Array.from({ length: 2_500 }, (_, n) => monitor(n)).join('---\n')))
  t.same(await ask({ ask: 'plan', urls: [] }), { result: 2_500 })
  const slices = heard.flatMap(message => ('steps' in message ? [message.steps] : []))
  t.same(
    slices.map(({ length }) => length),
    [1_000, 1_000, 500],
  )
  t.match(slices[2]?.at(-1), { verb: 'made', kind: 'Monitor', name: 'site-2499', line: 2_499 * 5 + 1 })
  t.same(await ask({ ask: 'run' }), { result: null })
  const done = heard.flatMap(message => ('done' in message ? message.done : []))
  t.same(
    done.toSorted((one, other) => one - other),
    Array.from({ length: 2_500 }, (_, n) => n),
  )
})

t.test('failure of the file, the API or a step is sent as a message; the message about a step says how to continue', async t => {
  const { ask } = page(withLocation)
  t.match(await ask(fileOf('kind: Monitor\nkey: a\n')), {
    failure: "fleet.yaml, line 1, Monitor a: name: Field 'name' is required.",
  })
  t.match(await ask(fileOf('kind: [')), { failure: /^fleet\.yaml, line \d+: .*\.$/ })
  const words = { sentence: 'Needs the role editor.', isGone: false, reason: null }
  const refusing = page(({ call: answerTo }) => ({ answerTo, failure: words }))
  t.same(await refusing.ask(fileOf(monitor(1))), { failure: 'Needs the role editor.' })
  const cut = page(call => {
    const reason = { words: 'No connection', isUnanswered: true }
    return call.method === 'call' ? { answerTo: call.call, failure: { ...words, reason } } : withLocation(call)
  })
  await cut.ask(fileOf(monitor(1)))
  await cut.ask({ ask: 'plan', urls: [] })
  t.match(await cut.ask({ ask: 'run' }), { failure: /Monitor site-1 failed: No connection; import the file again to go on\.$/ })
})

t.test('file is refused before its bytes are read when it exceeds the bound', async t => {
  const { ask } = page(nothing)
  const file = { size: 16 * 1024 ** 2 + 1, arrayBuffer: async () => t.fail('its bytes were read') } as unknown as Blob
  t.match(await ask({ ask: 'read', name: 'disk.img', file }), { failure: 'disk.img: it has more than 16777216 bytes.' })
})
