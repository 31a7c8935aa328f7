// A website monitor as the caller may see it: a viewer sees neither credentials nor the request body (reference/website-monitors 2.5).
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { redactedUrl } from '#shared/text/redaction.ts'
import { roleIn } from '../callers/access.ts'

/** Editors and owners see the stored monitor. */
export function seenWebsite(website: WebsiteView, reader: Identity): WebsiteView {
  if (roleIn(reader, website.workspaceId) !== 'viewer') return website
  return { ...website, check: { ...website.check, url: redactedUrl(website.check.url), data: '' } }
}
