// The log: lines about monitors, incidents and keys, a limit for each repeated message, and strict JSON in every line.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { BusError } from '#shared/bus/port.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { StoreError } from '#shared/store/port.ts'
import { doubledKeys } from '../support/clients/strict-json.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { closeMs, confirmMs, startWholeWorld } from '../support/worlds/whole-world.ts'

const { lines: most, spellMs } = limits.log

type Line = Record<string, unknown> & { msg: string }

t.test('log has each step in the life of a monitor and its incident once, with the ids of the API', async t => {
  const world = await startWholeWorld()
  t.teardown(() => world.stop())
  const { token } = await world.addPerson('owner', { home000000: 'owner' })
  await world.addLocations(['de'])
  const body = {
    name: 'Shop',
    interval: 3_600,
    workspace_id: 'home000000',
    request: { url: 'https://shop.example/', method: 'GET' },
    response: { statuses: [200] },
    locations: ['de'],
  }
  const websites = '/api/v2/monitoring/websites'
  const { id } = (await world.call('POST', websites, { token, body })).json.result
  await world.call('POST', `${websites}/${id}`, { token, body: { ...body, name: 'Shop 2' } })
  await world.report(id, 'aaaa', false)
  const incidents = await world.call('GET', `/api/v2/incidents?workspace_id=home000000&monitor_id=${id}`, { token })
  const incident = incidents.json.result[0].id as string
  await world.clock.advance(confirmMs)
  await world.report(id, 'aaaa', true)
  await world.clock.advance(closeMs + limits.keeper.outboxMs)
  await world.call('DELETE', `${websites}/${id}`, { token })
  await world.clock.advance(limits.keeper.outboxMs)
  const life = world.logged.map(line => JSON.parse(line) as Line).filter(({ msg }) => /^(monitor|incident) /.test(msg))
  const about = { service: 'keeper', level: 30, subjectId: id }
  const named = { ...about, subject: 'Shop 2', incident, rule: 'Reachability' }
  t.match(life, [
    { ...about, msg: 'monitor created', subject: 'Shop', slug: 'shop', kind: 'website' },
    { ...about, msg: 'monitor changed', subject: 'Shop 2' },
    { ...named, msg: 'incident opened', condition: 'problem', explanation: '1 of 1 location failing' },
    { ...named, msg: 'incident confirmed' },
    { ...named, msg: 'incident closed', reason: 'recovered', lastedSeconds: confirmMs / 1_000 },
    { ...about, msg: 'monitor deleted', subject: 'Shop 2' },
  ])
  t.equal(life.length, 6, 'each once')
  t.match(
    world.logged.map(line => JSON.parse(line) as Line).filter(({ msg }) => /^keeper ready/.test(msg)),
    [{ msg: 'keeper ready', partitions: 64 }],
  )
  for (const line of world.logged) t.strictSame(doubledKeys(line), [], line)
})

/** A logger and the lines that it wrote. */
function capture(level = 'info') {
  const clock = createHandClock()
  const written: Line[] = []
  const destination = { write: (line: string) => void written.push(JSON.parse(line)) }
  return { clock, written, logger: createLogger(level, { clock, destination }) }
}

t.test('repeated message is limited and counted, and does not limit other messages', async t => {
  const { clock, written, logger } = capture()
  const keeper = logger.child({ service: 'keeper' })
  for (let i = 0; i < 10_000; i++) keeper.info({ incident: i }, 'incident opened')
  for (let i = 0; i < 3; i++) logger.warn('something else')
  t.equal(written.length, most + 3)
  clock.advance(spellMs)
  t.match(written.at(-1), {
    level: 'info',
    service: 'keeper',
    msg: 'log lines left out',
    sentence: 'incident opened',
    count: 10_000 - most,
  })
  keeper.info({ incident: 1 }, 'incident opened')
  t.match(written.at(-1), { msg: 'incident opened' }, 'and it goes on')
  t.equal(written.length, most + 5)
  clock.advance(10 * spellMs)
  t.equal(written.length, most + 5, 'nothing is said of nothing')
})

t.test('message that is logged evenly and not too often is never omitted', async t => {
  const { clock, written, logger } = capture()
  for (let i = 0; i < 10 * most; i++) {
    logger.error({ i }, 'message failed for good')
    clock.advance(spellMs / most)
  }
  t.equal(written.length, 10 * most)
})

t.test('debug lines are all written at level debug', async t => {
  const { written, logger } = capture('debug')
  for (let i = 0; i < 10 * most; i++) logger.debug('partition closed')
  t.equal(written.length, 10 * most)
})

t.test('expected error is logged without a stack, any other error with its stack', async t => {
  const { written, logger } = capture()
  const refused = Object.assign(new Error('Authorization Violation'), { name: 'AuthorizationError' })
  const expected = [new BusError('timeout', 'x'), new StoreError('unavailable', 'x'), new AppError('unavailable', 'x'), refused]
  for (const err of expected) logger.warn({ err }, 'it failed')
  for (const { err } of written as unknown as { err: { message: string; stack?: string } }[]) {
    t.ok(err.message)
    t.equal(err.stack, undefined, err.message)
  }
  for (const err of [new TypeError('x'), new StoreError('permanent', 'x'), new AppError('internal', 'x')]) {
    logger.error({ err }, 'it failed')
    t.match(written.at(-1), { err: { stack: /log\.test\.ts/ } })
  }
})

/** Variables that are passed as message. Their values are checked at their declarations, or by a test above. */
const heldByVariables = /^(sentence|notice\.log|full\.notice\.log)$/

t.test('every line has a fixed message in lower case without a full stop', t => {
  const found = logCalls()
  t.ok(found.length > 90, 'all of them are looked at')
  for (const { place, sentence } of found) {
    if (heldByVariables.test(sentence)) continue
    t.match(sentence, /^['"]([a-z]|AUTH_DEV)[^;]*[^.;]['"]$/, place)
  }
  for (const text of sources('services/notifier/operator/*.ts').map(({ text }) => text)) {
    for (const [, log = ''] of text.matchAll(/\blog: (?:.*\? )?'([^']*)'/g)) t.match(log, /^[a-z][^.;]*$/, log)
  }
  t.end()
})

const sources = (pattern: string) =>
  globSync(pattern, { cwd: join(import.meta.dirname, '..', '..') }).map(path => ({
    path,
    text: readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8'),
  }))

/** Returns the last argument of every call of a logger, as source text. */
function logCalls(): { place: string; sentence: string }[] {
  const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
  const found: { place: string; sentence: string }[] = []
  for (const { path, text } of sources('{services,shared,infra}/**/*.ts')) {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    const visit = (node: ts.Node): void => {
      ts.forEachChild(node, visit)
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
      const { name, expression } = node.expression
      if (!levels.has(name.text) || !/(^|[.#])(logger|log)\??$/i.test(expression.getText())) return
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      found.push({ place: `${path}:${line + 1}`, sentence: node.arguments.at(-1)?.getText() ?? '' })
    }
    visit(file)
  }
  return found
}
