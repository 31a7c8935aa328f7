// Tools of workspaces: list, overview, creation.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { workspace } from '../arguments.ts'
import { tool } from '../tool.ts'

const list = tool({
  name: 'list_workspaces',
  title: 'List workspaces',
  description: 'Workspaces that the key reaches, with the role of its owner.',
  arguments: {},
  required: [],
  result: 'array',
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
  result: 'object',
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
  result: 'object',
  needs: 'full',
  effect: 'changes',
  run: async ({ api }, body) => api({ method: 'POST', path: '/workspaces', body }),
})

export const workspaceTools = [list, overview, create]
