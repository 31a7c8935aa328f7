// What both generations answer of a website monitor, with the kinds of the one that asks.
import type { WebsiteView } from '#shared/contracts/subject-views.ts'
import { intervalMs } from '#shared/contracts/website.ts'

/** All fields but the places, the agreement and the kind of the whole, which each generation adds. */
export const settingsObject = ({ id, name, workspaceId, meta }: WebsiteView, kind: 'website_monitor' | 'rule') => ({
  id,
  name,
  interval: intervalMs(meta) / 1_000,
  workspace_id: workspaceId,
  request: {
    url: meta.url,
    method: meta.method,
    content_type: meta.content_type || 'application/json',
    data: meta.data,
    kind: `${kind}_request`,
  },
  response: {
    statuses: meta.statuses,
    body: { content: meta.expected_text, kind: `${kind}_response_body` },
    kind: `${kind}_response`,
  },
})
