// /v2/monitoring/websites: website monitors in generation 2.
import { Type } from 'typebox'
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { limits } from '#shared/limits/limits.ts'
import { requireMember } from '../callers/access.ts'
import { inWorkspaceExample, slowerExample, websiteExample } from '../website/example.ts'
import type { WebsiteFamily } from '../website/family.ts'
import { websiteRoutes } from '../website/routes.ts'
import { MonitorObject, settingsObject } from '../website/settings-object.ts'
import type { ClassicRefusal } from './classic-route.ts'
import { accessDenied, invalid, missingWorkspace } from './refusals.ts'
import { agreementOf, CreateWebsiteBody, readWebsite, UpdateWebsiteBody } from './website-body.ts'

/** Returns a monitor in the form of responses, with exactly the fields of reference/website-monitors 2.2. */
const websiteObject = (website: WebsiteView, namesOf: (ids: readonly string[]) => string[]) => ({
  ...settingsObject(website, 'website_monitor'),
  locations: namesOf(website.check.locations),
  agreement: agreementOf(website.check.failure_mode),
  kind: 'website_monitor',
})

export const ofWebsite: readonly ClassicRefusal[] = [
  '2002 Website monitor not found',
  '2004 Custom subjects are managed elsewhere',
]

const wholeMinutes = `Whole minutes, ${limits.website.intervalSecondsMin} to ${limits.website.intervalSecondsMax} s.`

export const websiteMonitors: WebsiteFamily = {
  path: '/monitoring/websites',
  idPart: 'id',
  idField: 'monitor_id',
  placeField: 'locations',
  placeWord: 'location',
  notFound: { message: 'Website monitor not found', details: 'Website monitor does not exist or access denied' },
  deletedMessage: 'Website monitor deleted successfully',
  bodies: { create: CreateWebsiteBody, update: UpdateWebsiteBody },
  result: MonitorObject('WebsiteMonitor', 'website_monitor', {
    locations: Type.Array(Type.String()),
    agreement: Type.Enum(['any', 'majority', 'all']),
  }),
  words: {
    list: { summary: 'The website monitors of a workspace.', refusals: [missingWorkspace, accessDenied] },
    create: {
      summary: 'Stores a website monitor, which is checked from then on.',
      more: `Locations are names; with none, nothing is checked. Without an agreement it is \`majority\`. ${wholeMinutes}`,
      refusals: [invalid, '2001 Name used too often', '2001 invalid locations', '2001 invalid agreement', accessDenied],
      examples: [{ ...websiteExample, ...inWorkspaceExample, locations: ['local'], agreement: 'majority' }],
    },
    get: { summary: 'A website monitor.', refusals: ofWebsite },
    update: {
      summary: 'Replaces a website monitor wholly.',
      more: 'What is left out is not kept, but for the agreement; `workspace_id` is ignored.',
      refusals: [invalid, '2001 invalid locations', '2001 invalid agreement', accessDenied, ...ofWebsite],
      examples: [{ ...slowerExample, locations: ['local'] }],
    },
    delete: {
      summary: 'Removes a website monitor with its subject, signal, rule and history.',
      refusals: [accessDenied, ...ofWebsite],
    },
  },
  read: readWebsite,
  object: websiteObject,
  requireListable: (_context, { request }, workspaceId) => requireMember(request.identity, workspaceId),
}

export const websiteRoutesOfV2 = websiteRoutes(websiteMonitors)
