// Tools of Resources: lists, one Resource, creation, labels, change of revision, archiving.
import { apiPath } from '#shared/api-v3/api-path.ts'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import { filterQuery, filters, labels, meta, page, pageQuery, resource, templateReference, workspace } from '../arguments.ts'
import { ArgumentRefusal, type Outcome, type ToolContext, tool } from '../tool.ts'

const list = tool({
  name: 'list_resources',
  title: 'List Resources',
  description: 'A page of Resources with the worst open Incident of each, behind filters.',
  arguments: {
    workspace,
    state: { type: 'string', enum: ['active', 'archived', 'all'] },
    ...filters,
    search: { type: 'string', description: 'Part of name, key or host: adds status, p95, uptime.' },
    status: { type: 'string', description: 'As search; trouble, down, up.' },
    ...page,
  },
  required: [],
  result: 'array',
  needs: null,
  effect: 'reads',
  run: async (context, { state, template, search, status, ...args }) => {
    const { api, workspace } = context
    const root = apiPath`/workspaces/${await workspace(args.workspace)}`
    const filtered = { state, template, ...filterQuery(args) }
    if (search === undefined && status === undefined)
      return api({ method: 'GET', path: `${root}/resources`, query: { ...pageQuery(args), ...filtered } })
    const field = Object.entries(filtered).find(([, value]) => value !== undefined)?.[0]
    if (field !== undefined) throw new ArgumentRefusal(field, 'search and status go with no other filter')
    return monitors(context, root, { ...pageQuery(args), search, status })
  },
})

/** Reads rows of the list of monitors, each with its figures. */
async function monitors({ api }: ToolContext, root: string, query: ApiRequest['query'] & object): Promise<Outcome> {
  const page = await api({ method: 'GET', path: `${root}/monitors`, query })
  const rows = page.result as { id: string }[]
  if (rows.length === 0) return page
  const resources = rows.map(({ id }) => id).join(',')
  const figures = await api({ method: 'GET', path: `${root}/figures`, query: { resources } })
  const byId = new Map((figures.result as { resource: string }[]).map(({ resource, ...rest }) => [resource, rest]))
  return { ...page, result: rows.map(row => ({ ...row, ...byId.get(row.id) })) }
}

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

const tryCheck = tool({
  name: 'try_check',
  title: 'Try a check',
  description:
    'Makes the checks of a Template, or that of signal, once from each Location and stores nothing. With resource, meta changes its answers.',
  arguments: { workspace, template: templateReference, meta, resource, signal: { type: 'string' } },
  required: ['template', 'meta'],
  result: 'array',
  needs: 'resources',
  effect: 'reads',
  isOpenWorld: true,
  run: async ({ api, workspace }, { workspace: named, ...body }) =>
    api({ method: 'POST', path: apiPath`/workspaces/${await workspace(named)}/checks/try`, body }),
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

export const resourceTools = [list, get, tryCheck, create, archive, label, rebind]
