// Which destinations a subject tells, and about what (spec D 2, Delivery table): the same of custom subjects and of website monitors.
import { Type } from 'typebox'
import { SubjectTableBody, WebsiteTableBody } from '../v2/delivery-tables.ts'
import { Answered, type Descriptions, Kind, OrNull, type Refusal, type RouteDescription } from './description.ts'
import { accessDenied, invalid } from './refusals.ts'
import { anyWorkspaceQuery, ofSubject } from './subject-address.ts'

export const AlertKind = Type.Enum(['problem', 'no_data', 'recovery'])

const Table = Answered('SubjectAlertDelivery', {
  subject_id: Type.String(),
  selections: Type.Array(
    Type.Object(
      { destination_id: Type.Integer(), destination_name: Type.String(), alert_kinds: Type.Array(AlertKind) },
      { additionalProperties: false },
    ),
  ),
  default_destination_id: OrNull(Type.Integer()),
  fallback: Type.Enum(['workspace_default', 'silence', '']),
  workspace_id: Type.String(),
  kind: Kind('subject_alert_delivery'),
})

const ofRows: readonly Refusal[] = [
  invalid,
  '2001 Invalid alert kind',
  '2001 No alert kinds',
  '2001 Duplicate destination',
  '2002 Destination not found',
]
const ofWebsite: readonly Refusal[] = ['2002 Website monitor not found', '2004 Custom subjects are managed elsewhere']

const read = 'Which destinations are told, and about what.'
const replace = 'Replaces all rows; none: the workspace default is told again.'
const clear = 'Removes all rows: the workspace default is told again.'
const ofSubjects: Pick<RouteDescription, 'query' | 'result'> = { query: anyWorkspaceQuery, result: Table }

export const deliveryTables: Descriptions = {
  'GET /v2/subjects/{subject}/delivery': { summary: read, ...ofSubjects, refusals: ofSubject },
  'POST /v2/subjects/{subject}/delivery': {
    summary: replace,
    ...ofSubjects,
    body: SubjectTableBody,
    refusals: [...ofRows, ...ofSubject],
  },
  'DELETE /v2/subjects/{subject}/delivery': { summary: clear, ...ofSubjects, refusals: ofSubject },
  'GET /v2/monitoring/websites/{id}/delivery': { summary: read, result: Table, refusals: ofWebsite },
  'POST /v2/monitoring/websites/{id}/delivery': {
    summary: replace,
    body: WebsiteTableBody,
    result: Table,
    refusals: [...ofRows, accessDenied, ...ofWebsite],
  },
  'DELETE /v2/monitoring/websites/{id}/delivery': { summary: clear, result: Table, refusals: [accessDenied, ...ofWebsite] },
}
