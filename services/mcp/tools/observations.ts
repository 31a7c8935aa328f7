// Tools of Observations: read the log, report one Observation, report a test, report many.
import { apiPath } from '#shared/api-v3/client.ts'
import { limit, observation, resource, results, workspace } from '../arguments.ts'
import { tool } from '../tool.ts'

const list = tool({
  name: 'list_observations',
  title: 'List Observations',
  description: 'Newest Observations and checks of a Resource: context, no record of decisions. Reading them is audited.',
  arguments: {
    workspace,
    resource,
    signal: { type: 'string', minLength: 1, description: 'Key of a signal; all unless sent.' },
    limit,
  },
  required: ['resource'],
  result: results.list(results.logged),
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, { resource, signal, ...args }) => {
    const path = apiPath`/workspaces/${await workspace(args.workspace)}/resources/${resource}/observations`
    const query = { limit: args.limit ?? 50, signal }
    return api({ method: 'GET', path, query })
  },
})

const sent = { workspace, resource, ...observation } as const
const needed = ['resource', 'signal', 'state'] as const

const send = tool({
  name: 'send_observation',
  title: 'Send an Observation',
  description: 'Reports one Observation of a signal. Rules judge it at once.',
  arguments: sent,
  required: needed,
  result: results.accepted,
  needs: 'observe',
  effect: 'changes',
  run: async ({ api, workspace }, { workspace: named, resource, ...body }) => {
    const path = apiPath`/workspaces/${await workspace(named)}/resources/${resource}/observations`
    return api({ method: 'POST', path, body })
  },
})

const sendTest = tool({
  name: 'send_test_observation',
  title: 'Send a test Observation',
  description: 'As send_observation, with the label source: mcp-test. Rules judge it as any other: it may open an Incident.',
  arguments: sent,
  required: needed,
  result: results.accepted,
  needs: 'observe',
  effect: 'changes',
  run: async ({ api, workspace }, { workspace: named, resource, labels, ...rest }) => {
    const path = apiPath`/workspaces/${await workspace(named)}/resources/${resource}/observations`
    return api({ method: 'POST', path, body: { ...rest, labels: { ...labels, source: 'mcp-test' } } })
  },
})

const sendMany = tool({
  name: 'send_observations',
  title: 'Send Observations',
  description: 'Reports up to 500 Observations of several Resources. One that is refused refuses no other.',
  arguments: {
    workspace,
    observations: {
      type: 'array',
      minItems: 1,
      maxItems: 500,
      description: 'Each with the Resource that it is of. Items are refused one by one.',
      items: {
        type: 'object',
        properties: { resource, ...observation },
        required: needed,
      },
    },
  },
  required: ['observations'],
  result: results.object({ accepted: { type: 'integer' }, rejected: { type: 'integer' }, results: { type: 'array' } }),
  needs: 'observe',
  effect: 'changes',
  run: async ({ api, workspace }, { workspace: named, ...body }) =>
    api({ method: 'POST', path: apiPath`/workspaces/${await workspace(named)}/observations`, body }),
})

export const observationTools = [list, send, sendTest, sendMany]
