// Destinations that would receive messages about an incident if a notifier sent them now (v3 10.3 to 10.6). Uses the notifiers' code.
import type { IncidentRecipients } from '#shared/contracts/ask/ask-subjects.ts'
import type { AlertKind, AlertRouting } from '#shared/contracts/incidents/alert.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { chooseDestinations } from '#shared/notifications/choose-destinations.ts'
import { toldIn } from '#shared/notifications/told-in.ts'
import type { Store } from '#shared/store/port.ts'
import { isFault, readRevisions } from '#shared/subjects/stored-revisions.ts'
import { destinationsOf } from '../notifications/destination-default.ts'

const kinds: readonly AlertKind[] = ['opened', 'problem', 'no_data', 'recovery', 'acknowledged']

/** Returns, for each kind of message, the names of the destinations that would receive this kind. Ignores maintenance. */
export async function recipientsOf(
  store: Store,
  subject: SubjectDocument,
  rule: RuleState,
  incident: IncidentDocument,
): Promise<IncidentRecipients> {
  const { id: incidentId, workspaceId, confirmedAt } = incident
  const [tables, routing, first] = await Promise.all([
    store.get('deliveryTables', [subject.id]),
    routingOf(store, subject, rule),
    store.find('deliveries', {
      where: { incidentId, alertKind: { in: ['opened', 'problem', 'no_data'] } },
      limit: limits.directory.listed,
    }),
  ])
  const destinations = await destinationsOf(store, workspaceId)
  const facts = {
    destinations,
    selections: tables[0]?.selections ?? [],
    subjectGone: false,
    isOvertaken: false,
    ...toldIn(first),
  }
  const namesOf = (kind: AlertKind): string[] =>
    chooseDestinations({ workspaceId, kind, held: null, facts: { confirmedAt, routing } }, facts).chosen.map(
      ({ destination: { name } }) => name,
    )
  return Object.fromEntries(kinds.map(kind => [kind, namesOf(kind)])) as IncidentRecipients
}

/**
 * Returns the destination or routes that the rule declares in its Template. Null: the rule declares no destination and no routes, or no
 * Template declares the rule.
 */
async function routingOf(store: Store, subject: SubjectDocument, { key, policy }: RuleState): Promise<AlertRouting> {
  if (policy.language !== 'decision' || subject.template === null) return null
  const id = `${subject.workspaceId}/${subject.template}`
  const template = (await readRevisions(store, [id])).get(id) ?? 'missing'
  const declared = isFault(template) ? undefined : template.rules.find(rule => rule.key === key)
  if (declared === undefined) return null
  const { routes, destination } = declared
  if (routes !== null) return { routes }
  return destination === null ? null : { destination }
}
