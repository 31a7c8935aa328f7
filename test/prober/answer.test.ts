// Parser of an HTTP response, with every division of the response into packets.
import { test } from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { Answer, type AnswerFault, type Parsed } from '../../services/prober/checks/http/answer.ts'
import { Random } from '../simulation/random.ts'

interface Heard {
  heads: [number, string][]
  body: string
  completed: boolean
}

/** Parses the pieces. After each head, the reader continues only if `wanted` returns true. */
function read(pieces: readonly string[], { method = 'GET', wanted = () => true as boolean } = {}) {
  const heard: Heard = { heads: [], body: '', completed: false }
  const answer: Answer = new Answer(method, {
    onHead: ({ statusCode, encoding }) => {
      heard.heads.push([statusCode, encoding])
      if (!wanted()) answer.stop()
      return wanted()
    },
    onBody: bytes => {
      heard.body += bytes.toString('latin1')
      return true
    },
    onComplete: () => {
      heard.completed = true
      answer.stop()
    },
  })
  const results: Parsed[] = pieces.map(piece => answer.read(Buffer.from(piece, 'latin1')))
  return { answer, heard, result: results.find(each => each !== 'more') ?? 'more' }
}

const answers: {
  name: string
  text: string
  head: [number, string]
  body: string
  method?: string
  ends: 'by itself' | 'with a close'
}[] = [
  {
    name: 'a length',
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nx-empty:\r\nContent-Encoding: gzip\r\n\r\nhello',
    head: [200, 'gzip'],
    body: 'hello',
    ends: 'by itself',
  },
  {
    name: 'chunks and trailers',
    text: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\ncontent-encoding: br\r\n\r\n',
    head: [200, ''],
    body: 'hello',
    ends: 'by itself',
  },
  {
    name: 'two codings in two headers',
    text: 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-encoding-not: x\r\ncontent-encoding: br\r\ncontent-length: 0\r\n\r\n',
    head: [200, 'gzip,br'],
    body: '',
    ends: 'by itself',
  },
  {
    name: 'no length: until the connection closes',
    text: 'HTTP/1.0 404 No\r\n\r\nhello',
    head: [404, ''],
    body: 'hello',
    ends: 'with a close',
  },
  {
    name: 'an answer to HEAD, whatever length it speaks of',
    text: 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n',
    head: [200, ''],
    body: '',
    method: 'HEAD',
    ends: 'by itself',
  },
  { name: 'no content', text: 'HTTP/1.1 204 No Content\r\n\r\n', head: [204, ''], body: '', ends: 'by itself' },
  { name: 'no reason', text: 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', head: [200, ''], body: '', ends: 'by itself' },
]

for (const { name, text, head, body, method, ends } of answers) {
  test(`${name}: response cut anywhere parses the same`, t => {
    for (let cut = 0; cut <= text.length; cut++) {
      const { answer, heard, result } = read([text.slice(0, cut), text.slice(cut)], method === undefined ? {} : { method })
      t.equal(result, ends === 'by itself' ? 'over' : 'more', `cut at ${cut}`)
      if (ends === 'with a close') t.ok(answer.close(), 'may end so')
      t.strictSame(heard, { heads: [head], body, completed: true }, `cut at ${cut}`)
    }
    const { heard } = read([...text], method === undefined ? {} : { method })
    t.equal(heard.body, body, 'byte for byte')
    t.end()
  })
}

test('response in chunks of one byte is parsed', t => {
  const chunks = '1\r\nx\r\n'.repeat(10_000)
  const { heard, result } = read([
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    ...Array<string>(20).fill(chunks),
    '0\r\n\r\n',
  ])
  t.equal(result, 'over')
  t.equal(heard.body.length, 200_000)
  t.end()
})

test('interim response precedes the response and adds no header to it', t => {
  const { heard, result } = read([
    'HTTP/1.1 103 Early Hints\r\ncontent-encoding: gzip\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
  ])
  t.equal(result, 'over')
  t.strictSame(heard, {
    heads: [
      [103, 'gzip'],
      [200, ''],
    ],
    body: 'ok',
    completed: true,
  })
  t.end()
})

test('parser stops when the reader wants no more, and ignores the bytes that it already has', t => {
  const text = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  const { answer, heard, result } = read([text, text], { wanted: () => false })
  t.equal(result, 'over')
  t.strictSame(heard, { heads: [[200, '']], body: '', completed: false })
  t.equal(answer.read(Buffer.from(text)), 'over', 'nor read any more')
  t.notOk(answer.close())
  t.end()
})

test('fault of every odd response stands where it was found', t => {
  const wrong: [fault: AnswerFault, text: string, heads?: number][] = [
    ['start', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['start', 'GET / HTTP/1.1\r\n\r\n'],
    ['start', 'ready'],
    ['http2', '\0\0\u0012\u0004\0\0\0\0\0'],
    ['too large', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(limits.check.headerBytes)}\r\n\r\n`],
    ['too large', '\r\n'.repeat(limits.check.headerBytes)],
    ['upgrade', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'],
    ['chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabc\r\n', 1],
  ]
  for (const [fault, text, heads = 0] of wrong) {
    const { answer, heard, result } = read([text])
    t.equal(result, 'broken', text.slice(0, 40))
    t.equal(answer.fault, fault, text.slice(0, 40))
    t.equal(heard.heads.length, heads)
    t.notOk(answer.close(), 'and it cannot end well')
    t.strictSame(
      read([...text]).answer.fault,
      text.startsWith('\0') || text.length < 1_000 ? fault : 'too large',
      'byte for byte',
    )
  }
  t.end()
})

test('line that arrives byte for byte is held in few pieces', t => {
  const { heard, result } = read(['HTTP/1.1 200 OK\r\nx: ', ...'y'.repeat(100_000), '\r\ncontent-length: 0\r\n\r\n'])
  t.equal(result, 'over')
  t.equal(heard.completed, true)
  t.end()
})

test('interleaved responses have parsers of their own', t => {
  const parts = (status: number, body: string) => [`HTTP/1.1 ${status} OK\r\ncontent-le`, `ngth: ${body.length}\r\n\r\n`, body]
  const bodies = ['one', 'three', 'seventeen']
  const readers = bodies.map(body => ({ body, ...read([]) }))
  for (let part = 0; part < 3; part++) {
    for (const [index, { answer, body }] of readers.entries()) answer.read(Buffer.from(parts(200 + index, body)[part] as string))
  }
  t.strictSame(
    readers.map(({ heard }) => [heard.heads[0]?.[0], heard.body, heard.completed]),
    bodies.map((body, index) => [200 + index, body, true]),
  )
  t.end()
})

/** A random response and its body. */
function randomResponse(random: Random): { text: string; body: string; ends: boolean } {
  const upTo = (count: number) => random.integer(0, count - 1)
  const one = <T>(...all: T[]): T => random.pick(all)
  const letters = (count: number) => Array.from({ length: count }, () => String.fromCharCode(upTo(256))).join('')
  const lineEnd = one('\r\n', '\r\n', '\n')
  const body = letters(random.integer(0, 60))
  const form = one('length', 'chunks', 'close')
  const headers = Array.from({ length: random.integer(0, 5) }, () =>
    one('X-A: b', 'Vary:', 'X B : c', 'Set-Cookie: a=\x01', `X-C: d${lineEnd}\te`),
  )
  if (form === 'length') headers.unshift(`Content-Length:${one('', ' ', '\t')}${body.length}`)
  if (form === 'chunks') headers.push('transfer-encoding: chunked')
  const chunks: string[] = []
  for (let at = 0; at < body.length; ) {
    const size = 1 + upTo(9)
    const part = body.slice(at, at + size)
    chunks.push(`${one('', '0')}${part.length.toString(16)}${one('', ' ', ';a=b')}${lineEnd}${part}${lineEnd}`)
    at += size
  }
  const sent = form === 'chunks' ? `${chunks.join('')}0${lineEnd}${one('', `X: y${lineEnd}`)}${lineEnd}` : body
  const text = [`HTTP/1.${upTo(2)} 200${one('', ' ', ' OK')}`, ...headers, '', sent].join(lineEnd)
  return { text, body, ends: form !== 'close' }
}

test('random responses are read as they were built, however they are cut', t => {
  const random = new Random(29, 'responses')
  for (let i = 0; i < 3_000; i++) {
    const { text, body, ends } = randomResponse(random)
    const cuts = Array.from({ length: 3 }, () => random.integer(0, text.length)).sort((a, b) => a - b)
    const pieces = [0, ...cuts].map((from, index) => text.slice(from, cuts[index] ?? text.length))
    const { answer, heard, result } = read(pieces)
    if (!ends) answer.close()
    const isRight = heard.body === body && heard.completed && result === (ends ? 'over' : 'more')
    if (!isRight) t.fail(JSON.stringify({ text, pieces, heard, result }))
  }
  t.end()
})

test('changed bytes never make the reader throw, and bodies never have more bytes than were sent', t => {
  const random = new Random(31, 'responses')
  for (let i = 0; i < 3_000; i++) {
    const bytes = Buffer.from(randomResponse(random).text, 'latin1')
    for (let change = 0; change < 4; change++) bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255)
    const { answer, heard, result } = read([bytes.toString('latin1')])
    answer.close()
    if (heard.body.length > bytes.length || (result === 'broken') !== (answer.fault !== null)) t.fail(bytes.toString('latin1'))
  }
  t.end()
})
