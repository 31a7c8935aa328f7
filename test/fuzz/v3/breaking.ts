// Ways to break a valid request without changing a value in its body. They change bytes, headers, path, query or method. Each way names the
// response that the gateway must give to the broken request (v3 1.2 to 1.8).
import { limits } from '#shared/limits/limits.ts'
import type { Random } from '../../simulation/random.ts'
import type { V3Request } from './judge.ts'
import type { V3Operation } from './operations.ts'

type Breaker = (request: V3Request, random: Random, operation: V3Operation) => void

const encoder = new TextEncoder()

/** Bodies that are no JSON object, or are sent in a form that the API refuses. */
const ofBodies: Readonly<Record<string, Breaker>> = {
  'JSON cut off': (request, random) =>
    refused(request, random.pick(['{"a":', '{', '{"name":"a"', '{"a":1}}', '{"a":1,}', "{'a':1}"]), 400),
  'no object': (request, random) =>
    refused(request, random.pick(['[]', 'null', '"text"', '12', 'true', '[{}]', 'NaN', '1e400']), 400),
  'JSON nested deep': (request, random) => {
    const depth = random.pick([65, 3_000])
    refused(request, `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`, 400)
  },
  'no UTF-8': request => refused(request, new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400),
  'another encoding of characters': request => refused(request, new Uint8Array(Buffer.from('\ufeff{"a":1}', 'utf16le')), 400),
  'a byte order mark': request => refused(request, encoder.encode('\ufeff{"a":1}'), 400),
  'a body that is too large': (request, _random, { route }) =>
    refused(request, ' '.repeat((route?.bodyBytes ?? limits.v3.bodyBytes) + 1), 413),
  'a body as large as may be': (request, _random, { route }) => {
    if (request.body === null) return
    request.body = String(request.body).padEnd((route?.bodyBytes ?? limits.v3.bodyBytes) - 10_000)
  },
  'a content encoding': (request, random) => {
    request.headers['content-encoding'] = random.pick(['gzip', 'br', 'nothing'])
    request.wanted = { status: 400 }
  },
}

/** The API reads every content type as JSON, so a request with any of these headers stays valid. */
const contentTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'multipart/form-data',
  'x',
  '/',
]

const strangeParts = [
  '%2F',
  '%00',
  '..%2f..',
  'x'.repeat(3_000),
  '%F0%9F%91%8D',
  '__proto__',
  'constructor',
  '-1',
  '%',
  '%zz',
  '%C3%28',
]

const ofHeads: Readonly<Record<string, Breaker>> = {
  'another content type': (request, random) => {
    request.headers['content-type'] = random.pick(contentTypes)
  },
  'a strange part of the path': (request, random) => {
    const [path = '', query] = request.path.split('?')
    const parts = path.split('/')
    parts[random.integer(parts[1] === 'api' ? 3 : 2, parts.length - 1)] = random.pick([
      ...strangeParts,
      'null',
      '%20',
      'a%20b',
      "'",
      '',
      '.',
      '*',
    ])
    request.path = [parts.join('/'), ...(query === undefined ? [] : [query])].join('?')
    request.wanted = null
  },
  'a path that goes on': request => {
    request.path = request.path.replace(/([?]|$)/, '/more/and/more$1')
    request.wanted = { status: 404 }
  },
  'another method': (request, random) => {
    request.method = random.pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET', 'POST', 'HEAD'])
    if (request.method === 'GET' || request.method === 'HEAD') request.body = null
    request.wanted = null
  },
  'an unknown parameter': (request, random) => {
    const name = random.pick([
      'x',
      'Limit',
      '__proto__',
      'constructor',
      'meta',
      'label',
      'workspace_id',
      'a.b',
      '👍',
      'undelivered',
    ])
    addQuery(request, `${encodeURIComponent(name)}=${random.pick(['1', '', '%00'])}`, name)
  },
  'a parameter out of bounds': (request, random, { route }) => {
    const name = random.pick(Object.keys(route?.query ?? {}).filter(one => wrongValues[one] !== undefined))
    if (name === undefined) return
    request.path = request.path.replace(/[?].*/, '')
    addQuery(request, `${name}=${encodeURIComponent(random.pick(wrongValues[name] ?? []))}`, name)
  },
  'a parameter given twice': (request, random, { route }) => {
    const name = random.pick(Object.keys(route?.query ?? {}).filter(one => !one.endsWith('.')))
    if (name === undefined) return
    request.path = request.path.replace(/[?].*/, '')
    addQuery(request, `${name}=a&${name}=a`, name)
  },
}

const wrongValues: Readonly<Record<string, readonly string[]>> = {
  limit: ['0', '201', '-1', '1.5', '1e2', 'ten', '', '0x10', '9'.repeat(400)],
  cursor: ['x', '', 'null', 'AAAA', '%', '👍', 'e30='],
  state: ['', 'Active', 'gone', 'constructor'],
  resource_state: ['', 'none'],
  lifecycle: ['', 'OPEN', '__proto__'],
  confirmation: ['', 'yes'],
  acknowledged: ['', '1', 'TRUE', 'null'],
  since: ['', 'yesterday', '2026-01-01', '2026-01-01T00:00:00'],
  until: ['', '0', '2026-02-30T00:00:00Z'],
  person: ['', ' ', 'a b'],
  template: ['', 'x'.repeat(101)],
  resource: ['', 'x'.repeat(201)],
  rule: ['', 'x'.repeat(201)],
  signal: ['', 'x'.repeat(201)],
  path: ['', 'x'.repeat(5_000)],
}

/** Breaks the request once, and replaces the required response by the response that the fault requires. */
export function breakRequest(valid: V3Request, operation: V3Operation, random: Random): V3Request {
  const breakers = { ...ofHeads, ...(valid.method === 'GET' ? {} : ofBodies) }
  const name = random.pick(Object.keys(breakers))
  const request: V3Request = { ...valid, headers: { ...valid.headers }, broken: [name] }
  breakers[name]?.(request, random, operation)
  return request
}

function refused(request: V3Request, body: string | Uint8Array, status: number): void {
  request.body = body
  request.wanted = status === 400 ? { status, field: null } : { status }
}

function addQuery(request: V3Request, parameter: string, field: string): void {
  request.path += `${request.path.includes('?') ? '&' : '?'}${parameter}`
  request.wanted = { status: 422, field }
}
