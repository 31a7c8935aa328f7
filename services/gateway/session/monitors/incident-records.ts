// GET /session/incidents/{id}/records: all transitions of an incident's machine with their evidence, and the transition that each possible
// next event would cause. GET …/inspection: the same records in the Stately inspection protocol.
import { Type } from 'typebox'
import { inspectionOf } from '#machines/incident-inspection.ts'
import { incidentOutlook, type Step } from '#machines/incident-outlook.ts'
import type { IncidentRecipients, IncidentRecords } from '#shared/contracts/ask/ask-subjects.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { IncidentRecordObject, IncidentRecordsPage, type OutlookStep } from '#shared/contracts/session/session-incidents.ts'
import { isOfLocations } from '#shared/incidents/incident-record.ts'
import { causeOf, storedCause } from '#shared/judging/incident-cause.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { isPlatformKey, locationOfKey } from '#shared/subjects/resource-signals.ts'
import { timestamp } from '../../body/instants.ts'
import { writerOf } from '../../body/result-schema.ts'
import { roleIn } from '../../callers/access.ts'
import { pathPart } from '../../http/answer.ts'
import type { QueryParameter, Route } from '../../http/route.ts'
import { sayCauses } from '../../subjects/named-causes.ts'
import { evidenceObject } from '../../v3/incidents/evidence-object.ts'
import { sessionQuery } from '../caller/query.ts'
import { noSuch } from '../caller/rights.ts'
import type { SessionContext, VisitorCall } from '../caller/session-call.ts'
import { member, route } from '../caller/session-route.ts'

const one = '/incidents/:incidentId'

const query: Record<string, QueryParameter> = {
  after: {
    schema: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    meaning: 'Only records with a higher sequence; absent: all of them.',
  },
}

interface Found {
  incident: IncidentDocument
  workspaceId: string
  records: IncidentRecords
}

/**
 * Returns a page of the incident's records. A missing incident gets the same refusal as an incident in a workspace of which the caller is
 * not a member.
 */
async function findRecords({ directory, incidentIds }: SessionContext, call: VisitorCall): Promise<Found> {
  const { visitor, request, traceId } = call
  const id = incidentIds.decode(pathPart(call, 'incidentId'))?.incidentId
  const afterSequence = (sessionQuery(query, call)['after'] ?? 0) as number
  const records = id === undefined ? null : await directory.ask('get-incident-records', { id, afterSequence }, traceId)
  const incident = records?.incident ?? null
  if (records === null || incident === null || roleIn(visitor, incident.workspaceId) === null) throw noSuch('Incident')
  if (request.letIn !== null) request.letIn.workspaceId = incident.workspaceId
  return { incident, workspaceId: incident.workspaceId, records }
}

const readRecords = route('GET', `${one}/records`, {
  summary: 'The records of an incident, oldest first, and what comes next.',
  needs: member,
  find: findRecords,
  query,
  result: IncidentRecordsPage,
  refusals: ['invalid'],
  handler: async (context, { found: { incident, workspaceId, records }, traceId }) => {
    const { clock } = context
    const { history, more, held } = records
    const now = clock.now()
    const cause = held?.snapshot.cause ?? causeIn(incident, history)
    const recipients = held?.recipients ?? null
    const outlook = held && incidentOutlook(held.snapshot, now, held.mutedTo)
    return {
      at: timestamp(now),
      workspace_id: workspaceId,
      monitor_id: incident.subjectId,
      rule_name: incident.rule.name,
      cause: (await sayCauses(context, [cause], traceId))(cause),
      records: history.map(entry => recordObject(entry, isOfLocations(incident.ruleKey))),
      more,
      locations: await namesIn(context, history, isOfLocations(incident.ruleKey), traceId),
      outlook: outlook && {
        by_time: outlook.byTime && stepObject(outlook.byTime, recipients),
        by_report: outlook.byReport.map(step => stepObject(step, recipients)),
      },
    }
  },
})

const inspect = route('GET', `${one}/inspection`, {
  summary: 'The records of an incident as messages of the Stately inspection protocol.',
  needs: member,
  find: findRecords,
  query,
  result: Type.Object({ messages: Type.Array(Type.Record(Type.String(), Type.Unknown())), more: Type.Boolean() }),
  refusals: ['invalid'],
  handler: async (_context, call) => {
    const { history, more } = call.found.records
    const plain = history.map(entry => ({ ...entry, explanation: redactedText(entry.explanation) }))
    return { messages: [...inspectionOf(pathPart(call, 'incidentId'), plain)], more }
  },
})

/**
 * Returns the names of the locations that the evidence mentions, by location id. `ofLocations`: its inputs are locations, or those of a
 * Template's rule of the same key.
 */
async function namesIn(
  { directory }: SessionContext,
  history: readonly HistoryDocument[],
  ofLocations: boolean,
  traceId: string,
): Promise<Record<string, string>> {
  const inputs = history.flatMap(({ evidence }) => evidence?.inputs.map(({ input }) => input) ?? [])
  const isNamed = (input: string): boolean => ofLocations || isPlatformKey(input)
  const read = new Set(inputs.filter(isNamed).map(locationOfKey))
  if (read.size === 0) return {}
  const places = await directory.ask('list-locations', {}, traceId)
  return Object.fromEntries(places.filter(({ id }) => read.has(id)).map(({ id, name }) => [id, name]))
}

/** Returns the cause. The first record of a recovered incident that was stored before causes were still names what failed. */
function causeIn(incident: IncidentDocument, [first]: readonly HistoryDocument[]) {
  const ofLocations = isOfLocations(incident.ruleKey)
  const stored = storedCause(incident, ofLocations)
  if (stored !== null || incident.cause !== undefined || first?.sequence !== 1 || first.evidence === null) return stored
  return causeOf({ verdict: first.condition, explanation: first.explanation, evidence: first.evidence }, ofLocations)
}

const writeRecord = writerOf(IncidentRecordObject)

const recordObject = ({ event, explanation, evidence, ...entry }: HistoryDocument, ofLocations: boolean) =>
  writeRecord({
    ...entry,
    event: event.type,
    eventAt: event.at,
    state: entry.state as IncidentRecordObject['state'],
    explanation: redactedText(explanation),
    evidence: evidence && evidenceObject(evidence, ofLocations),
  })

/**
 * Returns one possible transition of the incident in the form of the response. `recipients` null: it is not known who would get the
 * messages.
 */
export function stepObject({ event, at, to, orders }: Step, recipients: IncidentRecipients | null): OutlookStep {
  const message = orders.find(order => order.type === 'announce')?.params
  return {
    event,
    at: timestamp(at),
    to,
    announces: message?.kind ?? null,
    reminder: message?.reminder ?? false,
    held: message?.held ?? false,
    recipients: message === undefined ? null : (recipients?.[message.kind] ?? null),
  }
}

export const incidentRecordRoutes: readonly Route[] = [readRecords, inspect]
