// A check takes what curl takes as a response, and says why it takes nothing else.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { promisify } from 'node:util'
import t from 'tap'
import { createResolve } from '#shared/net/resolve.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { checkEntry } from '../support/checks.ts'
import { cutHeads, type OddAnswer, oddAnswers } from './odd-answers.ts'
import { runCheck } from './run-check.ts'

const clock = createSystemClock()
const options = { clock, resolve: createResolve({ clock }), userAgent: 'test' }
const run = promisify(execFile)

let response = Buffer.alloc(0)
const server = createServer(socket => {
  socket.on('error', () => undefined)
  socket.once('data', () => socket.end(response))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
t.teardown(() => server.close())
t.teardown(() => clock.stop())

const check = ({ text }: OddAnswer, expectedText: string) => {
  response = Buffer.from(text, 'latin1')
  return runCheck(checkEntry({ url, statuses: [200], expectedText }), options)
}

for (const [cases, body] of [
  [oddAnswers, 'hello'],
  [cutHeads, ''],
] as const) {
  for (const odd of cases) {
    t.test(`${odd.name}: ${(odd.own ?? odd.curl) ? 'taken' : 'refused'}`, async t => {
      const { ok, error } = await check(odd, body)
      t.equal(ok, odd.own ?? odd.curl, error ?? 'passed')
      if (!ok) t.match(error, /^(answer is not HTTP \(.+\)|answer headers are too large|connection closed .+|body .+)$/)
    })
  }
}

const version = await run('curl', ['--version']).then(
  ({ stdout }) => /^curl (\S+)/.exec(stdout)?.[1],
  () => undefined,
)
const skip = version !== '7.88.1' && 'no curl 7.88.1'

t.test('record of what curl takes is what curl takes', { skip }, async t => {
  for (const { name, text, curl } of [...oddAnswers, ...cutHeads]) {
    response = Buffer.from(text, 'latin1')
    const body = cutHeads.some(one => one.name === name) ? '' : 'hello'
    const found = await run('curl', ['-sS', '--max-time', '5', '--write-out', ' %{http_code}', url]).then(
      ({ stdout }) => stdout,
      () => 'refused',
    )
    t.equal(found === `${body} 200`, curl, name)
  }
})
