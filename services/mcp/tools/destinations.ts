// Tools of destinations, which receive messages. Only keys without a scope may call these tools. No result contains a URL.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { destination, page, pageQuery, workspace } from '../arguments.ts'
import { tool } from '../tool.ts'

const fields = {
  name: { type: 'string', minLength: 1, description: 'Unique in the workspace.' },
  url: { type: 'string', minLength: 1, description: 'http or https, without credentials.' },
  channel: { type: 'string', description: 'Of Slack, without the leading #.' },
  enabled: { type: 'boolean' },
  send_on_open: { type: 'boolean', description: 'A webhook that hears of unconfirmed openings.' },
  default: { type: 'boolean', description: 'True makes it the default.' },
  settings: { type: 'object', description: 'Fields of list_channels that are not `top`, by key.' },
} as const

const list = tool({
  name: 'list_destinations',
  title: 'List destinations',
  description: 'Destinations of the workspace by name.',
  arguments: { workspace },
  required: [],
  result: 'array',
  needs: 'full',
  effect: 'reads',
  run: async ({ api, workspace }, args) =>
    api({ method: 'GET', path: apiPath`/workspaces/${await workspace(args.workspace)}/destinations` }),
})

const types = tool({
  name: 'list_channels',
  title: 'List types of destinations',
  description: 'Types of destinations, with the settings of each.',
  arguments: {},
  required: [],
  result: 'array',
  needs: null,
  effect: 'reads',
  run: async ({ api }) => api({ method: 'GET', path: apiPath`/channels` }),
})

const create = tool({
  name: 'create_destination',
  title: 'Create a destination',
  description: 'Creates a destination. The first enabled one of a workspace becomes default.',
  arguments: { workspace, type: { type: 'string', description: 'Of list_channels.' }, ...fields },
  required: ['name', 'type'],
  result: 'object',
  needs: 'full',
  effect: 'changes',
  run: async ({ api, workspace }, { workspace: named, ...body }) =>
    api({ method: 'POST', path: apiPath`/workspaces/${await workspace(named)}/destinations`, body }),
})

const update = tool({
  name: 'update_destination',
  title: 'Change a destination',
  description: 'Changes what is sent and leaves the rest. The type never changes.',
  arguments: { workspace, destination, ...fields },
  required: ['destination'],
  result: 'object',
  needs: 'full',
  effect: 'changes',
  run: async ({ api, workspace }, { workspace: named, destination, ...body }) =>
    api({ method: 'PATCH', path: apiPath`/workspaces/${await workspace(named)}/destinations/${destination}`, body }),
})

const remove = tool({
  name: 'delete_destination',
  title: 'Delete a destination',
  description: 'Deletes a destination that no rule names. Its deliveries stay.',
  arguments: { workspace, destination },
  required: ['destination'],
  result: 'object',
  needs: 'full',
  effect: 'destroys',
  run: async ({ api, workspace }, args) =>
    api({ method: 'DELETE', path: apiPath`/workspaces/${await workspace(args.workspace)}/destinations/${args.destination}` }),
})

const test = tool({
  name: 'test_destination',
  title: 'Test a destination',
  description: 'Sends one test message to a destination, also to one that is switched off.',
  arguments: { workspace, destination },
  required: ['destination'],
  result: 'object',
  needs: 'full',
  effect: 'changes',
  isOpenWorld: true,
  run: async ({ api, workspace }, args) => {
    const path = apiPath`/workspaces/${await workspace(args.workspace)}/destinations/${args.destination}/test`
    return api({ method: 'POST', path })
  },
})

const deliveries = tool({
  name: 'list_destination_deliveries',
  title: 'List deliveries of a destination',
  description: 'Attempts to send to a destination and messages kept back from it, newest first.',
  arguments: { workspace, destination, ...page },
  required: ['destination'],
  result: 'array',
  needs: 'full',
  effect: 'reads',
  run: async ({ api, workspace }, { destination, ...args }) => {
    const path = apiPath`/workspaces/${await workspace(args.workspace)}/destinations/${destination}/deliveries`
    return api({ method: 'GET', path, query: pageQuery(args) })
  },
})

/** While every setting is an argument of its own, there is nothing to look up. */
export const destinationTools = [list, types, create, update, remove, test, deliveries]
