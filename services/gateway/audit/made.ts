// What a request made, for its audit row: kind, id and name of the object in the route's result.
import type { FastifyRequest } from 'fastify'
import type { AuditMade } from '#shared/contracts/ask/ask-audit.ts'
import { limits } from '#shared/limits/limits.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import type { Route } from '../http/route.ts'

const { madeCharacters } = limits.audit

/** Notes on the request what its route made. Does nothing if the route makes nothing, or if the audit does not watch the request. */
export function noteMade({ letIn }: FastifyRequest, { makes }: Route, result: unknown): void {
  if (letIn !== null && makes !== undefined) letIn.made = madeOf(makes, result)
}

/**
 * Returns the object of a result. The members that may be its id and its name are listed here by name, so that a new member, such as a
 * secret, is never recorded. Null: the result has no id.
 */
function madeOf(kind: AuditMade['kind'], result: unknown): AuditMade | null {
  const { id, user_id, key, version, name, username, prefix, description } = (result ?? {}) as Record<string, unknown>
  const isRevision = kind === 'template'
  const shownId = isRevision ? `${key}@${version}` : (id ?? user_id)
  if (typeof shownId !== 'string' && typeof shownId !== 'number') return null
  const shownName = [name, username, prefix, description].find(text => typeof text === 'string') as string | undefined
  return { kind, id: firstCharacters(String(shownId), madeCharacters), name: firstCharacters(shownName ?? '', madeCharacters) }
}
