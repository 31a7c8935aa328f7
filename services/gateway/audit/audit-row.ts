// Audit row of a request. The row contains neither the query nor a token, and the length of every value is bounded. Pure. Reference:
// docs/reference/v3.md, 11.3.

import type { AuditKind, AuditMade } from '#shared/contracts/ask/ask-audit.ts'
import { limits } from '#shared/limits/limits.ts'
import { percentDecoded } from '#shared/net/url-credentials.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { cut, firstCharacters } from '#shared/text/plain-text.ts'
import { looksLikeAddressToken } from '#shared/tokens/address-token.ts'
import { holdsToken } from '#shared/tokens/api-token.ts'
import { workspaceInPath } from '#shared/tokens/audited-path.ts'
import { roleIn } from '../callers/access.ts'
import type { LetIn } from './let-in.ts'

const { pathCharacters, userAgentCharacters } = limits.audit

interface Answered {
  letIn: LetIn
  method: string
  /** Target of the request, as sent in the request line. */
  url: string
  userAgent: string | undefined
  status: number
  isObservation: boolean
}

export interface AuditRow extends AuditKind {
  /** Instant of the row, ms since the epoch. */
  at: number
  /** Id of the workspace. Null: the path names no workspace, or the caller is not a member of the workspace. */
  workspaceId: string | null
  path: string
  isObservation: boolean
  made: AuditMade | null
}

/** Returns the row of a request. `at`: instant when the response was ready, ms since the epoch. */
export function auditRow(answered: Answered, at: number): AuditRow {
  const { letIn, method, url, userAgent = '', status, isObservation } = answered
  const { person, key, address, destination } = letIn
  const end = url.search(/[?#]/)
  const path = end < 0 ? url : url.slice(0, end)
  return {
    at,
    workspaceId: letIn.workspaceId ?? workspaceOf(person, path),
    personId: person?.userId ?? null,
    personName: person?.displayName ?? null,
    keyId: key?.id ?? null,
    keyPrefix: key?.prefix ?? null,
    addressId: address?.id ?? null,
    ...(destination === null ? {} : { destinationId: destination.id }),
    method,
    path: cut(withoutTokens(path), pathCharacters),
    status,
    userAgent: userAgent === '' ? null : firstCharacters(redactedText(userAgent), userAgentCharacters),
    isObservation: isObservation || address !== null,
    made: letIn.made,
  }
}

/**
 * Returns the id of the workspace in the path if the caller is a member, else null. To other callers the workspace must seem not to exist.
 */
function workspaceOf(person: LetIn['person'], path: string): string | null {
  const named = workspaceInPath(path)
  if (named === null || person === null) return null
  const workspaceId = percentDecoded(named)
  return roleIn(person, workspaceId) === null ? null : workspaceId
}

/**
 * Hides secrets in a path. The segment after `/in/` is hidden, because it is the token of an Observation address, and that after `/a/`, the
 * token of an acknowledge link. Every segment that contains an API key or looks like the token of an address is hidden too.
 */
function withoutTokens(path: string): string {
  const prefix = tokenPaths.find(one => path.startsWith(one))
  if (prefix !== undefined) return `${prefix}${hidden}`
  if (!mayHoldSecret.test(path)) return path
  return path
    .split('/')
    .map(part => (isSecret(percentDecoded(part)) ? hidden : part))
    .join('/')
}

/** Matches every path that has a secret segment, and a few paths without one. One match is faster than a test of each segment. */
const mayHoldSecret = /%|wk_|\/[0-9A-Za-z_-]{43}(?:\/|$)/
const hidden = '…'
const tokenPaths = ['/in/', '/a/']
const isSecret = (part: string): boolean => looksLikeAddressToken(part) || holdsToken(part)
