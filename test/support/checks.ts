// Website checks and check entries for tests. What a test does not name is usual, so a new field of the check changes no test.
import { readCheckAnswers } from '#shared/checks/check-answers.ts'
import { type HttpEntry, http } from '#shared/checks/http/http.ts'
import { entryOf } from '#shared/checks/registry.ts'
import { type WebsiteCheck, type WebsiteEntry, website } from '#shared/checks/website/website.ts'

/** Returns a stored check: GET from the location `aaaa` every minute, which a majority of locations judges, with the delays of the settings. */
export const websiteCheck = (given: Partial<WebsiteCheck> = {}): WebsiteCheck => ({
  ...(readCheckAnswers(website, { url: 'https://example.org/', locations: ['aaaa'], interval_value: 1 }, null) as WebsiteCheck),
  content_type: 'application/json',
  failure_mode: 'majority',
  ...given,
})

/** Returns the check entry of revision 1 for such a check. */
export const checkEntry = (given: Partial<WebsiteEntry> = {}): WebsiteEntry => ({
  ...(entryOf(websiteCheck(), 1) as WebsiteEntry),
  ...given,
})

/** Returns the check entry of a check with the options of the kind `http`, which fit its fields. */
export const httpCheckEntry = (url: string, options: Readonly<Record<string, unknown>> = {}): HttpEntry =>
  entryOf(readCheckAnswers(http, { url, locations: ['aaaa'], ...options }, null), 1) as HttpEntry
