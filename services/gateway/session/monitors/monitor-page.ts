// GET /session/monitors/{id}: one monitor with its rules, their evidence and open incidents, its newest reports and its maintenance window.

import type { IncidentFilters } from '#shared/contracts/ask/ask-incidents.ts'
import { LastIncident, MonitorDetail, MonitorIncident, MonitorRulePart } from '#shared/contracts/session/session-monitor.ts'
import type { MonitorRule, MonitorState } from '#shared/contracts/subjects/monitor-state.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { checkedValues } from '#shared/subjects/checked-values.ts'
import { timestamp, timestampOfMicroseconds } from '../../body/instants.ts'
import { writerOf } from '../../body/result-schema.ts'
import { roleIn } from '../../callers/access.ts'
import { pathId } from '../../http/answer.ts'
import type { Route } from '../../http/route.ts'
import { sayCauses } from '../../subjects/named-causes.ts'
import { evidenceObject } from '../../v3/incidents/evidence-object.ts'
import { monitorRow, nextStepObject, type RowWords } from '../../v3/monitors/monitor-row.ts'
import { lackAt } from '../../v3/resources/location-names.ts'
import { resourceObject } from '../../v3/resources/resource-object.ts'
import { noSuch } from '../caller/rights.ts'
import { identityOf, type SessionContext, type VisitorCall } from '../caller/session-call.ts'
import { member, route } from '../caller/session-route.ts'

type Found = MonitorState & { workspaceId: string }
type Means = Pick<SessionContext, 'clock' | 'directory' | 'incidentIds' | 'locationNames'>

/** Returns the monitor. A missing monitor gets the same refusal as a monitor in a workspace of which the caller is not a member. */
export const findMonitor = (context: Means, call: VisitorCall): Promise<Found> =>
  readMonitor(context, call, pathId(call, 'monitorId'))

async function readMonitor({ directory }: Pick<Means, 'directory'>, call: VisitorCall, subjectId: string): Promise<Found> {
  const found = await directory.ask('get-monitor', { subjectId }, call.traceId)
  const workspaceId = found?.resource.workspaceId ?? ''
  if (found === null || roleIn(call.visitor, workspaceId) === null) throw noSuch('Monitor')
  return { ...found, workspaceId }
}

/**
 * Returns the monitor for a page of the dashboard; the path parameter `id` names the monitor. Rejects with `not_found` in the same cases as
 * the route.
 */
export const monitorOfPage = async (context: Means, call: VisitorCall) =>
  detailOf(context, { ...call, found: await readMonitor(context, call, pathId(call, 'id')) })

const showMonitor = route('GET', '/monitors/:monitorId', {
  summary: 'One monitor with its rules, open incidents, newest reports and window.',
  needs: member,
  find: findMonitor,
  result: MonitorDetail,
  handler: (context, call) => detailOf(context, call),
})

async function detailOf(
  context: Means,
  { found, visitor, traceId }: Pick<VisitorCall, 'visitor' | 'traceId'> & { found: Found },
) {
  const { clock, directory, incidentIds } = context
  const { resource, row, rules, signals, expects, window, workspaceId } = found
  const isCalm = rules.every(({ incident }) => incident === null)
  const [places, last] = await Promise.all([
    directory.ask('list-locations', {}, traceId),
    isCalm
      ? directory.ask('list-incidents', { workspaceId, filters: ofMonitor(resource.id), after: null, limit: 1 }, traceId)
      : null,
  ])
  const latest = last?.items[0]
  const causes = [row?.incident?.cause, row?.why, latest?.cause, ...rules.map(({ incident }) => incident?.cause)]
  const viewOf = (id: string) => places.find(place => place.id === id) ?? null
  const words = {
    encode: incidentIds.encode,
    sayCause: await sayCauses(context, causes, traceId),
    placeOf: (id: string) => viewOf(id)?.name ?? null,
  }
  const reader = { nameOf: words.placeOf, lackOf: (id: string, kind: string) => lackAt(viewOf(id), kind) }
  const checked = (resource.checks ?? []).flatMap(({ locations }) => locations.map(({ id }) => id))
  const named = new Set(resource.check?.locations ?? checked)
  return {
    at: timestamp(clock.now()),
    workspace_id: workspaceId,
    kind: resource.kind,
    row: row && monitorRow(row, words),
    resource: resourceObject(resource, { incidentIds, identity: identityOf(visitor), ...reader }),
    rules: rules.map(rule => ruleObject(rule, words)),
    last_incident:
      latest === undefined ? null : writeLast({ ...latest, id: words.encode(latest.id), cause: words.sayCause(latest.cause) }),
    signals: signals.map(({ locationId, atUs, ...signal }) => ({
      ...signal,
      location_id: locationId,
      at: timestampOfMicroseconds(atUs),
    })),
    expects,
    window,
    values: checkedValues(resource).map(({ ends, ...value }) => ({ ...value, ends: ends?.what ?? null })),
    locations: Object.fromEntries(places.filter(({ id }) => named.has(id)).map(({ id, name }) => [id, name])),
  }
}

const ofMonitor = (id: string): IncidentFilters => ({
  state: 'all',
  template: null,
  meta: [],
  labels: [],
  resources: [id],
  rule: null,
  isOpen: null,
  isConfirmed: null,
  isAcknowledged: null,
})

const writeLast = writerOf(LastIncident)
const writeRule = writerOf(MonitorRulePart)
const writeIncident = writerOf(MonitorIncident)

const ruleObject = ({ isOfLocations, verdict, incident, next, ...rule }: MonitorRule, words: RowWords) =>
  writeRule({
    ...rule,
    verdict: verdict?.verdict ?? null,
    since: verdict?.since ?? null,
    explanation: verdict && redactedText(verdict.explanation),
    evidence: verdict && evidenceObject(verdict.evidence, isOfLocations),
    incident: incident && incidentObject(incident, next, words),
  })

function incidentObject(
  { value, context, transitions, cause }: NonNullable<MonitorRule['incident']>,
  next: MonitorRule['next'],
  { encode, sayCause }: RowWords,
) {
  const { incidentId, acknowledgedAt: at, acknowledgedBy: by, acknowledgedVia: via } = context
  return writeIncident({
    ...context,
    id: encode(incidentId),
    state: value as MonitorIncident['state'],
    cause: sayCause(cause),
    next: nextStepObject(next),
    sequence: transitions,
    acknowledged: at === null || by === null ? null : { at: timestamp(at), by, via: via ?? 'api' },
  })
}

export const monitorPageRoutes: readonly Route[] = [showMonitor]
