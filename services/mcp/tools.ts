// All tools, and the tools that a key may see. The list, the table of docs/mcp.md and tests are made from these records.
import type { KeyInfo, Tool } from './tool.ts'
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
]

/** Tools for a key's present rights. If the key loses an action later, the API refuses the call. */
export const toolsFor = ({ access }: KeyInfo): Tool[] =>
  tools.filter(({ needs }) => needs === null || access.includes('full') || access.includes(needs))
