// Compression of JSON for browsers, by brotli or gzip, depending on what the browser accepts. Responses to reads and previews are
// compressed. Responses to changes stay uncompressed, because they may contain a token. Streams stay uncompressed too.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export const brotli = promisify(brotliCompress)
export const gzipped = promisify(gzip)

/**
 * Brotli quality for a response that is sent once. Compressing a page of 5 kB takes 0.2 ms. Lower qualities do not find repetitions that
 * are far apart.
 */
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/**
 * Brotli quality for a body of a few kB that is seldom requested. Compressing a chart of 6 kB takes 2 ms, and the result is a sixth smaller
 * than with `quickly`.
 */
const thoroughly = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

/** Maximum length of a body that is compressed with `thoroughly`. With that quality, a chart of 963 kB would occupy a thread for 0.8 s. */
const thoroughBytes = 8_192

/** Returns the brotli quality for a body that is seldom requested. */
export const qualityFor = ({ length }: string) => (length <= thoroughBytes ? thoroughly : quickly)

/** Responses shorter than this are sent uncompressed, because they fit into one network packet. */
const leastBytes = 1_024

/** Compresses responses of the plugin's routes. `isFor`: whether the responses to a request are compressed at all. */
export function compressReads(fastify: FastifyInstance, isFor: (request: FastifyRequest) => boolean = () => true): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isLong = typeof payload === 'string' && payload.length >= leastBytes
    if (!isLong || !isFor(request) || !isRead(request) || reply.hasHeader('content-encoding')) return done(null, payload)
    compressed(request, reply, payload).then(
      body => done(null, body),
      error => done(error),
    )
  })
}

async function compressed(request: FastifyRequest, reply: FastifyReply, payload: string): Promise<string | Buffer> {
  const encoding = accepts(request, 'br') ? 'br' : accepts(request, 'gzip') ? 'gzip' : null
  void reply.header('vary', 'accept-encoding')
  if (encoding === null) return payload
  void reply.header('content-encoding', encoding).removeHeader('content-length')
  return encoding === 'br' ? brotli(payload, isChart(request) ? qualityFor(payload) : quickly) : gzipped(payload)
}

const isRead = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' || (routeOptions.url ?? '').endsWith('/preview')

const isChart = ({ routeOptions: { url = '' } }: FastifyRequest): boolean => url.endsWith('/values') || url.endsWith('/latency')

/** Whether the client accepts an encoding. An encoding with `q=0` is not accepted. */
export function accepts(request: FastifyRequest, encoding: string): boolean {
  const given = [request.headers['accept-encoding'] ?? ''].flat().join(',').toLowerCase().split(',')
  return given.some(one => {
    const [name = '', ...rest] = one.split(';').map(part => part.trim())
    return name === encoding && !rest.some(part => /^q=0(\.0*)?$/.test(part))
  })
}
