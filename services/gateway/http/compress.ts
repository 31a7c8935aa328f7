// Compression of JSON for browsers: brotli or gzip, as the browser accepts. Responses to reads and previews are compressed. Responses to
// changes may contain a token, so they stay uncompressed. Streams stay uncompressed too.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export const brotli = promisify(brotliCompress)
export const gzipped = promisify(gzip)

/** Brotli quality for a response that is compressed once: 0.2 ms for a page of 5 kB. No lower quality finds distant repetitions. */
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Brotli quality for a body of few kB that is seldom requested: 2 ms for a chart of 6 kB, and a sixth smaller than `quickly`. */
const thoroughly = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

/** Length of the longest body that is compressed thoroughly: a chart of 963 kB would occupy a thread for 0.8 s. */
const thoroughBytes = 8_192

/** Returns the brotli quality for a body that is seldom requested. */
export const qualityFor = ({ length }: string) => (length <= thoroughBytes ? thoroughly : quickly)

/** Bytes below which a response is sent uncompressed: it fits into one packet. */
const leastBytes = 1_024

export function compressReads(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    const isLong = typeof payload === 'string' && payload.length >= leastBytes
    if (!isLong || !isRead(request) || reply.hasHeader('content-encoding')) return payload
    const encoding = accepts(request, 'br') ? 'br' : accepts(request, 'gzip') ? 'gzip' : null
    void reply.header('vary', 'accept-encoding')
    if (encoding === null) return payload
    void reply.header('content-encoding', encoding).removeHeader('content-length')
    return encoding === 'br' ? brotli(payload, isChart(request) ? qualityFor(payload) : quickly) : gzipped(payload)
  })
}

const isRead = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' || (routeOptions.url ?? '').endsWith('/preview')

const isChart = ({ routeOptions: { url = '' } }: FastifyRequest): boolean => url.endsWith('/values') || url.endsWith('/latency')

/** Whether the client accepts an encoding. An encoding with `q=0` is refused. */
export function accepts(request: FastifyRequest, encoding: string): boolean {
  const given = [request.headers['accept-encoding'] ?? ''].flat().join(',').toLowerCase().split(',')
  return given.some(one => {
    const [name = '', ...rest] = one.split(';').map(part => part.trim())
    return name === encoding && !rest.some(part => /^q=0(\.0*)?$/.test(part))
  })
}
