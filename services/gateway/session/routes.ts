// All routes of the session API, in the order of the OpenAPI document. The routes for one kind of object are in one file.
import type { Route } from '../http/route.ts'
import { destinationSecretRoutes } from './destination-secrets.ts'
import { keyRoutes } from './keys.ts'
import { incidentRecordRoutes } from './monitors/incident-records.ts'
import { machineFileRoutes } from './monitors/machine-files.ts'
import { maintenanceRoutes } from './monitors/maintenance.ts'
import { monitorPageRoutes } from './monitors/monitor-page.ts'
import { observationLogRoutes } from './monitors/observation-log.ts'
import { ruleTrialRoutes } from './monitors/rule-trials.ts'
import { subjectRoutes } from './monitors/subjects.ts'
import { templateUseRoutes } from './monitors/template-uses.ts'
import { oidcRoutes } from './oidc/oidc-routes.ts'
import { passwordRoutes } from './passwords.ts'
import { signInRoutes } from './sign-in.ts'
import { whoAmIRoutes } from './who-am-i.ts'

export const sessionRoutes: readonly Route[] = [
  ...signInRoutes,
  ...oidcRoutes,
  ...whoAmIRoutes,
  ...passwordRoutes,
  ...keyRoutes,
  ...incidentRecordRoutes,
  ...machineFileRoutes,
  ...monitorPageRoutes,
  ...observationLogRoutes,
  ...maintenanceRoutes,
  ...subjectRoutes,
  ...ruleTrialRoutes,
  ...destinationSecretRoutes,
  ...templateUseRoutes,
]
