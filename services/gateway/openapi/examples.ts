// Example parameters in the documents of generations 1 and 2. With the bodies of the records they form one sequence: each request succeeds
// after the requests above it. WORKSPACE_ID, MONITOR_ID and INCIDENT_ID stand for ids that only the installation knows.
import { workspaceStandIn } from '../website/example.ts'

const inPath: Readonly<Record<string, string>> = {
  uid: 'MONITOR_ID',
  subject: 'queue-api',
  signal: 'depth',
  rule: 'too-deep',
  incident: 'INCIDENT_ID',
}

/** Returns the example of a path parameter. */
export function pathExample(path: string, name: string): string {
  if (name === 'id') return path.includes('/notifications/') ? '1' : 'MONITOR_ID'
  const example = inPath[name]
  if (example === undefined) throw new Error(`Invariant broken: the parameter ${name} of ${path} has no example`)
  return example
}

/** Returns the example of a query parameter; undefined: the parameter may be omitted. */
export const queryExample = (name: string, isRequired: boolean): string | undefined =>
  isRequired && name === 'workspace_id' ? workspaceStandIn : undefined
