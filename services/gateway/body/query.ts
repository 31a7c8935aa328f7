// Reader of query parameters. If a parameter is repeated, the first value is used. A parameter with an empty value counts as absent.
import type { FastifyRequest } from 'fastify'

export function queryText(request: FastifyRequest, name: string): string | null {
  const query = request.query as Record<string, string | string[] | undefined>
  const given = Object.hasOwn(query, name) ? query[name] : undefined
  const first = Array.isArray(given) ? given[0] : given
  return first === undefined || first === '' ? null : first
}
