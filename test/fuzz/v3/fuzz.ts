// The fuzz of generation 3: valid and broken requests of every caller, sent one after the other. They are made from the records of the
// routes and the OpenAPI document. From time to time `story.ts` takes a Resource from its creation to its archive. The same seed makes the
// same choices, except choices among existing objects, which depend on earlier responses.
import { Random } from '../../simulation/random.ts'
import type { FuzzReport } from '../fuzz.ts'
import type { FuzzedInstallation } from '../installation.ts'
import { makeBody, makeLoosely } from './bodies.ts'
import { breakRequest } from './breaking.ts'
import { judgeV3, type V3Answered, type V3Request } from './judge.ts'
import { abroad, createV3Known } from './known.ts'
import { mutate, withNull } from './mutations.ts'
import { addressPath, readV3Operations, type V3Document, type V3Operation } from './operations.ts'
import { addOthers, addPeople, type Caller, home, refusalFor } from './people.ts'
import { requestOf, type V3Run } from './run.ts'
import { misuse } from './semantics.ts'
import { liveOnce } from './story.ts'

/** Number of findings at which the fuzz stops. */
const findingsMax = 25
/** Maximum of additional valid requests while an operation has not yet succeeded. */
const chasesMax = 300
/** Number of requests between two runs of `story.ts`. */
const storyEvery = 250

interface Options {
  seed: number
  cases: number
  onCase?(number: number): void
}

/** Fewer than a workspace may have. */
const pingKeysMost = 3

export async function fuzzV3(installation: FuzzedInstallation, { seed, cases, onCase }: Options): Promise<FuzzReport> {
  const run = await prepare(installation, new Random(seed, 'v3'))
  const { random, operations, report } = run
  const isWanted = () => report.cases < cases || (report.cases < cases + chasesMax && waiting(run).length > 0)
  for (let stories = 0; isWanted() && report.findings.length < findingsMax; ) {
    if (report.cases >= stories * storyEvery) await liveOnce(run, stories++)
    const early = report.cases < operations.length * 3
    const sought = waiting(run)
    const operation = sought.length > 0 && random.chance(early ? 0.8 : 0.3) ? random.pick(sought) : random.pick(operations)
    // Deletions, archives and addresses are rare: objects must remain, and a workspace has 100 addresses and 5 ping keys at most.
    const isRare = operation.method === 'DELETE' || /[/](archive|addresses|ping-keys)$/.test(operation.path)
    const isFull =
      operation.method === 'POST' && operation.path.endsWith('/ping-keys') && run.known.pingKeys.length >= pingKeysMost
    const request = isFull || (isRare && random.chance(0.7)) ? null : makeRequest(run, operation, early || report.cases >= cases)
    if (request === null) continue
    await run.play(request)
    onCase?.(report.cases)
  }
  report.unanswered = waiting(run).map(({ name }) => name)
  return report
}

const waiting = ({ operations, report }: V3Run) => operations.filter(({ name }) => !report.successes.has(name))

async function prepare(installation: FuzzedInstallation, random: Random): Promise<V3Run> {
  const callers = await addPeople(installation)
  const owner = callers[0] as Caller
  const document = (await (await fetch(`${installation.url}/api/openapi/v3.json`)).json()) as V3Document
  const known = createV3Known(random, await addOthers(installation))
  const read = await fetch(`${installation.url}/api/v3/locations`, { headers: { authorization: `Bearer ${owner.token}` } })
  const { result } = (await read.json()) as { result: { id: string }[] }
  const making = { random, known, locations: result.map(({ id }) => id), receiverUrl: installation.receiverUrl }
  const report: FuzzReport = { cases: 0, successes: new Map(), refusals: new Map(), unanswered: [], slowestMs: 0, findings: [] }
  const run = { installation, random, operations: readV3Operations(document), callers, owner, known, making, report }
  let latest: V3Request | null = null
  return {
    ...run,
    play: request => {
      latest = request
      return play(run, request)
    },
    complain: offence => {
      if (latest !== null) report.findings.push({ number: report.cases - 1, request: latest, answer: '', offences: [offence] })
    },
  }
}

/** Returns a request of a random caller to the operation, valid or broken in one way; null: no object for the path exists. */
function makeRequest(run: V3Run, operation: V3Operation, mustFit: boolean): V3Request | null {
  const { random, known, callers, owner, making } = run
  const path = known.fill(operation.path)
  if (path === null) return null
  const isLoose = !mustFit && random.chance(0.1)
  const body = isLoose ? makeLoosely(operation, making) : makeBody(operation, path, making)
  const valid = requestOf(run, operation, { path, body, caller: owner, wanted: null })
  if (mustFit || isLoose || random.chance(0.3)) return withFilters(valid, operation, run)
  const atNull =
    body !== null && operation.body && random.chance(0.1) && withNull(operation.body, body, operation.resolve, random)
  if (atNull) return { ...valid, body: atNull }
  if (operation.path === addressPath && valid.headers['x-observation-key'] !== undefined && random.chance(0.4)) {
    return withSecondFactor(valid, random.pick(callers))
  }
  if (random.chance(0.2) && operation.route !== null) {
    const caller = random.pick(callers)
    // A workspace that may be deleted has the owner as its only member.
    const wanted = operation.path.endsWith('/deletion') ? null : refusalFor(operation.route, caller)
    const isElsewhere = random.chance(0.2) && path.includes(home) && caller.role !== null
    const at = isElsewhere
      ? { path: abroad(path), wanted: caller.role === 'stranger' ? null : { status: 404 } }
      : { path, wanted }
    return requestOf(run, operation, { ...at, body, caller })
  }
  if (body === null || random.chance(0.3)) return breakRequest(valid, operation, random)
  const template = known.templates.find(({ key, version }) => `${key}@${version}` === templateNamed(run, path, body))
  const meant = random.chance(0.4) ? misuse(operation.name, body, template, random) : null
  const broken = meant ?? (operation.body && mutate(operation.body, body, operation.resolve, random))
  return broken === null ? valid : { ...valid, body: broken.text, broken: [broken.name], wanted: broken.expected }
}

/** Returns the Template revision that the body names. If the body names none, returns the revision of the Resource in the path. */
function templateNamed({ known }: V3Run, path: string, body: Record<string, unknown>): string | undefined {
  const reference = decodeURIComponent(path.split('/')[5] ?? '')
  if (typeof body['template'] !== 'string')
    return known.resources.find(({ id, key }) => id === reference || key === reference)?.template
  return body['template']
}

/** Adds the second factor of an address: a full key of an editor or owner (v3 8.3). */
function withSecondFactor(request: V3Request, { token, role, actions }: Caller): V3Request {
  const { 'x-observation-key': _, ...rest } = request.headers
  const headers = token === null ? rest : { ...rest, 'x-observation-key': token }
  const isTaken = actions === null && (role === 'editor' || role === 'owner')
  return isTaken ? { ...request, headers } : { ...request, headers, broken: ['a second factor'], wanted: { status: 401 } }
}

/** Adds valid filters to a list that has filters. */
function withFilters(request: V3Request, { route }: V3Operation, { random, known }: V3Run): V3Request {
  const template = random.pick(known.templates)
  const values: Record<string, string | undefined> = {
    limit: random.pick(['1', '200']),
    state: random.pick(['active', 'archived', 'all']),
    resource_state: random.pick(['active', 'archived', 'all']),
    lifecycle: random.pick(['open', 'closed']),
    confirmation: random.pick(['confirmed', 'unconfirmed']),
    acknowledged: random.pick(['true', 'false']),
    template: template?.key,
    rule: random.pick(['failing', 'constructor']),
    resource: random.pick(known.resources)?.key,
    signal: random.pick(['probe', 'constructor', '__proto__']),
    since: '2026-01-01T00:00:00Z',
    path: '/resources',
  }
  const names = Object.keys(route?.query ?? {}).filter(name => values[name] !== undefined && random.chance(0.4))
  const query = names.map(name => `${name}=${encodeURIComponent(values[name] ?? '')}`)
  const fields = template?.fields.filter(({ type }) => !type.endsWith('_list')) ?? []
  if (names.includes('template') && fields.length > 0)
    query.push(`meta.${random.pick(fields).key}=${random.pick(['1', 'true', 'core', '', '0.40'])}`)
  if (route?.query?.['label.'] !== undefined && random.chance(0.3))
    query.push(`label.${random.pick(['env', 'constructor'])}=production`)
  return query.length === 0 ? request : { ...request, path: `${request.path}?${query.join('&')}` }
}

async function play(run: Omit<V3Run, 'play' | 'complain'>, request: V3Request): Promise<V3Answered> {
  const { operations, known, callers, report } = run
  const answer = await send(run.installation, request)
  const found = operationOf(operations, request)
  const tokens = [...known.addresses, ...callers].flatMap(({ token }) => token ?? [])
  const offences = judgeV3({ request, answer, found, tokens })
  const number = report.cases++
  report.slowestMs = Math.max(report.slowestMs, answer.ms)
  if (offences.length > 0) report.findings.push({ number, request, answer: answer.text.slice(0, 500), offences })
  const envelope = tryParse(answer.text)
  if (answer.status >= 400)
    count(
      report.refusals,
      `${answer.status} ${String(envelope?.error?.details?.['field'] ?? '')
        .replaceAll(/\d+/g, '0')
        .slice(0, 60)}`,
    )
  else if (found !== null && request.method !== 'HEAD') {
    count(report.successes, found.name)
    known.learn(request.method, request.path.replace(/[?].*$/, ''), envelope?.result)
  }
  return answer
}

async function send({ url, written, reserved }: FuzzedInstallation, request: V3Request): Promise<V3Answered> {
  const before = written() + reserved()
  const startedAt = performance.now()
  const response = await fetch(`${url}${request.path}`, {
    method: request.method,
    headers: request.headers,
    body: request.body as string | null,
    redirect: 'manual',
  })
  const text = await response.text()
  const ms = performance.now() - startedAt
  const changed = written() + reserved() !== before
  return { status: response.status, text, contentType: response.headers.get('content-type') ?? '', ms, changed }
}

/** Returns the operation that a router would choose: a parameter matches one part of a path, also an empty part. */
function operationOf(operations: readonly V3Operation[], { method, path }: V3Request): V3Operation | null {
  const [bare = ''] = path.split('?')
  const pattern = (template: string) =>
    new RegExp(`^${template === addressPath ? '' : '/api'}${template.replaceAll(/[{]\w+[}]/g, '[^/]*')}$`)
  return (
    operations.find(
      operation => operation.method === (method === 'HEAD' ? 'GET' : method) && pattern(operation.path).test(bare),
    ) ?? null
  )
}

function tryParse(text: string): { result?: unknown; error?: { details?: Record<string, unknown> } | null } | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
