// Values of an alert for a payload template (docs/notifications.md). Pure.

import { url } from '#shared/checks/website/fields.ts'
import type { AlertDocument, AlertKind } from '#shared/contracts/incidents/alert.ts'
import { limits } from '#shared/limits/limits.ts'
import type { TemplateFields } from '#shared/template/fields.ts'
import type { MessageFacts, MessageLinks } from '../port.ts'
import { oneLine } from './one-line.ts'
import {
  actionOf,
  errorOf,
  explanationOf,
  extentOf,
  type Guard,
  type LocationName,
  lastedOf,
  placesOf,
  resourceKeyOf,
  subjectOf,
  testWords,
  titleOf,
} from './words.ts'

const statuses: Record<AlertKind, string> = {
  opened: 'opening',
  problem: 'down',
  no_data: 'unknown',
  recovery: 'up',
  acknowledged: 'acknowledged',
  withdrawn: 'withdrawn',
}

/** `guard` makes foreign text safe for the receiver. URLs come from the workspace itself, so they stay unchanged. */
export function templateFields(
  { alert, incident, locationName }: MessageFacts,
  links: MessageLinks,
  workspaceName: string,
  guard: Guard,
): TemplateFields {
  return {
    kind: alert.kind,
    status: statuses[alert.kind],
    subject: guard(subjectOf(alert)),
    url: oneLine(alert.facts.url, url.characters),
    summary: guard(summaryOf(alert, locationName)),
    error: guard(errorOf(alert)),
    locations: guard(placesOf(alert, locationName).join(', ')),
    lasted: lastedOf(alert),
    link: links.subject,
    workspace: guard(oneLine(workspaceName, limits.notifier.nameCharacters)),
    at: new Date(alert.decidedAt).toISOString(),
    rule: guard(oneLine(alert.facts.ruleKey, limits.notifier.nameCharacters)),
    action: guard(actionOf(alert)),
    resource: guard(resourceKeyOf(alert)),
    evidence: guard(explanationOf(alert)),
    incident: incident,
  }
}

/** Returns a summary in one line: `Shop is down: failing from 2 of 3 locations — de, fr`, `Shop is back up after 14m`. */
function summaryOf(alert: AlertDocument, nameOf: LocationName): string {
  if (alert.facts.isTest) return testWords
  const title = titleOf(alert)
  if (alert.kind === 'recovery') return `${title} after ${lastedOf(alert)}`
  const extent = extentOf(alert, nameOf)
  return extent === '' ? title : `${title}: ${extent[0]?.toLowerCase()}${extent.slice(1)}`
}
