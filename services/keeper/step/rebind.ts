// Binding a Resource to another revision of a published Template (docs/reference/v3.md, 6.5). Pure: stored Observations come with the surrounding.
import type { CommandOf } from '#shared/contracts/command.ts'
import type { HeardSignal } from '#shared/contracts/heard-signal.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Template } from '#shared/contracts/template.ts'
import { answersToKeep } from '#shared/manifest/answers.ts'
import { baselineDaysOn, countedOn } from '#shared/manifest/counted-on.ts'
import { ownMember } from '#shared/own-member.ts'
import { withBaselines } from './baselines.ts'
import { closeIncidents } from './close-incidents.ts'
import { judgeSubject } from './judge-subject.ts'
import { recall } from './recall.ts'
import { answersOf, invalid, newRule, shown, usableTemplate, withSignals } from './resource-commands.ts'
import type { Obeyed, StoredReports, Surrounding } from './types.ts'

/** All open incidents close, also of rules that both revisions have. It is judged at once. */
export function rebindResource(
  subject: SubjectDocument,
  command: CommandOf<'rebind-resource'>,
  at: number,
  surrounding: Surrounding,
): Obeyed {
  const { templated } = subject
  if (templated === null)
    return { refused: invalid('template', 'Only a Resource of a published Template is bound to another one') }
  if (command.template === subject.template)
    return { refused: invalid('template', `The Resource is bound to ${command.template} already`) }
  const template = usableTemplate({ ...subject, template: command.template }, surrounding)
  if ('refused' in template) return template
  const answers = answersOf(template, command.answers, answersToKeep(templated.answers, template))
  if ('refused' in answers) return answers
  const closed = closeIncidents(subject, { type: 'rule.removed', at }, surrounding)
  const bound = withSignals(closed, template, at)
  const rebound: SubjectDocument = {
    ...bound,
    template: command.template,
    templated: { answers: answers.read, heard: heardBy(bound, template, surrounding.stored) },
    rules: template.rules.map(rule => newRule(rule.key)),
    updatedAt: at,
  }
  return shown(judgeSubject(rebound, at, surrounding), at, surrounding)
}

/**
 * Counts and baselines go on: what the new rules look at and the old ones did not is recalled from what is stored (v3 4.6), also of a signal that
 * a sender had declared. Of the others nothing is forgotten here: another rebind of the same round may look at it.
 */
function heardBy({ id, custom, templated }: SubjectDocument, template: Template, stored: StoredReports) {
  const heard: Record<string, HeardSignal> = {}
  for (const { key, slug } of custom?.signals ?? []) {
    if (!template.signals.some(signal => signal.key === slug)) continue
    const known = templated === null ? undefined : ownMember(templated.heard, slug)
    const recalled = recall(known, stored.newest(id, key), Math.max(countedOn(template, slug), known?.recent.length ?? 0))
    if (recalled === null) continue
    const days = baselineDaysOn(template, slug).filter(length => recalled.baselines[length] === undefined)
    const measured = withBaselines(recalled, { subjectId: id, signalKey: key, days }, stored, null)
    heard[slug] = { ...recalled, baselines: { ...recalled.baselines, ...measured.baselines } }
  }
  return heard
}
