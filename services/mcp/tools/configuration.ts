// Tools of configuration files: a workspace as one text, and a text applied to a workspace.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { workspace } from '../arguments.ts'
import { tool } from '../tool.ts'

const get = tool({
  name: 'export_configuration',
  title: 'Export the configuration',
  description: 'Templates, Resources and destinations of a workspace as one YAML text, without secrets.',
  arguments: { workspace },
  required: [],
  result: 'object',
  needs: 'full',
  effect: 'reads',
  run: async ({ api, workspace }, args) =>
    api({
      method: 'GET',
      path: apiPath`/workspaces/${await workspace(args.workspace)}/configuration`,
      query: { form: 'document' },
    }),
})

const apply = tool({
  name: 'apply_configuration',
  title: 'Apply a configuration',
  description: 'Makes the workspace what the text says, all of it or nothing. Show the plan of a dry_run first.',
  arguments: {
    workspace,
    document: { type: 'string', minLength: 1, description: 'As exported.' },
    values: { type: 'object', description: 'Secrets by variable.' },
    dry_run: { type: 'boolean' },
    prune: { type: 'boolean', description: 'Deletes or archives what the text lacks.' },
  },
  required: ['document'],
  result: 'object',
  needs: 'full',
  effect: 'destroys',
  run: async ({ api, workspace }, { workspace: named, ...body }) =>
    api({ method: 'POST', path: apiPath`/workspaces/${await workspace(named)}/configuration`, body }),
})

export const configurationTools = [get, apply]
