// All routes of generation 2, in the order of the OpenAPI document. The routes for one kind of object are in one file.
import type { Route } from '../http/route.ts'
import { listDeliveries } from './delivery-log.ts'
import { deliveryTableRoutes } from './delivery-tables.ts'
import { destinationRoutes } from './destinations.ts'
import { listLocations, listWorkspaces } from './general.ts'
import { listIncidents } from './incidents.ts'
import { customSubjectRoutes } from './subjects/routes.ts'
import { transformationRoutes } from './transformations.ts'
import { websiteRoutesOfV2 } from './websites.ts'

export const v2Routes: readonly Route[] = [
  listWorkspaces,
  listLocations,
  ...websiteRoutesOfV2,
  listIncidents,
  ...customSubjectRoutes,
  ...deliveryTableRoutes,
  ...destinationRoutes,
  ...transformationRoutes,
  listDeliveries,
]
