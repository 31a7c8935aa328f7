// A website monitor as generation 1 returns it: a rule with regions and without an agreement.
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { settingsObject } from '../website/settings-object.ts'

export const ruleObject = (website: WebsiteView, namesOf: (ids: readonly string[]) => string[]) => ({
  ...settingsObject(website, 'rule'),
  regions: namesOf(website.check.locations),
  kind: 'rule',
})
