// Overview of a workspace: the number of Resources in each state, the rules with open Incidents, and the oldest open Incidents. Reference:
// docs/reference/v3.md, 9.7.
import { type TSchema, Type } from 'typebox'
import type { Standing } from '#shared/contracts/subjects/overview.ts'
import { Answered } from '../../body/result-schema.ts'
import { sayCauses } from '../../subjects/named-causes.ts'
import { route } from '../common.ts'
import { IncidentItem, incidentItem } from '../incidents/incident-object.ts'

const Count = Type.Integer({ minimum: 0, examples: [0] })
const byStanding = { problem: Count, no_data: Count, unconfirmed: Count, recovering: Count } satisfies Record<Standing, TSchema>

export const OverviewObject = Answered('Overview', {
  resources: Answered(
    'OverviewOfResources',
    { active: Count, archived: Count, clear: Count, ...byStanding },
    { examples: [{ active: 3, archived: 1, clear: 2, problem: 1, no_data: 0, unconfirmed: 0, recovering: 0 }] },
  ),
  incidents: Answered('OverviewOfIncidents', { open: Count, unacknowledged: Count, counted: Count }),
  rules: Type.Array(
    Answered('OverviewOfRule', {
      rule: Type.String({ examples: ['failing'] }),
      open: Count,
      unacknowledged: Count,
      ...byStanding,
    }),
    { description: 'By the key of a rule, most open Incidents first, 50 at most.' },
  ),
  rules_omitted: Count,
  oldest: Type.Array(IncidentItem, { description: 'Open Incidents, oldest first, 10 at most.' }),
})

const overview = route('GET', '/workspaces/:workspace/overview', {
  summary: 'Resources by state, open Incidents by rule and standing, the ten oldest.',
  more: 'As last recorded. It looks at the oldest 10,000 open Incidents.',
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  result: OverviewObject,
  handler: async (context, { workspaceId, traceId }) => {
    const { directory, incidentIds } = context
    const found = await directory.ask('get-overview', { workspaceId }, traceId)
    const { resources, open, unacknowledged, counted, rules, rulesOmitted, oldest } = found
    const sayCause = await sayCauses(
      context,
      oldest.map(({ cause }) => cause),
      traceId,
    )
    return {
      resources,
      incidents: { open, unacknowledged, counted },
      rules,
      rules_omitted: rulesOmitted,
      oldest: oldest.map(incident => incidentItem(incident, { incidentIds, sayCause })),
    }
  },
})

export const overviewRoutes = [overview]
