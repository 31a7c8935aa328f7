// The numbers that the rules of a subject compare its signals' values with. Pure.

import type { Answers, Template } from '#shared/contracts/resources/template.ts'
import type { MonitorThreshold } from '#shared/contracts/subjects/monitor-state.ts'
import { inputsOf } from '#shared/contracts/subjects/policy.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { comparisonsOf } from '#shared/manifest/read-decision.ts'

/** `template`: of a Resource of a published Template; null: none, or it is missing. */
export const thresholdsOf = ({ rules, templated }: SubjectDocument, template: Template | null): MonitorThreshold[] => [
  ...rules.flatMap(({ slug: rule, policy }) =>
    inputsOf(policy).flatMap(({ signal, mode, compare, threshold }) =>
      mode === 'latest_value' && signal !== null && compare !== null && threshold !== null
        ? [
            {
              signal,
              rule,
              operator: compare === '<' ? ('lt' as const) : ('gt' as const),
              operand: threshold,
              baselineDays: null,
            },
          ]
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

/** Null: it is no number, or an answer that was not given. */
function numberOf(operand: string | number | { meta: string }, answers: Answers): number | null {
  const value = typeof operand === 'object' ? answers[operand.meta] : operand
  return typeof value === 'number' ? value : null
}
