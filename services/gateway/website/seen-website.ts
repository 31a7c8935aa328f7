// A website monitor as its reader may see it: a viewer reads the address without credentials and no request body (spec E 0).
import type { Identity } from '#shared/contracts/ask.ts'
import type { WebsiteView } from '#shared/contracts/subject-views.ts'
import { redactedUrl } from '#shared/redaction.ts'
import { roleIn } from '../access.ts'

/** Editors and owners read what is stored. */
export function seenWebsite(website: WebsiteView, reader: Identity): WebsiteView {
  if (roleIn(reader, website.workspaceId) !== 'viewer') return website
  return { ...website, check: { ...website.check, url: redactedUrl(website.check.url), data: '' } }
}
