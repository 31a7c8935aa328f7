// A website monitor as it is answered, with exactly the fields that spec A lists.
import type { SubjectView } from '#shared/contracts/command.ts'
import { intervalMs } from '#shared/contracts/website.ts'
import { agreementOf } from './website-body.ts'

export const websiteObject = ({ id, name, workspaceId, meta }: SubjectView, namesOf: (ids: readonly string[]) => string[]) => ({
  id,
  name,
  interval: intervalMs(meta) / 1_000,
  workspace_id: workspaceId,
  request: {
    url: meta.url,
    method: meta.method,
    content_type: meta.content_type || 'application/json',
    data: meta.data,
    kind: 'website_monitor_request',
  },
  response: {
    statuses: meta.statuses,
    body: { content: meta.expected_text, kind: 'website_monitor_response_body' },
    kind: 'website_monitor_response',
  },
  locations: namesOf(meta.locations),
  agreement: agreementOf(meta.failure_mode),
  kind: 'website_monitor',
})
