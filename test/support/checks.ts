// Website checks and check entries for tests. What a test does not name is usual, so a new field of the check changes no test.
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { WebsiteCheck } from '#shared/contracts/subjects/website.ts'
import { readWebsiteAnswers } from '#shared/manifest/website-answers.ts'
import { entryOf } from '../../services/keeper/step/commands/subject-commands.ts'

/** Returns a stored check: GET from the location `aaaa` every minute, which a majority of locations judges, with the delays of the settings. */
export const websiteCheck = (given: Partial<WebsiteCheck> = {}): WebsiteCheck => ({
  ...readWebsiteAnswers({ url: 'https://example.org/', locations: ['aaaa'], interval_value: 1 }, null),
  content_type: 'application/json',
  failure_mode: 'majority',
  ...given,
})

/** Returns the check entry of revision 1 for such a check. */
export const checkEntry = (given: Partial<CheckEntry> = {}): CheckEntry => ({ ...entryOf(websiteCheck(), 1), ...given })
