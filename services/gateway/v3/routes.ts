// Every route of generation 3, one file a noun.
import type { Route } from '../route.ts'
import { addressRoutes } from './addresses.ts'
import { auditRoutes } from './audit.ts'
import { destinationRoutes } from './destinations.ts'
import { generalRoutes } from './general.ts'
import { incidentRoutes } from './incidents.ts'
import { lifecycleRoutes } from './lifecycle.ts'
import { observationLogRoutes } from './observation-log.ts'
import { observationRoutes } from './observations.ts'
import { overviewRoutes } from './overview.ts'
import { previewRoutes } from './preview.ts'
import { resourceRoutes } from './resources.ts'
import { templateRoutes } from './templates.ts'

export const v3Routes: readonly Route[] = [
  ...generalRoutes,
  ...templateRoutes,
  ...previewRoutes,
  ...resourceRoutes,
  ...lifecycleRoutes,
  ...observationRoutes,
  ...observationLogRoutes,
  ...incidentRoutes,
  ...overviewRoutes,
  ...destinationRoutes,
  ...addressRoutes,
  ...auditRoutes,
]
