// The generations that are documented, each with all its routes.
import { customSubjects, incidentsOfSubjects, signalsOfSubjects } from './custom-subjects.ts'
import { deliveryTables } from './delivery-tables.ts'
import type { Generation } from './document.ts'
import { generalOfV1, generalOfV2 } from './general.ts'
import { deliveryLog, destinations, transformations } from './notifications.ts'
import { rulesOfSubjects } from './subject-rules.ts'
import { webhooks } from './webhooks.ts'
import { websitesOfV1, websitesOfV2 } from './websites.ts'

const envelope = 'Every answer is HTTP 200 with `{ result, error, meta }`: look at `error`, branch on its `code`.'

export const generations: Record<'v1' | 'v2', Generation> = {
  v1: {
    title: 'Watchkeeper API, generation 1',
    description: `Frozen and still served: it says regions and rules where generation 2 says locations and monitors. ${envelope}`,
    routes: { ...generalOfV1, ...websitesOfV1 },
  },
  v2: {
    title: 'Watchkeeper API, generation 2',
    description: `Website monitors, custom subjects and notifications. ${envelope}`,
    routes: {
      ...generalOfV2,
      ...websitesOfV2,
      ...customSubjects,
      ...signalsOfSubjects,
      ...rulesOfSubjects,
      ...incidentsOfSubjects,
      ...deliveryTables,
      ...destinations,
      ...transformations,
      ...deliveryLog,
    },
    webhooks,
  },
}
