// A request as the audit keeps it: no query, no token, everything within bounds. Pure. Rule: docs/reference/v3.md, 11.3.
import { looksLikeAddressToken } from '#shared/address-token.ts'
import { holdsToken } from '#shared/api-token.ts'
import { workspaceInPath } from '#shared/audited-path.ts'
import type { AuditRow } from '#shared/contracts/ask-audit.ts'
import { limits } from '#shared/limits.ts'
import { cut, firstCharacters } from '#shared/plain-text.ts'
import { percentDecoded } from '#shared/url-credentials.ts'
import { roleIn } from '../access.ts'
import type { LetIn } from './let-in.ts'

const { pathCharacters, userAgentCharacters } = limits.audit

interface Answered {
  letIn: LetIn
  method: string
  /** As it stood in the request line. */
  url: string
  userAgent: string | undefined
  status: number
  isObservation: boolean
}

/** `at`: ms since the epoch. `order`: see `AuditRow`. */
export function auditRow(answered: Answered, at: number, order: string): AuditRow {
  const { letIn, method, url, userAgent = '', status, isObservation } = answered
  const { person, key, address } = letIn
  const path = url.split(/[?#]/, 1)[0] as string
  return {
    at,
    order,
    workspaceId: letIn.workspaceId ?? workspaceOf(person, path),
    personId: person?.userId ?? null,
    personName: person?.displayName ?? null,
    keyId: key?.id ?? null,
    keyPrefix: key?.prefix ?? null,
    addressId: address?.id ?? null,
    method,
    path: cut(withoutTokens(path), pathCharacters),
    status,
    userAgent: userAgent === '' ? null : firstCharacters(userAgent, userAgentCharacters),
    isObservation: isObservation || address !== null,
  }
}

/** The workspace of the path, for its members alone: to everybody else it does not exist. */
function workspaceOf(person: LetIn['person'], path: string): string | null {
  const named = workspaceInPath(path)
  if (named === null || person === null) return null
  const workspaceId = percentDecoded(named)
  return roleIn(person, workspaceId) === null ? null : workspaceId
}

/** Hides the part after `/in/`, which is an address, and every part that holds an API key or looks like an address. */
function withoutTokens(path: string): string {
  if (path.startsWith(addressPath)) return `${addressPath}${hidden}`
  return path
    .split('/')
    .map(part => (isSecret(percentDecoded(part)) ? hidden : part))
    .join('/')
}

const hidden = '…'
const addressPath = '/in/'
const isSecret = (part: string): boolean => looksLikeAddressToken(part) || holdsToken(part)
