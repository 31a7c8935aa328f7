// The dialect of everything that is no API: pages, and paths of nobody. Plain text with HTTP's own statuses.
import { limits } from '#shared/limits.ts'
import type { Dialect, Refusal, UnreadableReason } from './dialect.ts'

export const plainDialect: Dialect = {
  prefixes: [],
  isKeyed: false,
  budgetMs: limits.http.answerMs,
  success: result => result,
  refuse: () => plain(404, 'Not found'),
  unreadable: reason => unreadableRefusal(reason),
}

/** A refusal in HTTP's own words, for a request that nothing is known of. */
export function unreadableRefusal(reason: UnreadableReason): Refusal {
  const [status, text] = unreadable[reason]
  return plain(status, text)
}

const unreadable: Record<UnreadableReason, [status: number, text: string]> = {
  'headers too large': [431, 'Request Header Fields Too Large'],
  late: [408, 'Request Timeout'],
  'no http': [400, 'Bad Request'],
  expectation: [417, 'Expectation Failed'],
}

const plain = (status: number, text: string): Refusal => ({ status, body: `${text}\n`, code: status, isInternal: false })
