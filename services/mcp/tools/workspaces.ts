// Tools of workspaces: list, overview, creation.
import { apiPath } from '#shared/api-v3/client.ts'
import { results, workspace } from '../arguments.ts'
import { tool } from '../tool.ts'

const counts = { type: 'object', additionalProperties: { type: 'integer' } }

const list = tool({
  name: 'list_workspaces',
  title: 'List workspaces',
  description: 'Workspaces that the key reaches, with the role of its owner.',
  arguments: {},
  required: [],
  result: results.list(results.workspace),
  needs: null,
  effect: 'reads',
  run: async ({ api }) => api({ method: 'GET', path: '/workspaces' }),
})

const overview = tool({
  name: 'get_overview',
  title: 'Overview of a workspace',
  description:
    'The beginning of a triage: Resources by state, open Incidents by rule and standing, how many nobody has taken on, and the ten oldest.',
  arguments: { workspace },
  required: [],
  result: results.object({
    resources: counts,
    incidents: counts,
    rules: { type: 'array', items: { type: 'object' } },
    rules_omitted: { type: 'integer' },
    oldest: results.list(results.incident),
  }),
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, args) =>
    api({ method: 'GET', path: apiPath`/workspaces/${await workspace(args.workspace)}/overview` }),
})

const create = tool({
  name: 'create_workspace',
  title: 'Create a workspace',
  description: "Creates a workspace that the key's owner owns.",
  arguments: { name: { type: 'string', minLength: 1, description: '1 to 60 characters.' } },
  required: ['name'],
  result: results.workspace,
  needs: 'full',
  effect: 'changes',
  run: async ({ api }, body) => api({ method: 'POST', path: '/workspaces', body }),
})

export const workspaceTools = [list, overview, create]
