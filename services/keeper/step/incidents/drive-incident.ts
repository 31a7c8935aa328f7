// Driver of the incident machine of one rule: sends it the verdict of one instant, and adds the resulting documents (incident, history,
// alerts) to the outbox. Pure.

import { incidentMachine, incidentVersion } from '#machines/incident.ts'
import type { Announcement, IncidentEffect, IncidentEvent } from '#machines/incident-types.ts'
import { initialTransition, type Order, transition } from '#machines/transition.ts'
import type { HistoryDocument, IncidentCause, IncidentContext, IncidentSnapshot } from '#shared/contracts/incidents/incident.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Judgement } from '#shared/judging/judgement.ts'
import { limits } from '#shared/limits/limits.ts'
import { incidentId } from '#shared/text/ids.ts'
import { addToOutbox } from '../change.ts'
import { templateFault } from '../judging/resource-template.ts'
import type { StepContext } from '../types.ts'
import { isMuted } from './drive-window.ts'
import { alertDocument, historyDocument, incidentDocument, incidentWords, type Recorded } from './incident-documents.ts'
import { conditionOf, movesHold, movesIncident } from './verdict-moves.ts'

export interface Holds {
  confirmAfterMs: number
  closeAfterMs: number
}

interface Drive {
  subject: SubjectDocument
  rule: RuleState
  judgement: Judgement
  /** Cause that an incident gets which this judgement opens. */
  cause?: IncidentCause | null
  /** True if silence that is held back would change the verdict (ADR 22). Then `ok` closes no incident, and `no_data` confirms none. */
  isProvisional?: boolean
  at: number
  context: StepContext
}

/** Records the verdict at the instant `at`, opens, moves or closes the incident, and adds the resulting documents to the outbox. */
export function driveIncident(drive: Drive, holds: Holds): SubjectDocument {
  const before = drive.rule.incident
  let next = drive
  let isChanged = false
  if (before === null) {
    const condition = conditionOf(drive)
    if (condition === null || condition === 'ok') return withRule(drive.subject, drive.rule)
    next = open(drive, condition, holds)
    isChanged = true
  } else {
    const { confirmAfterMs, closeAfterMs } = before.context
    if (confirmAfterMs !== holds.confirmAfterMs || closeAfterMs !== holds.closeAfterMs) {
      next = send(next, { type: 'policy.replaced', at: drive.at, ...holds, ...provisional(drive) })
    }
    const condition = conditionOf(drive)
    isChanged = condition !== null && movesIncident(drive.rule, drive)
    if (condition !== null && isChanged) {
      const flapping = condition === 'ok' ? flapsUntil(drive) : {}
      next = send(next, {
        type: `${condition}.judged`,
        at: drive.at,
        ...mutedAt(drive, drive.at),
        ...provisional(drive),
        ...flapping,
      })
    } else if (movesHold(drive.rule, drive))
      next = send(next, { type: condition === null ? 'unknown.judged' : 'known.judged', at: drive.at })
  }
  next = elapse(next)
  if (isChanged && next.rule.incident?.context.confirmedAt === null && isFlapping(drive))
    next = send(next, { type: 'flapping.counted', at: drive.at, ...mutedAt(drive, drive.at) })
  const { incident } = next.rule
  return incident === null ? withRule(next.subject, next.rule) : withIncident(next, incident)
}

/** Sends one event that is not a judgement (an acknowledgement, a removal) to the rule's open incident. */
export function sendToIncident(drive: Drive, event: IncidentEvent): SubjectDocument {
  const next = send(drive, event)
  const { incident } = next.rule
  return incident === null ? drive.subject : withIncident(next, incident)
}

const withRule = (subject: SubjectDocument, rule: RuleState): SubjectDocument => ({
  ...subject,
  rules: subject.rules.map(other => (other.key === rule.key ? rule : other)),
})

/** Returns the subject with its changed rule, and the incident's document in the outbox. A closed incident is removed from its rule. */
function withIncident({ subject, rule, judgement }: Drive, incident: IncidentSnapshot): SubjectDocument {
  const document = incidentDocument(subject, rule, incident, judgement)
  const left = incident.value === 'closed' ? { ...rule, incident: null } : rule
  return addToOutbox(withRule(subject, left), { mode: 'advance', collection: 'incidents', document })
}

function open(drive: Drive, condition: 'problem' | 'no_data', holds: Holds): Drive {
  const number = drive.subject.incidents + 1
  const said = { ...holds, ...loudness(drive) }
  const input = { incidentId: incidentId(drive.subject.id, number), ruleKey: drive.rule.key, at: drive.at, condition, ...said }
  const [opened, orders] = initialTransition(incidentMachine, input)
  const incident: IncidentSnapshot = {
    machine: 'incident',
    version: incidentVersion,
    value: opened.value,
    context: opened.context,
    transitions: 0,
    alerts: 0,
    words: incidentWords(drive.subject, drive.rule, drive.context.templateOf),
    cause: drive.cause ?? null,
  }
  const rule = { ...drive.rule, incident }
  const subject = withRule({ ...drive.subject, incidents: number }, rule)
  // The first record contains the machine's input, so that the incident can be rebuilt from its records alone.
  const event = { type: `${condition}.judged`, at: drive.at, ...said, ...provisional(drive) }
  const opening = record({ ...drive, subject, rule }, incident, { kind: 'pending', event, before: null })
  return carryOut(opening, orders, event, null)
}

/** Returns how the opening of an incident is announced. Only a Template's rule announces an opening; maintenance holds the message back. */
function loudness(drive: Drive): { announcesAll?: true; muted?: true } {
  return drive.rule.policy.language === 'decision' ? { announcesAll: true, ...mutedAt(drive, drive.at) } : {}
}

/** Sends the timed events that are due at `at`, in order. */
function elapse(drive: Drive): Drive {
  let next = drive
  for (let sent = 0; sent < limits.keeper.deadlinesPerInput; sent++) {
    const event = elapsedEvent(next)
    if (event === null) return next
    next = send(next, event)
  }
  throw new Error(
    `incident ${next.rule.incident?.context.incidentId} has more than ${limits.keeper.deadlinesPerInput} deadlines due at once`,
  )
}

function elapsedEvent(drive: Drive): IncidentEvent | null {
  const { rule, isProvisional = false, at, context } = drive
  const incident = rule.incident
  const deadlineAt = incident?.context.deadlineAt ?? null
  if (incident === null || deadlineAt === null || deadlineAt > at) return null
  const isJudged = conditionOf(drive) !== null
  if (incident.value === 'pending')
    return isJudged && !isProvisional ? { type: 'hold.elapsed', at: deadlineAt, ...mutedAt(drive, deadlineAt) } : null
  if (incident.value === 'recovering') return isJudged && !isProvisional ? { type: 'recovery.elapsed', at: deadlineAt } : null
  // A reminder that was due before this instant is skipped. A reminder that was due later is still sent.
  const missedTo = context.now - limits.keeper.reminderLateMs
  if (deadlineAt >= missedTo) return { type: 'reminder.due', at: deadlineAt, ...mutedAt(drive, deadlineAt) }
  return { type: 'reminder.missed', at: missedTo }
}

/** Returns `muted: true` while a window runs, otherwise no field. */
const mutedAt = ({ subject }: Drive, at: number): { muted?: true } => (isMuted(subject, at) ? { muted: true } : {})

/** Returns `provisional: true` for a provisional verdict, otherwise no field. */
const provisional = ({ isProvisional }: Drive): { provisional?: true } => (isProvisional ? { provisional: true } : {})

const isFlapping = ({ judgement: { flapping } }: Drive): boolean => flapping !== undefined && flapping.until !== null

/** Returns the instant until which the rule is flapping; no field: it is not flapping. */
const flapsUntil = ({ judgement: { flapping } }: Drive): { flapsUntil?: number } =>
  flapping === undefined || flapping.until === null ? {} : { flapsUntil: flapping.until }

function send(drive: Drive, event: IncidentEvent): Drive {
  const held = drive.rule.incident
  if (held === null) return drive
  const [moved, orders] = transition(incidentMachine, restored(held), event)
  const incident: IncidentSnapshot = { ...held, value: moved.value, context: moved.context }
  return carryOut({ ...drive, rule: { ...drive.rule, incident } }, orders, event, held.context)
}

function carryOut(
  drive: Drive,
  orders: readonly Order[],
  event: HistoryDocument['event'],
  before: IncidentContext | null,
): Drive {
  let next = drive
  for (const order of orders as IncidentEffect[]) {
    const moving = next.rule.incident as IncidentSnapshot
    if (order.type === 'record') next = record(next, moving, { kind: order.params.kind, event, before })
    if (order.type === 'announce') next = announce(next, moving, order.params)
  }
  return next
}

const restored = (held: IncidentSnapshot) => incidentMachine.resolveState({ value: held.value, context: held.context })

function record(drive: Drive, held: IncidentSnapshot, recorded: Recorded): Drive {
  const incident = { ...held, transitions: held.transitions + 1 }
  const document = historyDocument(drive.subject, incident, drive.judgement, recorded)
  return {
    ...drive,
    subject: addToOutbox(drive.subject, { mode: 'insert', collection: 'history', document }),
    rule: { ...drive.rule, incident },
  }
}

function announce(drive: Drive, held: IncidentSnapshot, order: Announcement): Drive {
  const { now, templateOf, isUnannounced } = drive.context
  // The destinations of a missing or damaged Template are unknown (v3 4.13). What is open elsewhere ends where it was opened (10.16).
  const isFaulty = templateFault(drive.subject, templateOf) !== null
  if (isUnannounced || (isFaulty && order.kind !== 'withdrawn')) return drive
  const incident = { ...held, alerts: held.alerts + 1 }
  const words = isFaulty ? null : templateOf
  const document = alertDocument(drive.subject, incident, drive.judgement, { ...order, now, templateOf: words })
  return {
    ...drive,
    subject: addToOutbox(drive.subject, { mode: 'insert', collection: 'alerts', document }),
    rule: { ...drive.rule, incident },
  }
}
