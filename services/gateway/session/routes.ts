// Every route of the session API, one file a noun, in the order in which the document tells them.
import type { Route } from '../route.ts'
import { keyRoutes } from './keys.ts'
import { locationRoutes } from './locations.ts'
import { maintenanceRoutes } from './maintenance.ts'
import { memberRoutes } from './members.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { proberCredentialRoutes } from './prober-credentials.ts'
import { signInRoutes } from './sign-in.ts'
import { subjectRoutes } from './subjects.ts'
import { userRoutes } from './users.ts'
import { whoAmIRoutes } from './who-am-i.ts'
import { workspaceRoutes } from './workspaces.ts'

export const sessionRoutes: readonly Route[] = [
  ...signInRoutes,
  ...oidcRoutes,
  ...whoAmIRoutes,
  ...keyRoutes,
  ...workspaceRoutes,
  ...memberRoutes,
  ...maintenanceRoutes,
  ...subjectRoutes,
  ...userRoutes,
  ...locationRoutes,
  ...proberCredentialRoutes,
]
