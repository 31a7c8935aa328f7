// Log lines about monitors and incidents. Each change of a commit is logged once, with names that people know and ids that the API shows.
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { second } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { ChangedDraft } from './round/draft.ts'

export interface LifeOptions {
  logger: Logger
  /** Returns the public id of an incident. */
  encodeIncidentId(internalId: string): string
}

/** Logs the changes of one commit. `before`: the subject as last committed; null: the subject did not exist. */
export function logLife({ logger, encodeIncidentId }: LifeOptions, before: SubjectDocument | null, draft: ChangedDraft): void {
  if (!logger.isLevelEnabled('info')) return
  const after = draft.subject
  const { id: subjectId, name: subject, slug, kind, workspaceId } = after
  const monitor = { subject, subjectId, slug, kind, workspaceId }
  if (before === null) logger.info(monitor, 'monitor created')
  for (const change of changesOf(before, draft)) logger.info({ ...monitor, change }, 'monitor changed')
  if (after.deletedAt !== null && (before?.deletedAt ?? null) === null) logger.info(monitor, 'monitor deleted')
  for (const incident of incidentsOf(after)) {
    const rule = nameOf(after, incident.ruleKey) ?? nameOf(before, incident.ruleKey) ?? incident.ruleKey
    const steps = stepsOf(standingOf(before, incident.id), incident)
    if (steps.length === 0) continue
    const about = { incident: encodeIncidentId(incident.id), subject, subjectId, rule }
    for (const { sentence, fields } of steps) logger.info({ ...about, ...fields }, sentence)
  }
}

const changing = new Set<string>([
  'update-website',
  'create-signal',
  'update-signal',
  'delete-signal',
  'create-rule',
  'replace-rule',
  'delete-rule',
  'archive-resource',
  'rebind-resource',
])

/** Returns the commands by which people changed the subject, without retries that only got the stored reply. */
const changesOf = (before: SubjectDocument | null, { replies }: ChangedDraft): string[] =>
  replies.flatMap(({ waiting: { input }, reply }) => {
    if (input.kind !== 'command' || !reply.ok || !changing.has(input.command.kind)) return []
    const isRepeated = before?.idempotency.some(({ id }) => id === input.command.id) === true
    return isRepeated ? [] : [input.command.kind]
  })

const incidentsOf = ({ outbox }: SubjectDocument): IncidentDocument[] =>
  outbox.flatMap(entry => (entry.mode === 'advance' && entry.collection === 'incidents' ? [entry.document] : []))

type Standing = Pick<IncidentDocument, 'confirmedAt' | 'closedAt'>

/** Returns the earlier state of the incident, from the outbox or from the incident's rule; null: the incident is new. */
function standingOf(before: SubjectDocument | null, incidentId: string): Standing | null {
  if (before === null) return null
  const written = incidentsOf(before).find(({ id }) => id === incidentId)
  const open = before.rules.find(({ incident }) => incident?.context.incidentId === incidentId)?.incident?.context
  return written ?? open ?? null
}

function stepsOf(before: Standing | null, now: IncidentDocument): { sentence: string; fields: Record<string, unknown> }[] {
  const { troubleSince, confirmedAt, closedAt, closedReason, condition, explanation } = now
  const since = new Date(troubleSince).toISOString()
  const steps = []
  if (before === null) steps.push({ sentence: 'incident opened', fields: { condition, since, explanation } })
  if (confirmedAt !== null && (before?.confirmedAt ?? null) === null) {
    steps.push({ sentence: 'incident confirmed', fields: { condition, since, explanation } })
  }
  if (closedAt !== null && (before?.closedAt ?? null) === null) {
    const lastedSeconds = Math.round((closedAt - troubleSince) / second)
    steps.push({ sentence: 'incident closed', fields: { reason: closedReason, since, lastedSeconds } })
  }
  return steps
}

const nameOf = (subject: SubjectDocument | null, ruleKey: string): string | undefined =>
  subject?.rules.find(({ key }: RuleState) => key === ruleKey)?.name
