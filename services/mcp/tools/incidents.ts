// Tools of Incidents: lists, one Incident, its deliveries, its explanation, its acknowledgement.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { filterQuery, filters, incident, page, pageQuery, resource, workspace } from '../arguments.ts'
import { explainIncident } from '../explain/explain-incident.ts'
import { tool } from '../tool.ts'

const list = tool({
  name: 'list_incidents',
  title: 'List Incidents',
  description: 'A page of Incidents, newest first, behind filters. With filters a page may be short and have a next one.',
  arguments: {
    workspace,
    resource,
    rule: { type: 'string', minLength: 1, description: 'Key of a rule.' },
    lifecycle: { type: 'string', enum: ['open', 'closed'] },
    confirmation: { type: 'string', enum: ['confirmed', 'unconfirmed'] },
    acknowledged: { type: 'boolean', description: 'Whether somebody has taken it on.' },
    resource_state: { type: 'string', enum: ['active', 'archived', 'all'], description: 'Of their Resources; all unless sent.' },
    ...filters,
    ...page,
  },
  required: [],
  result: 'array',
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, { workspace: named, limit, cursor, meta, labels, ...rest }) => {
    const query = { ...pageQuery({ ...(limit === undefined ? {} : { limit }), cursor }), ...rest }
    const filtered = filterQuery({ ...(meta === undefined ? {} : { meta }), ...(labels === undefined ? {} : { labels }) })
    const path = apiPath`/workspaces/${await workspace(named)}/incidents`
    return api({ method: 'GET', path, query: { ...query, ...filtered } })
  },
})

const get = tool({
  name: 'get_incident',
  title: 'Read an Incident',
  description: 'One Incident with its whole history. explain_incident is shorter and says more. Reading it is audited.',
  arguments: { workspace, incident },
  required: ['incident'],
  result: 'object',
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, args) =>
    api({ method: 'GET', path: apiPath`/workspaces/${await workspace(args.workspace)}/incidents/${args.incident}` }),
})

const explain = tool({
  name: 'explain_incident',
  title: 'Explain an Incident',
  description:
    'Begin here when an alert comes in: why and since when the Incident is open, the evidence, the rule, who was told and who was not, what happens next, maintenance. Reading it is audited.',
  arguments: { workspace, incident },
  required: ['incident'],
  result: 'object',
  needs: null,
  effect: 'reads',
  run: explainIncident,
})

const responses = tool({
  name: 'get_incident_responses',
  title: 'Read what servers answered',
  description: 'What servers answered to the failed checks of an Incident: status line, headers, body. Reading it is audited.',
  arguments: { workspace, incident },
  required: ['incident'],
  result: 'array',
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, args) =>
    api({ method: 'GET', path: apiPath`/workspaces/${await workspace(args.workspace)}/incidents/${args.incident}/responses` }),
})

const deliveries = tool({
  name: 'list_incident_deliveries',
  title: 'List deliveries of an Incident',
  description: 'Attempts to send messages about an Incident and messages kept back, newest first. Reading them is audited.',
  arguments: { workspace, incident, ...page },
  required: ['incident'],
  result: 'array',
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, { incident, ...args }) => {
    const path = apiPath`/workspaces/${await workspace(args.workspace)}/incidents/${incident}/deliveries`
    return api({ method: 'GET', path, query: pageQuery(args) })
  },
})

const acknowledge = tool({
  name: 'acknowledge_incident',
  title: 'Take an Incident on',
  description: "Takes an open Incident on for the key's owner, once: its reminders stop, its state stays.",
  arguments: { workspace, incident },
  required: ['incident'],
  result: 'object',
  needs: 'acknowledge',
  effect: 'changes',
  run: async ({ api, workspace }, args) => {
    const path = apiPath`/workspaces/${await workspace(args.workspace)}/incidents/${args.incident}/acknowledge`
    return api({ method: 'POST', path })
  },
})

export const incidentTools = [list, get, explain, responses, deliveries, acknowledge]
