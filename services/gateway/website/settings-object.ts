// A website monitor as both generations answer it, with the kinds of the one that asks, and the schema of that.
import { type TProperties, Type } from 'typebox'
import type { WebsiteView } from '#shared/contracts/subject-views.ts'
import { intervalMs } from '#shared/contracts/website.ts'
import { Answered, Kind } from '../result-schema.ts'

type Kinds = 'website_monitor' | 'rule'

/** All fields but the places, the agreement and the kind of the whole, which each generation adds. */
export const settingsObject = ({ id, name, workspaceId, check }: WebsiteView, kind: Kinds) => ({
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
})

/** The schema of a whole answer; `own` are the fields of the generation. */
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
