// All routes of generation 3. The routes for one kind of object are in one file.
import type { Route } from '../http/route.ts'
import { healthRoutes } from './administration/health.ts'
import { locationRoutes } from './administration/locations.ts'
import { proberCredentialRoutes } from './administration/prober-credentials.ts'
import { userRoutes } from './administration/users.ts'
import { auditRoutes } from './audit.ts'
import { channelRoutes } from './channels.ts'
import { checkRoutes } from './checks.ts'
import { configurationRoutes } from './configuration.ts'
import { deliveryLogRoutes } from './delivery-log.ts'
import { destinationRoutes } from './destinations.ts'
import { eventRoutes } from './event-stream.ts'
import { generalRoutes } from './general.ts'
import { incidentRoutes } from './incidents/incidents.ts'
import { chartRoutes } from './monitors/charts.ts'
import { figuresRoutes } from './monitors/figures.ts'
import { rosterRoutes } from './monitors/roster.ts'
import { addressRoutes } from './observations/addresses.ts'
import { observationLogRoutes } from './observations/observation-log.ts'
import { observationRoutes } from './observations/observations.ts'
import { invitationRoutes } from './people/invitations.ts'
import { memberRoutes } from './people/members.ts'
import { workspaceRoutes } from './people/workspaces.ts'
import { pingAddressRoutes } from './pings/ping-addresses.ts'
import { pingKeyRoutes } from './pings/ping-keys.ts'
import { lifecycleRoutes } from './resources/lifecycle.ts'
import { overviewRoutes } from './resources/overview.ts'
import { resourceRoutes } from './resources/resources.ts'
import { tryRoutes } from './resources/try.ts'
import { previewRoutes } from './templates/preview.ts'
import { templateRoutes } from './templates/templates.ts'

export const v3Routes: readonly Route[] = [
  ...generalRoutes,
  ...workspaceRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...templateRoutes,
  ...previewRoutes,
  ...resourceRoutes,
  ...lifecycleRoutes,
  ...observationRoutes,
  ...observationLogRoutes,
  ...incidentRoutes,
  ...overviewRoutes,
  ...rosterRoutes,
  ...figuresRoutes,
  ...chartRoutes,
  ...eventRoutes,
  ...checkRoutes,
  ...tryRoutes,
  ...channelRoutes,
  ...destinationRoutes,
  ...deliveryLogRoutes,
  ...addressRoutes,
  ...pingAddressRoutes,
  ...pingKeyRoutes,
  ...auditRoutes,
  ...configurationRoutes,
  ...userRoutes,
  ...locationRoutes,
  ...proberCredentialRoutes,
  ...healthRoutes,
]
