// All routes of reference/custom-subjects except the delivery table. The routes for one kind of object are in one file.
import type { Route } from '../../http/route.ts'
import { subjectIncidentRoutes } from './incidents.ts'
import { maintenanceRoutes } from './maintenance.ts'
import { reportObservation } from './observations.ts'
import { ruleRoutes } from './rules.ts'
import { signalRoutes } from './signals.ts'
import { subjectRoutes } from './subjects.ts'

export const customSubjectRoutes: readonly Route[] = [
  ...subjectRoutes,
  ...signalRoutes,
  reportObservation,
  ...ruleRoutes,
  ...subjectIncidentRoutes,
  ...maintenanceRoutes,
]
