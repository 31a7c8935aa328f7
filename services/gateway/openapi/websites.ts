// Website monitors in the words of both generations, their open incidents and the acknowledgement (spec A, Endpoints).
import { type TProperties, Type } from 'typebox'
import { limits } from '#shared/limits.ts'
import { Needed } from '../fields.ts'
import { RuleBody } from '../v1/rule-body.ts'
import { WebsiteBody } from '../v2/website-body.ts'
import { acknowledgement } from './acknowledgement.ts'
import { Answered, type Descriptions, Instant, Kind, OrNull, type Refusal, workspaceQuery } from './description.ts'
import { accessDenied, invalid, missingWorkspace } from './refusals.ts'

const Names = Type.Array(Type.String())

/** A monitor as it is answered; kinds begin with the word of the generation. */
const monitorObject = <P extends TProperties>(name: string, kind: string, own: P) =>
  Answered(name, {
    id: Type.String(),
    name: Type.String(),
    interval: Type.Integer({ description: 'Seconds.' }),
    workspace_id: Type.String(),
    request: Answered(`${name}Request`, {
      url: Type.String({ description: 'Viewers read it without user information and credentials in its query.' }),
      method: Type.String(),
      content_type: Type.String(),
      data: Type.String({ description: 'Viewers read it empty.' }),
      kind: Kind(`${kind}_request`),
    }),
    response: Answered(`${name}Response`, {
      statuses: Type.Array(Type.Integer()),
      body: Answered(`${name}ResponseBody`, { content: Type.String(), kind: Kind(`${kind}_response_body`) }),
      kind: Kind(`${kind}_response`),
    }),
    ...own,
    kind: Kind(kind),
  })

const Website = monitorObject('WebsiteMonitor', 'website_monitor', {
  locations: Names,
  agreement: Type.Enum(['any', 'majority', 'all']),
})
const Rule = monitorObject('Rule', 'rule', { regions: Names })

const Incident = Answered('Incident', {
  id: Type.String(),
  monitor_id: Type.String(),
  monitor_name: Type.String(),
  status: Type.Enum(['problem', 'pending', 'recovering', 'no_data', 'ok']),
  trouble_since: Instant,
  confirmed_at: OrNull(Instant),
  well_since: OrNull(Instant),
  locations: Type.Object(
    { failing: Names, unknown: Names, ok: Names },
    { additionalProperties: false, description: 'The evidence: names of locations by what they report.' },
  ),
  kind: Kind('incident'),
})

/** Creating names the workspace; an update ignores it. */
const inWorkspace = { workspace_id: Needed(Type.String({ minLength: 1 })) }
const CreateWebsite = Type.Object({ ...WebsiteBody.properties, ...inWorkspace }, { $id: 'CreateWebsiteMonitor' })
const UpdateWebsite = Type.Object(WebsiteBody.properties, { $id: 'UpdateWebsiteMonitor' })
const CreateRule = Type.Object({ ...RuleBody.properties, ...inWorkspace }, { $id: 'CreateRule' })
const UpdateRule = Type.Object(RuleBody.properties, { $id: 'UpdateRule' })

const deleted = (idField: string) =>
  Type.Object({ message: Type.String(), [idField]: Type.String() }, { additionalProperties: false })

const custom: Refusal = '2004 Custom subjects are managed elsewhere'
const ofWebsite: readonly Refusal[] = ['2002 Website monitor not found', custom]
const ofRule: readonly Refusal[] = ['2002 Rule not found', custom]
const wholeMinutes = `Whole minutes, ${limits.website.intervalSecondsMin} to ${limits.website.intervalSecondsMax} s.`

export const websitesOfV2: Descriptions = {
  'GET /v2/monitoring/websites': {
    summary: 'The website monitors of a workspace.',
    query: workspaceQuery,
    result: Type.Array(Website),
    refusals: [missingWorkspace, accessDenied],
  },
  'POST /v2/monitoring/websites': {
    summary: 'Stores a website monitor, which is checked from then on.',
    more: `Locations are names; with none, nothing is checked. Without an agreement it is \`majority\`. ${wholeMinutes}`,
    body: CreateWebsite,
    result: Website,
    refusals: [invalid, '2001 Name used too often', '2001 invalid locations', '2001 invalid agreement', accessDenied],
  },
  'GET /v2/monitoring/websites/{id}': { summary: 'A website monitor.', result: Website, refusals: ofWebsite },
  'POST /v2/monitoring/websites/{id}': {
    summary: 'Replaces a website monitor wholly.',
    more: 'What is left out is not kept, but for the agreement; `workspace_id` is ignored.',
    body: UpdateWebsite,
    result: Website,
    refusals: [invalid, '2001 invalid locations', '2001 invalid agreement', accessDenied, ...ofWebsite],
  },
  'DELETE /v2/monitoring/websites/{id}': {
    summary: 'Removes a website monitor with its subject, signal, rule and history.',
    result: deleted('monitor_id'),
    refusals: [accessDenied, ...ofWebsite],
  },
  'GET /v2/incidents': {
    summary: 'The open incidents of website monitors, the newest trouble first.',
    query: {
      ...workspaceQuery,
      monitor_id: { required: false, schema: Type.String(), meaning: 'Only those of this monitor.' },
    },
    result: Type.Array(Incident),
    refusals: [missingWorkspace, accessDenied],
  },
}

export const websitesOfV1: Descriptions = {
  'GET /v1/rules': {
    summary: 'The rules of a workspace.',
    query: workspaceQuery,
    result: Type.Array(Rule),
    refusals: [missingWorkspace, accessDenied, '2002 Workspace not found'],
  },
  'POST /v1/rules': {
    summary: 'Stores a rule, which is checked from then on.',
    more: `Regions are names; with none, nothing is checked. ${wholeMinutes}`,
    body: CreateRule,
    result: Rule,
    refusals: [invalid, '2001 Name used too often', '2001 invalid regions', accessDenied],
  },
  'GET /v1/rules/{uid}': { summary: 'A rule.', result: Rule, refusals: ofRule },
  'POST /v1/rules/{uid}': {
    summary: 'Replaces a rule wholly.',
    more: 'What is left out is not kept: without `regions` the rule is no longer checked.',
    body: UpdateRule,
    result: Rule,
    refusals: [invalid, '2001 invalid regions', accessDenied, ...ofRule],
  },
  'DELETE /v1/rules/{uid}': {
    summary: 'Removes a rule with its subject, signal and history.',
    result: deleted('rule_id'),
    refusals: [accessDenied, ...ofRule],
  },
  'POST /v1/rules/{uid}/incidents/{incident}/acknowledge': acknowledgement(
    'IncidentAcknowledgement',
    { monitor_id: Type.String() },
    ofRule,
  ),
}
