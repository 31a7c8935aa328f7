// /api/openapi: documents of the three generations and the session API, and a page to browse them. The documents are public: they contain
// no data of an installation, and a browser sends no key when it opens the page.
import { createReadStream } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { once } from '#shared/async/once.ts'
import type { GatewayOptions, Legacy } from '../gateway-options.ts'
import { sendIcon } from '../http/icon.ts'
import { type DocumentName, page, pagePolicy, startScript } from './page.ts'

const assets = join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui/package.json'))), 'static')

/** A Fastify plugin for `/api/openapi`, outside the routes that require a key. */
export const openApiRoutes =
  ({ version, legacy = 'serve' }: Pick<GatewayOptions, 'version' | 'legacy'>) =>
  async (fastify: FastifyInstance) => {
    fastify.addHook('onRequest', (_request, reply, done) => {
      reply.headers({
        'content-security-policy': pagePolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      done()
    })
    const names = documentsOf[legacy]
    for (const name of names) {
      const make = documents[name]
      const text = once(async () => JSON.stringify(await make(version), null, 2))
      fastify.get(`/${name}.json`, async (_request, reply) => sendText(reply, 'application/json', await text()))
    }
    fastify.get('', (_request, reply) => reply.redirect('openapi/'))
    fastify.get('/', { prefixTrailingSlash: 'slash' }, (_request, reply) => sendText(reply, 'text/html', page(names)))
    fastify.get('/icon.svg', (_request, reply) => sendIcon(reply))
    fastify.get('/start.js', (_request, reply) => sendText(reply, 'text/javascript', startScript(names)))
    fastify.get('/swagger-ui-bundle.js', (_request, reply) => sendAsset(reply, 'text/javascript', 'swagger-ui-bundle.js'))
    fastify.get('/swagger-ui.css', (_request, reply) => sendAsset(reply, 'text/css', 'swagger-ui.css'))
  }

/** Served documents by the value of API_LEGACY. The first document is shown if the browser requests none. */
const documentsOf: Readonly<Record<Legacy, readonly DocumentName[]>> = {
  serve: ['v3', 'v2', 'v1', 'session'],
  gone: ['v3', 'session'],
}

/** Loaders of the documents. The code for documents is loaded at the first request, because most installations never need it. */
const documents: Readonly<Record<DocumentName, (version: string) => Promise<object>>> = {
  v1: version => classicDocument('v1', version),
  v2: version => classicDocument('v2', version),
  v3: async version => (await import('./v3-document.ts')).v3Document(version),
  session: async version => (await import('./session-document.ts')).sessionDocument(version),
}

async function classicDocument(name: 'v1' | 'v2', version: string): Promise<object> {
  const [{ openApiDocument }, { generations }] = await Promise.all([import('./document.ts'), import('./generations.ts')])
  return openApiDocument(generations[name], version)
}

const sendText = (reply: FastifyReply, type: string, text: string): FastifyReply =>
  reply.type(`${type}; charset=utf-8`).header('cache-control', 'no-cache').send(text)

const sendAsset = (reply: FastifyReply, type: string, name: string): FastifyReply =>
  reply
    .type(`${type}; charset=utf-8`)
    .header('cache-control', 'public, max-age=3600')
    .send(createReadStream(join(assets, name)))
