// Dialect of pages and of unknown paths outside the API. Its refusals are plain text with HTTP statuses.
import { limits } from '#shared/limits/limits.ts'
import type { Dialect, Refusal, UnreadableReason } from './dialect.ts'

export const plainDialect: Dialect = {
  prefixes: [],
  isKeyed: false,
  budgetMs: limits.http.answerMs,
  success: result => result,
  refuse: () => plain(404, 'Not found'),
  unreadable: reason => unreadableRefusal(reason),
}

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
