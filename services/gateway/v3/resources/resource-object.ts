// A Resource in the form of generation 3. Reference: docs/reference/v3.md, 6.6 and 11.2.
import { Type } from 'typebox'
import { checkAnswers, namedCheckAnswers } from '#shared/checks/check-answers.ts'
import { fieldsOf, kindOf, offeredKinds } from '#shared/checks/registry.ts'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type {
  ResourceCheckView,
  ResourceRuleView,
  ResourceView,
  ScheduleView,
} from '#shared/contracts/resources/resource-views.ts'
import { signalKinds } from '#shared/contracts/resources/template.ts'
import { agreements } from '#shared/contracts/subjects/checked-signal.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { findSystemTemplate } from '#shared/manifest/system-templates.ts'
import { redactedAnswers } from '#shared/secrecy/redacted-answers.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { redactedMembers } from '#shared/secrecy/redacted-value.ts'
import { timestamp } from '../../body/instants.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import { isRedactedIn } from '../../callers/redacted-readers.ts'
import { RuleRoute, ruleRoute } from '../templates/route-of-rule.ts'

const explained = { examples: ['beat problem'] }

const OpenIncident = Answered('OpenIncident', {
  id: Type.String({ examples: ['INCIDENT_ID'] }),
  standing: Type.Enum(['unconfirmed', 'problem', 'no_data', 'recovering']),
  explanation: Type.String(explained),
})

const item = {
  id: Type.String(),
  key: Type.String({ examples: ['backup-1'] }),
  name: Type.String({ examples: ['Nightly backup'] }),
  template: OrNull(
    Type.String({ description: 'key@version; null of a custom subject of generation 2.', examples: ['heartbeat@1'] }),
  ),
  meta: Type.Record(Type.String(), Type.Unknown(), { examples: [{}] }),
  labels: Type.Record(Type.String(), Type.String(), { examples: [{ env: 'production' }] }),
  created_at: Instant,
  archived_at: OrNull(Instant),
  open_incident: OrNull(OpenIncident),
}

export const ResourceItem = Answered('ResourceItem', item)
const writeItem = writerOf(ResourceItem)

const ResourceRule = Type.Object({
  key: Type.String({ examples: ['failing'] }),
  signals: Type.Array(Type.String({ examples: ['beat'] })),
  status: OrNull(Type.Enum(['problem', 'ok', 'no_data'])),
  explanation: OrNull(Type.String(explained)),
  since: OrNull(Instant),
  open_incident: OrNull(Type.String({ examples: ['INCIDENT_ID'] })),
  action: OrNull(Type.String({ examples: ['Look at the log of the sender.'] })),
  destination: OrNull(Type.String({ examples: ['aB3dE6gH9k'] })),
  routes: OrNull(Type.Array(RuleRoute)),
})
const writeRule = writerOf(ResourceRule)

const ResourceCheck = Answered('ResourceCheck', {
  signal: Type.String({ examples: ['page'] }),
  type: Type.String({ description: 'Kind of the check.', examples: [offeredKinds()[0]?.key] }),
  every_seconds: Type.Integer({ examples: [60] }),
  agreement: Type.Enum([...agreements]),
  locations: Type.Array(
    Type.Object({
      id: Type.String({ examples: ['aB3d'] }),
      name: OrNull(Type.String({ description: 'Null of a Location that was deleted.', examples: ['fra1'] })),
      state: OrNull(Type.Enum(['ok', 'problem'])),
      value: OrNull(Type.Number()),
      at: OrNull(Instant),
      reason: OrNull(Type.String()),
      cannot: OrNull(Type.String({ description: 'Why the newest check could not be made, or why nobody makes one there.' })),
    }),
    {
      examples: [
        [{ id: 'aB3d', name: 'fra1', state: 'ok', value: 42, at: '2026-01-05T12:02:00.000Z', reason: null, cannot: null }],
      ],
    },
  ),
})

const RunsOfSignal = Type.Object(
  {
    state: Type.Enum(['down', 'started', 'late', 'up', 'new']),
    expected_at: OrNull(Instant),
    missed_at: OrNull(Instant),
    started_at: OrNull(Instant),
    last: OrNull(
      Type.Object({
        at: Instant,
        state: Type.Enum(['ok', 'problem']),
        duration_seconds: OrNull(Type.Number()),
        exit_status: OrNull(Type.Integer()),
      }),
    ),
  },
  { description: 'Of a scheduled signal: its runs.' },
)

const instantOrNull = (at: number | null) => (at === null ? null : timestamp(at))

const runsObject = ({ state, expectedAt, missedAt, startedAt, last }: ScheduleView) => ({
  state,
  expected_at: instantOrNull(expectedAt),
  missed_at: instantOrNull(missedAt),
  started_at: instantOrNull(startedAt),
  last: last && {
    ...{ at: timestamp(last.at), state: last.state, duration_seconds: last.seconds, exit_status: last.exitStatus },
  },
})

export const ResourceObject = Answered('Resource', {
  ...item,
  checks: Type.Optional(
    Type.Array(ResourceCheck, { description: 'Checked signals of the Template; absent of a Template without any.' }),
  ),
  signals: Type.Array(
    Type.Object({
      id: Type.String({ examples: ['s1'] }),
      key: Type.String({ examples: ['beat'] }),
      kind: Type.Enum([...signalKinds]),
      states: Type.Array(Type.Enum(['ok', 'problem', 'no_data'])),
      schedule: Type.Optional(RunsOfSignal),
    }),
  ),
  rules: Type.Array(ResourceRule),
  maintenance: OrNull(Type.Object({ from: Instant, until: Instant, by: Type.String({ examples: ['Ada'] }) })),
})

export interface ResourceReader {
  incidentIds: IncidentIds
  identity: Identity
  /** Returns the name of a Location; absent: no names are known. */
  nameOf?: (locationId: string) => string | null
  /** Returns why no prober of a Location makes checks of a kind; null: one does. Absent: nothing is known of probers. */
  lackOf?: (locationId: string, kind: string) => string | null
  /** True: `meta` has no delay that nobody named; absent: it has the delays in force. */
  isNamed?: boolean
}

export function resourceItem(resource: ResourceView, reader: ResourceReader) {
  const openIncident = openIncidentOf(resource, reader.incidentIds)
  const isRedacted = isRedactedIn(resource.workspaceId, reader.identity)
  const labels = isRedacted ? redactedMembers(resource.labels) : resource.labels
  return writeItem({ ...resource, meta: metaOf(resource, reader, isRedacted), labels, openIncident })
}

export function resourceObject(resource: ResourceView, reader: ResourceReader) {
  const { signals, rules, maintenance } = resource
  const isRedacted = isRedactedIn(resource.workspaceId, reader.identity)
  return {
    ...resourceItem(resource, reader),
    signals: signals.map(({ id, key, kind, isPlatform, schedule }) => ({
      id,
      key,
      kind,
      states: isPlatform ? ['ok', 'problem'] : ['ok', 'problem', 'no_data'],
      ...(schedule === undefined ? {} : { schedule: runsObject(schedule) }),
    })),
    ...(resource.checks === undefined
      ? {}
      : {
          checks: resource.checks.map(check =>
            checkObject(check, resource.archivedAt === null ? reader : { ...reader, lackOf: () => null }),
          ),
        }),
    rules: rules.map(rule => ruleObject(isRedacted ? withRedactedAction(rule) : rule, reader.incidentIds)),
    maintenance: maintenance && {
      from: timestamp(maintenance.startedAt),
      until: timestamp(maintenance.endsAt),
      by: maintenance.by,
    },
  }
}

function checkObject(
  { signal, type, everySeconds, agreement, locations }: ResourceCheckView,
  { nameOf, lackOf }: Pick<ResourceReader, 'nameOf' | 'lackOf'>,
) {
  const places = locations.map(({ id, state, value, at, reason, cannot }) => ({
    ...{ id, name: nameOf?.(id) ?? null, state, value },
    at: at === null ? null : timestamp(at),
    reason: reason === null ? null : redactedText(reason),
    cannot: cannot ?? lackOf?.(id, type) ?? null,
  }))
  return { signal, type, every_seconds: everySeconds, agreement, locations: places }
}

const ruleObject = ({ openIncident, routes, ...rule }: ResourceRuleView, { encode }: IncidentIds) =>
  writeRule({
    ...rule,
    routes: routes === null ? null : routes.map(ruleRoute),
    openIncident: openIncident === null ? null : encode(openIncident),
  })

const withRedactedAction = (rule: ResourceRuleView): ResourceRuleView => ({
  ...rule,
  action: rule.action === null ? null : redactedText(rule.action),
})

/** Returns the worst open Incident. If several are equally bad, returns the oldest of them (v3 5.5). */
function openIncidentOf({ rules }: ResourceView, incidentIds: IncidentIds) {
  const open = rules.filter(rule => rule.openIncident !== null)
  const [first] = open.toSorted((one, other) => rankOf(one) - rankOf(other) || numberOf(one) - numberOf(other))
  if (first?.openIncident == null || first.standing === null) return null
  return { id: incidentIds.encode(first.openIncident), standing: first.standing, explanation: first.explanation ?? '' }
}

const standings: readonly ResourceRuleView['standing'][] = ['problem', 'no_data', 'unconfirmed', 'recovering']

const rankOf = ({ standing }: ResourceRuleView): number => standings.indexOf(standing)

/** Returns the number of an incident. A Resource's incidents are numbered in the order of their opening. */
const numberOf = ({ openIncident }: ResourceRuleView): number => Number(openIncident?.split('.')[1])

function metaOf(
  { template, answers, check, usualDelays }: ResourceView,
  { isNamed = false }: ResourceReader,
  isRedacted: boolean,
): Record<string, unknown> {
  // Secrets are hidden already, and URLs are recognised by their form, so only the names of the fields decide, and what the system says of
  // its own.
  const { fields } = (template && findSystemTemplate(template)) || { fields: [] }
  if (check === null) return isRedacted ? redactedAnswers(fields, answers ?? {}) : { ...answers }
  const stored = isNamed ? namedCheckAnswers(check) : checkAnswers(check, usualDelays ?? undefined)
  return isRedacted ? redactedAnswers(fieldsOf(kindOf(check)), stored) : stored
}
