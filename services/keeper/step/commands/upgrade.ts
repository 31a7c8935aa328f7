// Binding of a website monitor to the Template with all options of its check (docs/reference/v3.md, 6.14). Pure.
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import { judgeSubject } from '../judging/judge-subject.ts'
import type { Handled, StepContext } from '../types.ts'
import { refused } from './refusal.ts'
import { answersOf, checked, invalid, newRule, shown, usableTemplate } from './resource-commands.ts'
import { nothingCustom } from './signal-commands.ts'

/**
 * Returns the monitor with the checks and rules of the Template. Readings, results and figures go on, because the first check of the Template
 * has the same sources; so does an open Incident of the rule `availability`.
 */
export function upgradeWebsite(
  subject: SubjectDocument,
  command: CommandOf<'rebind-resource'>,
  at: number,
  context: StepContext,
): Handled {
  if (subject.rules.length > 1 || (subject.custom?.signals ?? []).length > 0) {
    const fault = 'This monitor has signals or rules of generation 2, which no Template takes over'
    return { refused: invalid('template', fault) }
  }
  if (!isSameValue(subject.check, command.replaces))
    return refused('invalid_state', 'The monitor has changed meanwhile: send the request again')
  const template = usableTemplate({ ...subject, kind: 'template', template: command.template }, context)
  if ('refused' in template) return template
  const answers = answersOf(template, command.answers, {}, [])
  if ('refused' in answers) return answers
  const bound: SubjectDocument = {
    ...subject,
    kind: 'template',
    template: command.template,
    check: null,
    templated: { answers: answers.read, heard: {} },
    custom: nothingCustom,
    rules: template.rules.map(({ key }) => ruleAfter(key, subject.rules)),
    updatedAt: at,
  }
  const made = checked(bound, template, [], at)
  return 'refused' in made ? made : shown(judgeSubject(made.subject, at, context), at, context)
}

function ruleAfter(key: string, rules: readonly RuleState[]): RuleState {
  const { verdict = null, incident = null } = rules.find(rule => rule.key === key) ?? {}
  return { ...newRule(key), verdict, incident }
}
