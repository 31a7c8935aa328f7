// Tools of Observations: read the log, report one Observation, report a test, report many.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { limit, observation, resource, workspace } from '../arguments.ts'
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
  result: 'array',
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, { resource, signal, ...args }) => {
    const path = apiPath`/workspaces/${await workspace(args.workspace)}/resources/${resource}/observations`
    const query = { limit: args.limit ?? 50, signal }
    return api({ method: 'GET', path, query })
  },
})

const sent = { workspace, resource, ...observation } as const
/** Without descriptions, because agents read those of `send_observation`. */
const asSent = withoutWords(sent)
const needed = ['resource', 'signal', 'state'] as const

const send = tool({
  name: 'send_observation',
  title: 'Send an Observation',
  description: 'Reports one Observation of a signal. Rules judge it at once.',
  arguments: sent,
  required: needed,
  result: 'object',
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
  arguments: asSent,
  required: needed,
  result: 'object',
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
  description:
    'Reports up to 500 Observations, each as in send_observation. One that is refused refuses no other; refused ones come first.',
  arguments: {
    workspace,
    observations: {
      type: 'array',
      minItems: 1,
      maxItems: 500,
      items: {
        type: 'object',
        properties: withoutWords({ resource, ...observation }),
        required: needed,
      },
    },
  },
  required: ['observations'],
  result: 'object',
  needs: 'observe',
  effect: 'changes',
  run: async ({ api, workspace }, { workspace: named, ...body }) => {
    const { result } = await api({ method: 'POST', path: apiPath`/workspaces/${await workspace(named)}/observations`, body })
    return { result: refusedFirst(result) }
  },
})

function withoutWords<const P extends Readonly<Record<string, object>>>(properties: P): P {
  const bare = Object.entries(properties).map(([key, { description: _, ...rest }]: [string, { description?: string }]) => [
    key,
    rest,
  ])
  return Object.fromEntries(bare)
}

/** Returns the result with the refused items first, because a large result loses its last items. */
function refusedFirst(batch: unknown): unknown {
  const { results } = batch as { results?: unknown }
  if (!Array.isArray(results)) return batch
  const [refused, others] = [results.filter(isRefused), results.filter(item => !isRefused(item))]
  return { ...(batch as object), results: [...refused, ...others] }
}

const isRefused = (item: { status?: unknown }): boolean => item.status === 'rejected'

export const observationTools = [list, send, sendTest, sendMany]
