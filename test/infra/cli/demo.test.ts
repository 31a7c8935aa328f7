// The demo as a person runs it: the real command in a child process. It must leave no process and no file, in whatever way it ends.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSystemClock } from '#shared/time/clock.ts'
import { runDemo } from '../../../infra/demo/run-demo.ts'
import { textOf } from '../../../infra/demo/step-format.ts'
import type { Step } from '../../../infra/demo/steps.ts'
import { isAlive, natsServerPid, runProgram, temporaryFolder } from '../run-program.ts'

interface PrintedStep {
  step: string
  at: string
  elapsed_ms: number
  text: string
  [field: string]: unknown
}

const colourCode = '\u001b'

/** Returns the process id of the bus server of the demo whose temporary files are in this folder. */
function busServerOf(folder: string): number {
  const [name = ''] = readdirSync(folder).filter(entry => entry.startsWith('watchkeeper-demo-'))
  return natsServerPid(join(folder, name))
}

t.test('demo prints every step in order and ends with exit code 0', async t => {
  const folder = temporaryFolder(t)
  // Settings of a real installation in the environment must not reach the demo.
  const foreign = { NATS_URL: 'nats://127.0.0.1:9', MONGODB_URL: 'mongodb://127.0.0.1:9', SERVICES: 'prober', PORT: '1' }
  const program = runProgram(t, ['demo'], { TMPDIR: folder, DATA_DIR: join(folder, 'other'), ...foreign })
  await program.says(/ ready /)
  const busServer = busServerOf(folder)
  t.ok(isAlive(busServer))
  const { code, stdout, stderr } = await program.ended
  t.equal(code, 0, stderr)
  t.equal(stderr, '')

  // The first check may be printed before the response that created its monitor.
  t.match(stdout, / setup .*\/monitoring\/websites/)
  t.match(stdout, / check +ok: status 200 in [\d.]+ ms$/m)
  const inOrder: RegExp[] = [
    /^ *\d\.\d\d s {2}start /m,
    / ready .*http:\/\/127\.0\.0\.1:\d+/,
    / setup .*\/notifications\/destinations/,
    / setup .*every second[\s\S]*?minimum of a minute/,
    / check +ok/,
    / website +The website goes down/,
    / check +failed: status 503, expected 200/,
    / verdict +problem: 1 of 1 location failing$/m,
    / machine +no incident → pending, on the event problem\.judged$/m,
    / deadline +in [0-3]\.\d s: confirmed then/,
    / machine +pending → problem, on the event hold\.elapsed$/m,
    // The time to the reminder is counted from the end of the confirmation delay, which a busy machine may handle a moment late.
    / deadline +in (?:4h|3h 59m): a reminder/,
    / message +demo site is down$/m,
    /^ +`status 503, expected 200`\n +Down for \d+s before we alerted\.$/m,
    / website +The website comes back/,
    / check +ok/,
    / verdict +ok: the location reports ok$/m,
    / machine +problem → recovering, on the event ok\.judged$/m,
    / deadline +in [0-3]\.\d s: closed then/,
    / machine +recovering → closed, on the event recovery\.elapsed\n +closed_at = well_since = /,
    / message +demo site is back up$/m,
    /^ +It was down for \d+s\.$/m,
    / summary +It was down for \d+\.\d s/,
    / next +npm start /,
  ]
  let rest = stdout
  for (const pattern of inOrder) {
    const found = pattern.exec(rest)
    if (found === null) {
      t.fail(`${pattern} is missing, or stands too early`, { stdout })
      break
    }
    rest = rest.slice(found.index + found[0].length)
  }
  t.match(rest, /^\S[^\n]*\n$/, 'nothing is printed after the last step')
  t.notMatch(stdout, colourCode, 'no colours where there is no terminal')
  for (const line of stdout.split('\n')) t.ok(line.length <= 80, `80 columns: ${line}`)
  t.same(readdirSync(folder), [], 'the data folder is gone')
  t.notOk(isAlive(busServer), 'the bus server is gone')
})

t.test('demo --json prints one consistent object per step', async t => {
  const folder = temporaryFolder(t)
  const { code, stdout, stderr } = await runProgram(t, ['demo', '--json'], { TMPDIR: folder, FORCE_COLOR: '1' }).ended
  t.equal(code, 0, stderr)
  t.same(readdirSync(folder), [])
  const steps = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as PrintedStep)
  for (const [i, { step, at, elapsed_ms, text }] of steps.entries()) {
    t.ok(step !== '' && text !== '' && !Number.isNaN(Date.parse(at)), `${step} says when and what`)
    t.ok(elapsed_ms >= (steps[i - 1]?.elapsed_ms ?? 0), 'in order of time')
  }
  const named = (name: string) => steps.filter(({ step }) => step === name)
  const moves = named('machine')
  t.same(
    moves.map(({ from, state, event }) => [from, state, event]),
    [
      [null, 'pending', 'problem.judged'],
      ['pending', 'problem', 'hold.elapsed'],
      ['problem', 'recovering', 'ok.judged'],
      ['recovering', 'closed', 'recovery.elapsed'],
    ],
  )
  const [opened = 0, confirmed = 0, well = 0, closed = 0] = moves.map(move => Date.parse(String(move['effective_at'])))
  t.equal(confirmed - opened, 3_000, 'confirmed at the exact end of the hold')
  t.equal(closed, well, 'closed_at is well_since')
  t.same(
    named('verdict').map(({ verdict }) => verdict),
    ['problem', 'problem', 'ok', 'ok'],
  )
  t.equal(Date.parse(String(named('deadline')[0]?.['deadline_at'])), confirmed)
  const messages = named('message')
  t.same(
    messages.map(({ title }) => title),
    ['demo site is down', 'demo site is back up'],
  )
  t.match(messages[0]?.['message'], /http:\/\/localhost:2517\/subjects\/\w+\|View timeline/, 'the text as its receiver got it')
  const checks = named('check')
  t.ok(checks.some(({ ok }) => ok === false) && checks.some(({ ok }) => ok === true))
  t.match(named('summary'), [{ down_ms: closed - opened, messages_late_ms: messages.map(message => message['late_ms']) }])
})

t.test('demo ends with exit code 0 when Ctrl-C is pressed at any step', async t => {
  for (const { name, after } of [
    { name: 'while it starts', after: /start/ },
    { name: 'while the website is down', after: /pending/ },
  ]) {
    const folder = temporaryFolder(t)
    const program = runProgram(t, ['demo'], { TMPDIR: folder, FORCE_COLOR: '1' })
    await program.says(after)
    program.child.kill('SIGINT')
    const { code, stdout, stderr } = await program.ended
    t.equal(code, 0, `${name}: exit code`)
    t.equal(stderr, '', `${name}: no complaint`)
    t.match(stdout, /end {7}\S*Interrupted: everything has ended, nothing is kept\.\n$/, `${name}: it says so`)
    t.match(stdout, colourCode, 'colours where they are asked for')
    t.same(readdirSync(folder), [], `${name}: nothing is left`)
  }
})

t.test('demo ends when the reader of its output closes', async t => {
  const folder = temporaryFolder(t)
  const program = runProgram(t, ['demo'], { TMPDIR: folder })
  await program.says(/ ready /)
  program.child.stdout?.destroy()
  t.match(await program.ended, { code: 0, stderr: '' })
  t.same(readdirSync(folder), [])
})

t.test('demo that cannot start ends with one error message and an exit code, without a stack trace', async t => {
  const folder = temporaryFolder(t)
  const nowhere = join(folder, 'nowhere')
  for (const { environment, code, says } of [
    { environment: { LOG_LEVEL: 'loud' }, code: 2, says: /^LOG_LEVEL must be one of/ },
    {
      environment: { PATH: nowhere, TOOLS_DIR: join(temporaryFolder(t), 'tools') },
      code: 1,
      says: /^There is no nats-server here /,
    },
  ]) {
    const ended = await runProgram(t, ['demo'], { TMPDIR: folder, ...environment }).ended
    t.equal(ended.code, code)
    t.match(ended.stderr, says)
    t.notMatch(ended.stderr, /^\s+at /m)
    t.same(readdirSync(folder), [])
  }
  const ended = await runProgram(t, ['demo'], { TMPDIR: nowhere }).ended
  t.equal(ended.code, 1)
  t.match(ended.stderr, /^No folder can be made in .*nowhere \(ENOENT\): correct TMPDIR\.$/m)
})

t.test('demo ends with exit code 1 and names the missing step when a step does not happen', async t => {
  const clock = createSystemClock()
  t.teardown(clock.stop)
  const shown: Step[] = []
  const options = { environment: {}, version: '0.0.0', clock, interrupted: new AbortController().signal, patienceMs: 2_500 }
  await t.rejects(runDemo({ ...options, show: step => shown.push(step) }), {
    name: 'StartError',
    exitCode: 1,
    message: /^The demo took 2\.5 s and still waits for .+: LOG_LEVEL=info npm run demo shows more\.$/,
  })
  t.notOk(shown.some(step => step.name === 'summary'))
})

t.test('line of a step is wrapped between words, aligned, and coloured by part', async t => {
  const step: Step = { name: 'check', tone: 'bad', lines: ['failed: the status was not the expected one', 'more'], data: {} }
  const indent = ' '.repeat(19)
  t.equal(
    textOf(step, 12_345, { columns: 45, style: (_, text) => text }),
    `12.35 s  check     failed: the status was not\n${indent}the expected one\n${indent}more`,
  )
  const marked = textOf(step, 12_345, { columns: 45, style: (format, text) => `<${format} ${text}>` })
  t.match(marked, '<dim 12.35 s>  <red check     >failed: the status was not\n')
})
