// Form of a website monitor in responses of generations 1 and 2, and the schema of these responses. The value of `kind` differs between the
// two generations.
import { type TProperties, Type } from 'typebox'
import type { WebsiteCheck } from '#shared/checks/website/website.ts'
import { intervalMs } from '#shared/contracts/subjects/check.ts'
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { Answered, Kind } from '../body/result-schema.ts'

type Kinds = 'website_monitor' | 'rule'

/** Returns the fields that generations 1 and 2 share. Generation 2 adds `locations` and `agreement`, generation 1 adds `regions`. */
export function settingsObject({ id, name, workspaceId, check: stored }: WebsiteView, kind: Kinds) {
  const check = stored as WebsiteCheck
  return {
    id,
    name,
    interval: intervalMs(check) / 1_000,
    workspace_id: workspaceId,
    request: {
      url: check.url,
      method: check.method,
      content_type: check.content_type || 'application/json',
      data: check.data,
      kind: `${kind}_request`,
    },
    response: {
      statuses: check.statuses,
      body: { content: check.expected_text, kind: `${kind}_response_body` },
      kind: `${kind}_response`,
    },
  }
}

/** Returns the schema of a complete result. `own`: fields that only this generation has. */
export const MonitorObject = <P extends TProperties>(name: string, kind: Kinds, own: P) =>
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
