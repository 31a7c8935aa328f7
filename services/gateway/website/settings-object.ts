// What both generations answer of a website monitor, with the kinds of the one that asks.
import type { WebsiteView } from '#shared/contracts/subject-views.ts'
import { intervalMs } from '#shared/contracts/website.ts'

/** All fields but the places, the agreement and the kind of the whole, which each generation adds. */
export const settingsObject = ({ id, name, workspaceId, check }: WebsiteView, kind: 'website_monitor' | 'rule') => ({
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
