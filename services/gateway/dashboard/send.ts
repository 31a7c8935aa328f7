// Responses with pages and assets. They are compressed if the browser accepts a compression. Browsers cache assets without revalidation.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { accepts, brotli, gzipped, qualityFor } from '../http/compress.ts'
import { sayNothingOfConnection } from '../http/persistent.ts'
import type { Asset } from './assets.ts'
import { pageHeaders } from './page.ts'

export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  html: string,
): Promise<FastifyReply> {
  sayNothingOfConnection(reply)
  void reply.code(status).headers(pageHeaders).header('vary', 'accept-encoding')
  if (accepts(request, 'br')) return reply.header('content-encoding', 'br').send(await brotli(html, qualityFor(html)))
  if (accepts(request, 'gzip')) return reply.header('content-encoding', 'gzip').send(await gzipped(html))
  return reply.send(html)
}

/** Sends an asset. An asset with new content gets a new name, so browsers never revalidate an asset and no ETag is needed. */
export function sendAsset(request: FastifyRequest, reply: FastifyReply, { type, body, brotli: small }: Asset): FastifyReply {
  sayNothingOfConnection(reply)
  void reply.headers({
    'cache-control': 'max-age=31536000, immutable',
    'content-type': type,
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  })
  if (small !== null && accepts(request, 'br')) return reply.header('content-encoding', 'br').send(small)
  return reply.send(body)
}
