// The fuzz: valid and broken requests, made from the served OpenAPI documents and sent one after the other to one installation. The same
// seed makes the same choices, except choices among existing objects, which depend on earlier responses.
import { Random } from '../simulation/random.ts'
import { breakRequest, type FuzzRequest } from './breaking.ts'
import type { FuzzedInstallation } from './installation.ts'
import { type Answered, judge } from './judge.ts'
import { createKnown, type Known } from './known.ts'
import { type Operation, readOperations } from './operations.ts'
import { makeValue } from './values.ts'

export interface FuzzReport {
  cases: number
  /** Number of successful responses of each operation. */
  successes: Map<string, number>
  /** Number of responses with each refusal. */
  refusals: Map<string, number>
  /** Operations without a successful response. */
  unanswered: string[]
  slowestMs: number
  findings: { number: number; request: FuzzRequest; answer: string; offences: string[] }[]
}

export interface FuzzOptions {
  seed: number
  cases: number
  onCase?(number: number): void
}

/** Number of findings at which the fuzz stops. */
const findingsMax = 25

/** Maximum of additional valid requests while an operation has not yet succeeded. */
const chasesMax = 500

export async function fuzz(installation: FuzzedInstallation, { seed, cases, onCase }: FuzzOptions): Promise<FuzzReport> {
  const random = new Random(seed, 'fuzz')
  const operations = await readAllOperations(installation.url)
  const known = await meet(installation, random)
  const order = shuffled(operations, random)
  const report: FuzzReport = { cases: 0, successes: new Map(), refusals: new Map(), unanswered: [], slowestMs: 0, findings: [] }
  const isWanted = (number: number) => number < cases || (number < cases + chasesMax && unanswered(operations, report).length > 0)
  for (let number = 0; isWanted(number) && report.findings.length < findingsMax; number++) {
    // The first requests and the additional requests are valid, so that objects exist and every operation succeeds once.
    const early = number < order.length * 3
    const mustFit = early || number >= cases
    const operation = early ? (order[number % order.length] as Operation) : pickOperation(operations, known, report, random)
    const outside = !mustFit && random.chance(0.3) ? 0.2 : 0
    const valid = makeRequest(operation, { known, random, key: installation.key, outside })
    const request = mustFit || random.chance(0.35) ? valid : breakRequest(valid, random)
    await runCase(installation, { number, operations, request, known, report })
    onCase?.(number)
  }
  report.unanswered = unanswered(operations, report).map(({ name }) => name)
  return report
}

const unanswered = (operations: Operation[], { successes }: FuzzReport) => operations.filter(({ name }) => !successes.has(name))

/**
 * Returns a random operation. Operations that have not succeeded yet are more likely. Deletions are less likely, so that objects remain.
 */
function pickOperation(operations: Operation[], known: Known, report: FuzzReport, random: Random): Operation {
  const sought = unanswered(operations, report)
  if (sought.length > 0 && random.chance(0.3)) {
    const { path, name } = random.pick(sought)
    // If no object for the path is known, requests the route above the last parameter, which lists or creates these objects.
    const wanted = known.has(path) ? [name] : ['GET', 'POST'].map(method => `${method} ${path.replace(/[/][{]\w+[}][^{]*$/, '')}`)
    const candidates = operations.filter(operation => wanted.includes(operation.name))
    if (candidates.length > 0) return random.pick(candidates)
  }
  const picked = random.pick(operations)
  return picked.method === 'DELETE' && random.chance(0.7) ? random.pick(operations) : picked
}

async function readAllOperations(url: string): Promise<Operation[]> {
  const read = async (name: string) => {
    const document = (await (await fetch(`${url}/api/openapi/${name}.json`)).json()) as Parameters<typeof readOperations>[1]
    return readOperations(name, document)
  }
  const all = [...(await read('v2')), ...(await read('v1'))]
  return all.filter((operation, index) => all.findIndex(({ name }) => name === operation.name) === index)
}

async function meet({ url, key, receiverUrl }: FuzzedInstallation, random: Random): Promise<Known> {
  const list = async (path: string) => {
    const response = await fetch(`${url}/api${path}`, { headers: { authorization: `Bearer ${key}` } })
    return ((await response.json()) as { result: { id: string; name: string }[] }).result
  }
  const [workspace] = await list('/v2/workspaces')
  const locations = (await list('/v2/locations')).map(({ name }) => name)
  return createKnown(random, { workspaceId: workspace?.id ?? '', locations, receiverUrl })
}

interface Makers {
  known: Known
  random: Random
  key: string
  outside: number
}

function makeRequest(operation: Operation, { known, random, key, outside }: Makers): FuzzRequest {
  const path = known.fill(operation.path)
  const resolve = operation.resolve
  const making = { random, resolve, known: (field: string) => known.value(field, path), outside, isOutside: false }
  const query = operation.parameters
    .filter(parameter => parameter.in === 'query' && (parameter.required || random.chance(0.5)))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(makeValue(schema, name, making)))}`)
  const body = operation.body === null ? null : JSON.stringify(makeValue(operation.body.schema, '', making))
  const headers: Record<string, string> = { authorization: `Bearer ${key}` }
  if (body !== null) headers['content-type'] = 'application/json'
  return {
    method: operation.method,
    path: `/api${path}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    headers,
    body,
    broken: making.isOutside ? ['a value outside its bounds'] : [],
  }
}

interface Case {
  number: number
  operations: Operation[]
  request: FuzzRequest
  known: Known
  report: FuzzReport
}

async function runCase(installation: FuzzedInstallation, { number, operations, request, known, report }: Case): Promise<void> {
  const answer = await send(installation, request)
  const found = operationOf(operations, request)
  const offences = judge(request, answer, found)
  report.cases++
  report.slowestMs = Math.max(report.slowestMs, answer.ms)
  if (offences.length > 0) report.findings.push({ number, request, answer: answer.text.slice(0, 500), offences })
  const { result, error } = tryParse(answer.text)
  if (error) count(report.refusals, `${error.code} ${error.message}`)
  else if (found !== null) {
    count(report.successes, found.name)
    known.learn(found, request.path.replace(/^\/api|[?].*$/g, ''), result)
  }
}

async function send({ url, written }: FuzzedInstallation, request: FuzzRequest): Promise<Answered> {
  const before = written()
  const startedAt = performance.now()
  const response = await fetch(`${url}${request.path}`, {
    method: request.method,
    headers: request.headers,
    body: request.body as string | null,
    redirect: 'manual',
  })
  const text = await response.text()
  const ms = performance.now() - startedAt
  const changed = written() !== before
  return { status: response.status, text, contentType: response.headers.get('content-type') ?? '', ms, changed }
}

/** Returns the operation that a router would choose: a parameter matches one part of a path, also an empty part. */
function operationOf(operations: Operation[], { method, path }: FuzzRequest): Operation | null {
  const bare = new URL(`http://x${path}`).pathname
  const pattern = (template: string) => new RegExp(`^/api${template.replaceAll(/[{]\w+[}]/g, '[^/]*')}$`)
  const fitting = operations.filter(operation => operation.method === method && pattern(operation.path).test(bare))
  return fitting.toSorted((a, b) => placeholders(a) - placeholders(b))[0] ?? null
}

const placeholders = ({ path }: Operation): number => path.split('{').length

function tryParse(text: string): { result?: unknown; error?: { code: number; message: string } | null } {
  try {
    return JSON.parse(text)
  } catch {
    return { error: { code: 0, message: 'no JSON' } }
  }
}

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)

/** Orders operations so that creations come first: by depth of the path, POST before other methods. */
function shuffled(operations: Operation[], random: Random): Operation[] {
  const rank = ({ method, path }: Operation) =>
    placeholders({ path } as Operation) * 3 + (method === 'POST' ? 0 : method === 'GET' ? 1 : 2)
  return operations
    .map(operation => ({ operation, key: rank(operation) + random.next() / 2 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ operation }) => operation)
}
