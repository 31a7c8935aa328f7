// A website monitor as generation 2 returns it, with exactly the fields of reference/website-monitors 2.2.
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { settingsObject } from '../website/settings-object.ts'
import { agreementOf } from './website-body.ts'

export const websiteObject = (website: WebsiteView, namesOf: (ids: readonly string[]) => string[]) => ({
  ...settingsObject(website, 'website_monitor'),
  locations: namesOf(website.check.locations),
  agreement: agreementOf(website.check.failure_mode),
  kind: 'website_monitor',
})
