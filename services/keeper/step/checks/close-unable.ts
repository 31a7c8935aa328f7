// End of Incidents that could never end: those of rules whose checks nobody can make any longer, because their target has changed. Pure.
// Reference: docs/reference/v3.md, 4.15.
import type { CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { Reading, RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { signalsOf } from '#shared/manifest/read-decision.ts'
import { sourceAt } from '#shared/subjects/sources.ts'
import { closeIncidents } from '../commands/incident-commands.ts'
import { templateRuleOf } from '../judging/resource-template.ts'
import type { StepContext } from '../types.ts'

/** Closes the open Incident of each rule that reads checks alone, if no Location can make any of them. */
export function closeUnable(subject: SubjectDocument, context: StepContext): SubjectDocument {
  const checks = (subject.templated?.checks ?? []).filter(({ locations }) => locations.length > 0)
  const unable = new Set(checks.filter(check => isUnable(check, subject.readings)).map(({ signal }) => signal))
  const isOver = (rule: RuleState): boolean => {
    const declared = unable.size === 0 || rule.incident === null ? null : templateRuleOf(subject, rule, context.templateOf)
    return declared !== null && signalsOf(declared.decision).every(signal => unable.has(signal))
  }
  return closeIncidents(subject, { type: 'rule.removed', at: subject.judgedAt }, context, isOver)
}

const isUnable = ({ locations, suffix }: CheckedSignal, readings: Readonly<Record<string, Reading>>): boolean =>
  locations.every(location => {
    const reading = readings[sourceAt(location, suffix)]
    return reading !== undefined && reading.at === null && reading.cannot !== undefined
  })
