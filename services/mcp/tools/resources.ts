// Tools of Resources: lists, one Resource, creation, labels, change of revision, archiving.
import { apiPath } from '#shared/api-v3/client.ts'
import { filterQuery, filters, labels, meta, page, pageQuery, resource, templateReference, workspace } from '../arguments.ts'
import { tool } from '../tool.ts'

const list = tool({
  name: 'list_resources',
  title: 'List Resources',
  description: 'A page of Resources with the worst open Incident of each, behind filters.',
  arguments: {
    workspace,
    state: { type: 'string', enum: ['active', 'archived', 'all'], description: 'active unless sent.' },
    ...filters,
    ...page,
  },
  required: [],
  result: 'array',
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, { state, template, ...args }) => {
    const query = { ...pageQuery(args), state, template, ...filterQuery(args) }
    return api({ method: 'GET', path: apiPath`/workspaces/${await workspace(args.workspace)}/resources`, query })
  },
})

const get = tool({
  name: 'get_resource',
  title: 'Read a Resource',
  description: 'One Resource as it reads now: answers, signals, each rule with its status and why, maintenance.',
  arguments: { workspace, resource },
  required: ['resource'],
  result: 'object',
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, args) =>
    api({ method: 'GET', path: apiPath`/workspaces/${await workspace(args.workspace)}/resources/${args.resource}` }),
})

const create = tool({
  name: 'create_resource',
  title: 'Create a Resource',
  description: 'Creates a Resource of a Template. Its key is a slug of the name unless sent.',
  arguments: {
    workspace,
    template: templateReference,
    name: { type: 'string', minLength: 1, description: '1 to 100 characters.' },
    key: { type: 'string', description: 'ASCII letters, digits and . _ : @ -' },
    meta,
    labels,
  },
  required: ['template', 'name'],
  result: 'object',
  needs: 'resources',
  effect: 'changes',
  run: async ({ api, workspace }, { workspace: named, ...body }) =>
    api({ method: 'POST', path: apiPath`/workspaces/${await workspace(named)}/resources`, body }),
})

const archive = tool({
  name: 'archive_resource',
  title: 'Archive a Resource',
  description: 'Ends a Resource for good: its Incidents close, nothing restores it.',
  arguments: { workspace, resource },
  required: ['resource'],
  result: 'object',
  needs: 'resources',
  effect: 'destroys',
  run: async ({ api, workspace }, args) =>
    api({ method: 'POST', path: apiPath`/workspaces/${await workspace(args.workspace)}/resources/${args.resource}/archive` }),
})

const label = tool({
  name: 'label_resource',
  title: 'Label a Resource',
  description: 'Sets labels of a Resource and leaves the others; null removes one.',
  arguments: { workspace, resource, labels: { ...labels, description: 'Texts by key; null removes.' } },
  required: ['resource', 'labels'],
  result: 'object',
  needs: 'full',
  effect: 'changes',
  run: async ({ api, workspace }, { resource, labels, ...args }) => {
    const path = apiPath`/workspaces/${await workspace(args.workspace)}/resources/${resource}`
    return api({ method: 'PATCH', path, body: { labels } })
  },
})

const rebind = tool({
  name: 'rebind_resource',
  title: 'Bind a Resource to another revision',
  description: 'Binds a Resource to another revision of a published Template. All its open Incidents close as rule_removed.',
  arguments: { workspace, resource, template: templateReference, meta },
  required: ['resource', 'template'],
  result: 'object',
  needs: 'full',
  effect: 'destroys',
  run: async ({ api, workspace }, { workspace: named, resource, ...body }) =>
    api({ method: 'POST', path: apiPath`/workspaces/${await workspace(named)}/resources/${resource}/rebind`, body }),
})

export const resourceTools = [list, get, create, archive, label, rebind]
