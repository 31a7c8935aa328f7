// A website monitor as generation 2 answers it, with exactly the fields that spec A lists.
import type { WebsiteView } from '#shared/contracts/subject-views.ts'
import { settingsObject } from '../website/settings-object.ts'
import { agreementOf } from './website-body.ts'

export const websiteObject = (website: WebsiteView, namesOf: (ids: readonly string[]) => string[]) => ({
  ...settingsObject(website, 'website_monitor'),
  locations: namesOf(website.check.locations),
  agreement: agreementOf(website.check.failure_mode),
  kind: 'website_monitor',
})
