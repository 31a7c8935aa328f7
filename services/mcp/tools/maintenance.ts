// Tools of maintenance. During maintenance, messages about a Resource are suppressed, but the Resource's rules are still judged.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { resource, workspace } from '../arguments.ts'
import { tool } from '../tool.ts'

const start = tool({
  name: 'start_maintenance',
  title: 'Start maintenance',
  description: 'Holds messages about a Resource back from now on, or moves the end of the running window. Judging goes on.',
  arguments: { workspace, resource, minutes: { type: 'integer', minimum: 1, maximum: 10_080, description: 'From now on.' } },
  required: ['resource', 'minutes'],
  result: 'object',
  needs: 'maintenance',
  effect: 'changes',
  run: async ({ api, workspace }, { minutes, resource, ...args }) => {
    const path = apiPath`/workspaces/${await workspace(args.workspace)}/resources/${resource}/maintenance`
    return api({ method: 'PUT', path, body: { minutes } })
  },
})

const end = tool({
  name: 'end_maintenance',
  title: 'End maintenance',
  description: 'Ends the running maintenance of a Resource. A message that was held back is sent at the next reminder.',
  arguments: { workspace, resource },
  required: ['resource'],
  result: 'object',
  needs: 'maintenance',
  effect: 'changes',
  run: async ({ api, workspace }, args) => {
    const path = apiPath`/workspaces/${await workspace(args.workspace)}/resources/${args.resource}/maintenance`
    return api({ method: 'DELETE', path })
  },
})

export const maintenanceTools = [start, end]
