// Ways to break a valid request. Each way changes one part of the request; `judge.ts` decides which response is right.
import type { Random } from '../simulation/random.ts'

export interface FuzzRequest {
  method: string
  /** Path with its query. */
  path: string
  headers: Record<string, string>
  /** Bytes of the body; null: no body. */
  body: string | Uint8Array | null
  /** Names of the changes to the valid request; empty: none. */
  broken: string[]
}

type Breaker = (request: FuzzRequest, random: Random) => void

const strange: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    -0,
    2 ** 53,
    '',
    ' ',
    'x'.repeat(5_000),
    '\u0000',
    '\ud800',
    'a\u0000b',
    '../../etc',
    '%00',
  ],
  ...[
    [],
    [[]],
    [null],
    {},
    { '': '' },
    { __proto__: null, constructor: 1 },
    ['__proto__'],
    '{{7*7}}',
    "'; DROP TABLE subjects; --",
    '\u202eabc',
  ],
]

const breakers: Record<string, Breaker> = {
  'a field of another value': (request, random) => changeField(request, random, () => random.pick(strange)),
  'a field left out': (request, random) => changeField(request, random, () => undefined),
  'a field nobody knows': (request, random) =>
    changeJson(request, body =>
      Object.assign(body, { [random.pick(['x', '__proto__x', 'a.b', '\u0000'])]: random.pick(strange) }),
    ),
  'JSON nested deep': request => change(request, `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`),
  'JSON cut off': (request, random) => change(request, String(request.body ?? '{"a":1}').slice(0, random.integer(1, 20))),
  'no object': (request, random) =>
    change(request, random.pick(['[]', 'null', '"text"', '12', 'true', '[{}]', 'NaN', '{]', '{}{}'])),
  'no UTF-8': request => change(request, new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  'a body that is too large': request => change(request, `{"name":"${'x'.repeat(1_048_576)}"}`),
  'another content type': (request, random) =>
    setHeader(request, 'content-type', random.pick(['text/plain', 'application/xml', 'x', 'application/json; charset=utf-16'])),
  'an encoding': (request, random) => setHeader(request, 'content-encoding', random.pick(['gzip', 'br', 'nothing'])),
  'a strange part of the path': (request, random) => {
    const parts = request.path.split('/')
    const part = random.pick([
      '%2F',
      '%00',
      '..%2f..',
      'x'.repeat(3_000),
      '%F0%9F%91%8D',
      '__proto__',
      '-1',
      '%',
      '%zz',
      '%C3%28',
      'null',
      ' ',
      'a%20b',
      "'",
    ])
    parts[random.integer(3, Math.max(3, parts.length - 1))] = part
    request.path = parts.join('/')
  },
  'a path one part longer': request => {
    request.path = request.path.replace(/([?]|$)/, '/more$1')
  },
  'another method': (request, random) => {
    request.method = random.pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET', 'POST'])
  },
  'no query': request => {
    request.path = request.path.replace(/[?].*/, '')
  },
  'a strange query': (request, random) => {
    const value = random.pick([
      '',
      '%00',
      'x'.repeat(2_000),
      '%ud8',
      '&workspace_id=b',
      '[]=1',
      '%F0%9F',
      'nobody',
      '0',
      '-1',
      '1e9',
    ])
    const name = random.pick(['workspace_id', 'monitor_id', 'limit', 'destination_id', 'undelivered', '__proto__', 'x'])
    request.path = `${request.path.replace(/[?].*/, '')}?${name}=${value}`
  },
  'no key': request => {
    delete request.headers['authorization']
  },
  'a key of nobody': (request, random) =>
    setHeader(
      request,
      'authorization',
      random.pick(['Bearer x', `Bearer wk_${'x'.repeat(32)}`, 'Basic eDp5', 'Bearer', 'Bearer  ']),
    ),
}

/** Breaks the request once or twice. A request of a route without bodies may get a body. */
export function breakRequest(request: FuzzRequest, random: Random): FuzzRequest {
  const broken = { ...request, headers: { ...request.headers }, broken: [...request.broken] }
  for (let i = random.chance(0.2) ? 2 : 1; i > 0; i--) {
    const usual = request.body !== null && random.chance(0.6)
    const name = usual ? random.pick(Object.keys(breakers).slice(0, 2)) : random.pick(Object.keys(breakers))
    breakers[name]?.(broken, random)
    broken.broken.push(name)
  }
  return withoutForbiddenBody(broken)
}

/** Removes the body of a GET request, because client libraries refuse to send it. */
const withoutForbiddenBody = (request: FuzzRequest): FuzzRequest =>
  request.method === 'GET' ? { ...request, body: null } : request

const setHeader = (request: FuzzRequest, name: string, value: string): void => {
  request.headers[name] = value
}

function change(request: FuzzRequest, body: string | Uint8Array): void {
  request.body = body
  request.headers['content-type'] ??= 'application/json'
}

function changeJson(request: FuzzRequest, edit: (body: Record<string, unknown>) => void): void {
  const body = asObject(request.body)
  edit(body)
  change(request, JSON.stringify(body))
}

/** Changes one field anywhere in the body. */
function changeField(request: FuzzRequest, random: Random, value: () => unknown): void {
  changeJson(request, body => {
    let holder: Record<string, unknown> = body
    for (;;) {
      const names = Object.keys(holder)
      const name = names.length > 0 ? random.pick(names) : 'name'
      const inner = holder[name]
      if (typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0 && random.chance(0.7)) {
        holder = inner as Record<string, unknown>
        continue
      }
      holder[name] = value()
      return
    }
  })
}

function asObject(body: FuzzRequest['body']): Record<string, unknown> {
  try {
    const value: unknown = typeof body === 'string' ? JSON.parse(body) : {}
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
