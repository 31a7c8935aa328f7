// Icon of every page. Browsers request /favicon.ico on their own, even when they show a JSON document.
import type { FastifyInstance, FastifyReply } from 'fastify'

const eye = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path d="M2 16c4-7 9-10 14-10s10 3 14 10c-4 7-9 10-14 10S6 23 2 16z" fill="#1f2937"/>
<circle cx="16" cy="16" r="6" fill="#2eb887"/><circle cx="18" cy="14" r="2" fill="#fff"/>
</svg>
`

/** The icon as a data URL, so that a page needs no further request. */
export const iconAddress = `data:image/svg+xml,${eye.replaceAll('\n', '').replaceAll('"', "'").replaceAll('#', '%23').replaceAll('<', '%3C').replaceAll('>', '%3E')}`

/** Sends the icon, an SVG. The SVG is also sent for /favicon.ico, because browsers rely on the content type, not on the file name. */
export const sendIcon = (reply: FastifyReply): FastifyReply =>
  reply.type('image/svg+xml').header('cache-control', 'public, max-age=3600').send(eye)

export function iconRoute(fastify: FastifyInstance): void {
  fastify.get('/favicon.ico', (_request, reply) => sendIcon(reply))
}
