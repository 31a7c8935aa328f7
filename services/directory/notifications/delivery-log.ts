// Reads of the delivery log. Only notifiers write the log.
import type { DeliveryEntry, DeliveryView, LoggedDelivery } from '#shared/contracts/ask/ask-notifications.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type { Level } from '#shared/store/level.ts'
import { messagesByMonitor } from '#shared/store/migrations/0005-messages-by-monitor.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { endOfPrefix, subjectOfIncident } from '#shared/text/ids.ts'
import type { AskAnswerer } from '../context.ts'
import { readPage } from '../documents/page.ts'
import { pick } from '../documents/pick.ts'
import { namesOf } from '../incidents/incident-resources.ts'

/** Returns a page of attempts for generation 2, newest first. */
export const listDeliveries: AskAnswerer<'list-deliveries'> = (
  { store },
  { workspaceId, destinationNumber, failedOnly, limit, after },
) =>
  readPage(store, {
    collection: 'deliveryLog',
    where: {
      workspaceId,
      shownInV2: 1,
      ...(destinationNumber === null ? {} : { destinationNumber }),
      ...(failedOnly ? { status: 'failed' } : {}),
    },
    sort: ['number', 'desc'],
    after,
    max: limit,
    view: rows => rows.map(deliveryView),
  })

/** Returns a page of the messages about an incident, sent and held back, newest first. Reference: docs/reference/v3.md, 10.3. */
export const listIncidentDeliveries: AskAnswerer<'list-incident-deliveries'> = (
  { store },
  { workspaceId, incidentId, limit, after },
) => readPage(store, { ...newestFirst, where: { workspaceId, incidentId }, after, max: limit })

/** Returns a page of the messages for a destination, sent and held back, newest first. Reference: docs/reference/v3.md, 10.3. */
export const listDestinationDeliveries: AskAnswerer<'list-destination-deliveries'> = (
  { store },
  { workspaceId, destinationId, limit, after },
) => readPage(store, { ...newestFirst, where: { workspaceId, destinationId }, after, max: limit })

/**
 * Returns a page of rows, newest first. The filter by monitor selects the index range to read if it is set, and the
 * rows in this range that do not match the other filters are skipped. Else the filters by destination and status select it.
 */
export const listDeliveryLog: AskAnswerer<'list-delivery-log'> = (
  { store, level },
  { workspaceId, status, destinationId, subjectId, limit, after },
) => {
  const isWanted = (row: DeliveryLogDocument) =>
    (status === null || row.status === status) && (destinationId === null || row.destinationId === destinationId)
  const range =
    subjectId !== null
      ? aboutSubject(subjectId, level)
      : destinationId !== null
        ? { destinationId, ...(status === null ? {} : { status }) }
        : status === null
          ? {}
          : { status }
  return readPage(store, {
    collection: 'deliveryLog',
    where: { workspaceId, ...range },
    sort: [subjectId === null && destinationId === null ? 'number' : 'at', 'desc'],
    after,
    max: limit,
    view: async rows => {
      const about = await subjectsOf(store, rows.filter(isWanted))
      return rows.map(row => (isWanted(row) ? { ...loggedDelivery(row), ...about(row) } : null))
    },
  })
}

/** Returns the condition of rows about a monitor. Below the level, rows of earlier versions do not name it. */
function aboutSubject(subjectId: string, level: Level): NonNullable<Query['where']> {
  if (level.number() >= messagesByMonitor) return { subjectId }
  const prefix = `${subjectId}.`
  return { incidentId: { gte: prefix, lt: endOfPrefix(prefix) } }
}

/** Reads the monitors and rules that the rows are about. Reads only columns. */
async function subjectsOf(store: Store, rows: readonly DeliveryLogDocument[]) {
  const incidentIds = [...new Set(rows.flatMap(({ incidentId }) => incidentId ?? []))]
  if (incidentIds.length === 0) return () => ({ subject: null, rule: null })
  const query: Query = { where: { id: { in: incidentIds } }, limit: incidentIds.length, select: ['ruleShown'] }
  const [names, incidents] = await Promise.all([
    namesOf(store, incidentIds.map(subjectOfIncident)),
    store.find('incidents', query),
  ])
  const rules = new Map(incidents.map(({ id, ruleShown }) => [id, ruleShown]))
  return ({ incidentId }: DeliveryLogDocument): Pick<LoggedDelivery, 'subject' | 'rule'> => {
    const named = incidentId === null ? undefined : names.get(subjectOfIncident(incidentId))
    return { subject: named === undefined ? null : pick(named, ['id', 'name']), rule: rules.get(incidentId ?? '') ?? null }
  }
}

const loggedDelivery = (row: DeliveryLogDocument): Omit<LoggedDelivery, 'subject' | 'rule'> => {
  const { destinationId, payload, error, note = null } = row
  return { ...entryOf(row), destinationId, payload, error, note }
}

const entryOf = (row: DeliveryLogDocument): DeliveryEntry =>
  pick(row, ['at', 'destinationName', 'destinationType', 'event', 'status', 'reason', 'incidentId'])

const newestFirst = {
  collection: 'deliveryLog' as const,
  sort: ['at', 'desc'] as ['at', 'desc'],
  view: (rows: DeliveryLogDocument[]): DeliveryEntry[] => rows.map(entryOf),
}

/** Returns the attempt that a row records; null if generation 2 does not show the row. */
function deliveryView(row: DeliveryLogDocument): DeliveryView | null {
  const { destinationNumber, destinationName, destinationType, alertKind, status } = row
  if (destinationNumber === null || destinationName === null || destinationType === null) return null
  if (
    alertKind === 'opened' ||
    alertKind === 'acknowledged' ||
    alertKind === 'withdrawn' ||
    status === 'held' ||
    status === 'accepted'
  )
    return null
  const { number, payload, error, at } = row
  return { number, destinationNumber, destinationName, destinationType, alertKind, status, payload, error, at }
}
