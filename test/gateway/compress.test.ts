// Compression of responses to reads: quality by the route and the length of the body.
import { brotliCompressSync, constants } from 'node:zlib'
import Fastify from 'fastify'
import t from 'tap'
import { compressReads } from '../../services/gateway/http/compress.ts'

const compressed = (text: string, quality: number) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length

t.test('chart of up to 8,192 characters is compressed with quality 10, and a longer chart or a list with quality 5', async t => {
  const fastify = Fastify()
  compressReads(fastify)
  const bodyOf = (length: number) => Array.from({ length }, (_, n) => String.fromCharCode(97 + ((n * n) % 23))).join('')
  for (const path of ['/:length/values', '/:length/latency', '/:length/list'])
    fastify.get<{ Params: { length: string } }>(path, ({ params }) => bodyOf(Number(params.length)))
  for (const [path, quality] of [
    ['/8192/values', 10],
    ['/8192/latency', 10],
    ['/8193/values', 5],
    ['/8192/list', 5],
  ] as const) {
    const { rawPayload } = await fastify.inject({ url: path, headers: { 'accept-encoding': 'br' } })
    const body = bodyOf(Number.parseInt(path.slice(1), 10))
    t.not(compressed(body, 10), compressed(body, 5), 'the lengths can tell the qualities apart')
    t.equal(rawPayload.length, compressed(body, quality), path)
  }
  await fastify.close()
})
