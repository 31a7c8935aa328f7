// Parser of an HTTP response, with every division of the response into packets.
import { test } from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { Answer, type Parsed } from '../../services/prober/checks/http/answer.ts'

interface Heard {
  starts: number
  heads: [number, string][]
  body: string
  completed: boolean
}

/** Parses the pieces. After each head, the reader continues only if `wanted` returns true. */
function read(pieces: readonly string[], { method = 'GET', wanted = () => true as boolean } = {}) {
  const heard: Heard = { starts: 0, heads: [], body: '', completed: false }
  const answer: Answer = new Answer(method, {
    onAnswerStart: () => {
      heard.starts++
    },
    onHead: (statusCode, encoding) => {
      heard.heads.push([statusCode, encoding])
      if (!wanted()) answer.free()
      return wanted()
    },
    onBody: bytes => {
      heard.body += bytes.toString('latin1')
      return true
    },
    onComplete: () => {
      heard.completed = true
      answer.free()
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
      t.strictSame(heard, { starts: 1, heads: [head], body, completed: true }, `cut at ${cut}`)
      answer.free()
    }
    const { heard } = read([...text], method === undefined ? {} : { method })
    t.equal(heard.body, body, 'byte for byte')
    t.end()
  })
}

test('response in chunks of one byte is parsed', t => {
  const chunks = '1\r\nx\r\n'.repeat(10_000)
  const { answer, heard, result } = read([
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    ...Array<string>(20).fill(chunks),
    '0\r\n\r\n',
  ])
  t.equal(result, 'over')
  t.equal(heard.body.length, 200_000)
  answer.free()
  t.end()
})

test('interim response precedes the response and adds no header to it', t => {
  const { answer, heard, result } = read([
    'HTTP/1.1 103 Early Hints\r\ncontent-encoding: gzip\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
  ])
  t.equal(result, 'over')
  t.strictSame(heard, {
    starts: 2,
    heads: [
      [103, 'gzip'],
      [200, ''],
    ],
    body: 'ok',
    completed: true,
  })
  answer.free()
  t.end()
})

test('parser stops when the reader wants no more, and ignores the bytes that it already has', t => {
  const text = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  const { answer, heard, result } = read([text, text], { wanted: () => false })
  t.equal(result, 'over')
  t.strictSame(heard, { starts: 1, heads: [[200, '']], body: '', completed: false })
  t.equal(answer.read(Buffer.from(text)), 'over', 'nor read any more')
  t.notOk(answer.close())
  t.end()
})

const wrong: { name: string; text: string; result: Parsed }[] = [
  { name: 'another protocol', text: 'SSH-2.0-OpenSSH_9.9\r\n', result: 'not HTTP' },
  { name: 'a request', text: 'GET / HTTP/1.1\r\n\r\n', result: 'not HTTP' },
  { name: 'HTTP/2 in the clear', text: '\0\0\u0012\u0004\0\0\0\0\0', result: 'not HTTP' },
  { name: 'a status of four digits', text: 'HTTP/1.1 2000 OK\r\n\r\n', result: 'not HTTP' },
  { name: 'two lengths', text: 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', result: 'not HTTP' },
  { name: 'a length that is none', text: 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n', result: 'not HTTP' },
  {
    name: 'a length beside chunks',
    text: 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    result: 'not HTTP',
  },
  { name: 'a header cut by a NUL', text: 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n', result: 'not HTTP' },
  {
    name: 'headers at the limit',
    text: `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(limits.check.headerBytes)}\r\n\r\n`,
    result: 'headers too large',
  },
]

for (const { name, text, result } of wrong) {
  test(`refused: ${name}`, t => {
    const { answer, heard, result: found } = read([text])
    t.equal(found, result)
    t.strictSame(heard.heads, [])
    t.notOk(answer.close(), 'and it cannot end well')
    answer.free()
    t.end()
  })
}

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
