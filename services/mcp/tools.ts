// Records of all tools, and the choice of the tools that a key may see. The list of tools, the table in docs/mcp.md and the tests are made
// from these records.
import type { KeyInfo, Tool } from './tool.ts'
import { configurationTools } from './tools/configuration.ts'
import { destinationTools } from './tools/destinations.ts'
import { incidentTools } from './tools/incidents.ts'
import { maintenanceTools } from './tools/maintenance.ts'
import { observationTools } from './tools/observations.ts'
import { resourceTools } from './tools/resources.ts'
import { templateTools } from './tools/templates.ts'
import { workspaceTools } from './tools/workspaces.ts'

export const tools: readonly Tool[] = [
  ...workspaceTools,
  ...resourceTools,
  ...templateTools,
  ...observationTools,
  ...incidentTools,
  ...maintenanceTools,
  ...destinationTools,
  ...configurationTools,
]

/** Returns the tools that the key's present rights allow. If the key loses an action later, the API refuses calls that need this action. */
export const toolsFor = ({ access }: KeyInfo): Tool[] =>
  tools.filter(({ needs }) => needs === null || access.includes('full') || access.includes(needs))
