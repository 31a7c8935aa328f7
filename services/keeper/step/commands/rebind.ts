// Binding of a Resource to another revision of a published Template (docs/reference/v3.md, 6.5). Pure: the context has the stored
// Observations.

import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import { scheduleKind } from '#shared/contracts/resources/schedule.ts'
import { checkKind, type Template } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { answersToKeep } from '#shared/manifest/answers.ts'
import { baselineDaysOn, countedOn } from '#shared/manifest/decision-reads.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { presentChecks } from '../checks/assign-checks.ts'
import { withBaselines } from '../judging/baselines.ts'
import { judgeSubject } from '../judging/judge-subject.ts'
import { recall } from '../recall.ts'
import { isMark } from '../schedules/run-entry.ts'
import type { Handler, StoredReports } from '../types.ts'
import { closeIncidents } from './incident-commands.ts'
import { answersOf, checked, invalid, newRule, shown, usableTemplate, withSignals } from './resource-commands.ts'
import { upgradeWebsite } from './upgrade.ts'

/** Binds the Resource and judges it at once. All open incidents close, also incidents of rules that both revisions have. */
export const rebindResource: Handler<'rebind-resource'> = (subject, command, at, context) => {
  const { templated } = subject
  if (command.replaces !== undefined && subject.check !== null) return upgradeWebsite(subject, command, at, context)
  if (templated === null)
    return { refused: invalid('template', 'Only a Resource of a published Template is bound to another one') }
  if (command.template === subject.template)
    return { refused: invalid('template', `The Resource is bound to ${command.template} already`) }
  const template = usableTemplate({ ...subject, template: command.template }, context)
  if ('refused' in template) return template
  const before = presentChecks(subject, context.templateOf)
  const answers = answersOf(template, command.answers, answersToKeep(templated.answers, template), before)
  if ('refused' in answers) return answers
  const closed = closeIncidents(subject, { type: 'rule.removed', at }, context)
  const bound = withSignals(closed, template, at)
  const rebound: SubjectDocument = {
    ...bound,
    template: command.template,
    templated: { ...templated, answers: answers.read, heard: heardBy(bound, template, context.stored) },
    rules: template.rules.map(rule => newRule(rule.key)),
    updatedAt: at,
  }
  const made = checked(rebound, template, before, at)
  return 'refused' in made ? made : shown(judgeSubject(made.subject, at, context), at, context)
}

/**
 * Returns the signals for the new rules. Counted Observations and baselines are kept. Observations that only the new rules need are added
 * from the stored rows (v3 4.6), also for a signal that a sender had declared. Observations that the new rules do not need stay, because
 * another rebind of the same round may need them.
 */
function heardBy({ id, custom, templated }: SubjectDocument, template: Template, stored: StoredReports) {
  const heard: Record<string, HeardSignal> = {}
  for (const { key, slug } of custom?.signals ?? []) {
    const declared = template.signals.find(signal => signal.key === slug && signal.kind !== checkKind)
    if (declared === undefined) continue
    const known = templated === null ? undefined : ownMember(templated.heard, slug)
    const rows = stored.newest(id, key)
    const readings = declared.kind === scheduleKind ? rows.filter(row => !isMark(row)) : rows
    const recalled = recall(known, readings, Math.max(countedOn(template, slug), known?.recent.length ?? 0))
    if (recalled === null) continue
    const days = baselineDaysOn(template, slug).filter(length => recalled.baselines[length] === undefined)
    const measured = withBaselines(recalled, { subjectId: id, signalKey: key, days }, stored, null)
    heard[slug] = { ...recalled, baselines: { ...recalled.baselines, ...measured.baselines } }
  }
  return heard
}
