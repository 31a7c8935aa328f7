// The dialect of the session API: plain JSON with HTTP's own statuses.
import { limits } from '#shared/limits.ts'
import type { Dialect } from '../dialect.ts'
import { fromFramework } from '../framework-error.ts'
import { unreadableRefusal } from '../plain-dialect.ts'
import { sessionRefusal } from './session-error.ts'

export const sessionDialect: Dialect = {
  prefixes: ['/session'],
  isKeyed: false,
  budgetMs: limits.http.answerMs,
  success: result => result,
  refuse: error => sessionRefusal(fromFramework(error, 'The request is malformed.')),
  unreadable: unreadableRefusal,
}
