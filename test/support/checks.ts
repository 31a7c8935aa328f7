// Website checks and check entries for tests. What a test does not name is usual, so a new field of the check changes no test.
import { readCheckAnswers } from '#shared/checks/check-answers.ts'
import { type HttpEntry, http, type WebsiteCheck } from '#shared/checks/http/http.ts'
import { entryOf } from '#shared/checks/registry.ts'

/** Returns a stored check: GET from the location `aaaa` every minute, which a majority of locations judges, with the delays of the settings. */
export const websiteCheck = (given: Partial<WebsiteCheck> = {}): WebsiteCheck => ({
  ...(readCheckAnswers(http, { url: 'https://example.org/', locations: ['aaaa'], interval_value: 1 }, null) as WebsiteCheck),
  content_type: 'application/json',
  failure_mode: 'majority',
  ...given,
})

/** Returns the check entry of revision 1 for such a check. */
export const checkEntry = (given: Partial<HttpEntry> = {}): HttpEntry => ({
  ...(entryOf(websiteCheck(), 1) as HttpEntry),
  ...given,
})
