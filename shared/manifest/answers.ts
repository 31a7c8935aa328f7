// Validation of a Resource's answers to the fields of its Template, on creation, change and rebind. Pure. Reference: docs/reference/v3.md,
// 3.5, 6.2, 6.3 and 6.5.

import type {
  Answers,
  MetaReference,
  Template,
  TemplateAnswer,
  TemplateField,
  TemplateRule,
} from '#shared/contracts/resources/template.ts'
import { missing } from '#shared/json-shape/first-refusal.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import { isSealed } from '#shared/secrecy/sealed-form.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { answerFault } from './answer-fault.ts'
import { type BoundCheck, checksOf, requireCheckable, usualAnswers } from './check-options.ts'
import { ManifestRefusal, maxSeconds, refuse } from './manifest-refusal.ts'
import { comparisonsOf, isBaselineOperand } from './read-decision.ts'
import { requireSchedulable } from './read-schedule.ts'

/**
 * Returns the answers in `present` (`{}` for a new Resource). Answers in `sent` replace those in `present`. A field sent as null gets its
 * default again. A field that has neither an answer nor a default is absent. A secret is kept if `[redacted]` is sent, and taken away by an
 * empty text. `before`: the checks of the Resource, which say where kept secrets may go; absent: they may go anywhere. Throws
 * ManifestRefusal with the key of the first faulty field: unknown fields first, then the Template's fields in order, then answers that
 * checks and rules refuse. The caller checks that the locations exist.
 */
export function readAnswers(
  template: Template,
  sent: Readonly<Record<string, unknown>>,
  present: Answers = {},
  before?: readonly BoundCheck[],
): Answers {
  const unknown = Object.keys(sent).find(key => !template.fields.some(field => field.key === key))
  if (unknown !== undefined) throw refuse(unknown, `The Template declares no field '${unknown}'`)
  const answers: Record<string, TemplateAnswer> = {}
  for (const field of template.fields) {
    const given = Object.hasOwn(sent, field.key) ? sentAnswer(field, sent[field.key], present) : ownMember(present, field.key)
    const answer = given ?? field.default
    if (answer === null && field.required) throw new ManifestRefusal(missing(field.key))
    if (answer === null || answer === undefined) continue
    const fault = answerFault(template, field, answer)
    if (fault !== null) throw refuse(field.key, `Field '${field.key}' ${fault}`)
    answers[field.key] = answer as TemplateAnswer
  }
  requireCheckable(template, answers)
  requireSchedulable(template, answers)
  if (before !== undefined) requireSameAims(template, sent, answers, before)
  for (const rule of template.rules) requireUsable(rule, answers)
  return answers
}

/** Returns the answer that was sent, or the stored secret if it is to stay. */
function sentAnswer({ key, type }: TemplateField, sent: unknown, present: Answers): unknown {
  if (type !== 'secret') return sent
  if (sent !== hidden) return sent === '' ? null : sent
  const stored = ownMember(present, key)
  if (stored === undefined) throw refuse(key, `Field '${key}' has no stored secret to keep: send it`)
  return stored
}

/** Throws ManifestRefusal of a stored secret that is not sent again although a check would take it elsewhere, or guard it less. */
function requireSameAims(
  template: Template,
  sent: Readonly<Record<string, unknown>>,
  answers: Answers,
  before: readonly BoundCheck[],
): void {
  const kept = template.fields.filter(
    ({ key, type }) => type === 'secret' && answers[key] !== undefined && (sent[key] ?? hidden) === hidden,
  )
  for (const { key } of kept) {
    const known = aimsOf(before, key)
    if (aimsOf(checksOf(template, answers), key).some(aim => !known.includes(aim))) {
      throw refuse(key, `Field '${key}' must be sent again, because a check takes it elsewhere now, or guards it less`)
    }
  }
}

/** Returns where the checks that read the field take its secret. */
const aimsOf = (checks: readonly BoundCheck[], field: string): string[] =>
  checks.flatMap(({ kind, options, reads }) =>
    reads.includes(field) && kind.aim !== undefined ? [`${kind.key} ${kind.aim(usualAnswers(kind, options))}`] : [],
  )

/**
 * Returns the answers that a rebind keeps. An answer is kept if the new revision has the field and accepts the answer. A secret stays one.
 */
export function answersToKeep(from: Answers, to: Template): Answers {
  const kept = to.fields.filter(field => {
    const answer = ownMember(from, field.key)
    return answer !== undefined && isSealed(answer) === (field.type === 'secret') && answerFault(to, field, answer) === null
  })
  return Object.fromEntries(kept.map(field => [field.key, from[field.key] as TemplateAnswer]))
}

/** Returns the confirmation delay and the recovery delay of a rule, ms. If a delay references a field, the answer to this field is used. */
export function holdsOf(
  { wait }: Pick<TemplateRule, 'wait'>,
  answers: Answers,
): { confirmAfterMs: number; closeAfterMs: number } {
  return {
    confirmAfterMs: numberOf(wait.confirmAfter, answers) * 1_000,
    closeAfterMs: numberOf(wait.recoverAfter, answers) * 1_000,
  }
}

/**
 * Returns the operand itself if it is a number, else the answer to the referenced field. Throws if the answer is not a number, because
 * the Resource then cannot be judged.
 */
export function numberOf(operand: number | MetaReference, answers: Answers): number {
  const value = typeof operand === 'number' ? operand : ownMember(answers, operand.meta)
  if (typeof value !== 'number') throw new Error(`the field ${(operand as MetaReference).meta} holds no number`)
  return value
}

/** Checks the bounds of each answer that a rule uses as a delay, or as the operand of a comparison with a baseline. */
function requireUsable({ decision, wait }: TemplateRule, answers: Answers): void {
  for (const comparison of comparisonsOf(decision)) {
    if (comparison.field !== 'value' || comparison.baseline == null || typeof comparison.operand === 'number') continue
    const { meta } = comparison.operand
    if (!isBaselineOperand(numberOf(comparison.operand, answers))) {
      throw refuse(meta, `Field '${meta}' is the operand of a baseline: it must be more than 0 and at most 100`)
    }
  }
  for (const seconds of [wait.confirmAfter, wait.recoverAfter]) {
    if (typeof seconds === 'number') continue
    const value = numberOf(seconds, answers)
    if (value < 0 || value > maxSeconds) {
      throw refuse(seconds.meta, `Field '${seconds.meta}' is a wait: it must be 0 to ${maxSeconds} seconds`)
    }
  }
}
