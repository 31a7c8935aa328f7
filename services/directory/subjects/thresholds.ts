// Thresholds of a subject's rules: the numbers with which the rules compare values of signals. Pure.
import type { Answers, Template } from '#shared/contracts/resources/template.ts'
import type { MonitorThreshold } from '#shared/contracts/subjects/monitor-state.ts'
import { inputsOf } from '#shared/contracts/subjects/policy.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { comparisonsOf } from '#shared/manifest/read-decision.ts'

/** Returns the thresholds. `template`: the subject's published Template; null: the subject has no Template, or the Template is missing. */
export const thresholdsOf = ({ rules, templated }: SubjectDocument, template: Template | null): MonitorThreshold[] => [
  ...rules.flatMap(({ slug: rule, policy }) =>
    inputsOf(policy).flatMap(({ signal, mode, compare, threshold }): MonitorThreshold[] =>
      mode === 'latest_value' && signal !== null && compare !== null && threshold !== null
        ? [{ signal, rule, operator: compare === '<' ? 'lt' : 'gt', operand: threshold, baselineDays: null }]
        : [],
    ),
  ),
  ...(template?.rules ?? []).flatMap(({ key: rule, decision }) =>
    comparisonsOf(decision).flatMap(comparison => {
      if (comparison.field !== 'value') return []
      const { signal, operator, operand: declared, baseline } = comparison
      const operand = numberOf(declared, templated?.answers ?? {})
      return operand === null ? [] : [{ signal, rule, operator, operand, baselineDays: baseline?.days ?? null }]
    }),
  ),
]

/** Returns the operand as a number. Null: the operand is not a number, or it is a field for which the Resource has no value. */
function numberOf(operand: string | number | { meta: string }, answers: Answers): number | null {
  const value = typeof operand === 'object' ? answers[operand.meta] : operand
  return typeof value === 'number' ? value : null
}
