// Commands that create, replace and remove the rules of a subject (reference/custom-subjects 3). Pure.
import { isDeepStrictEqual } from 'node:util'
import type { SeriesDocument } from '#shared/contracts/observations/observation.ts'
import {
  inputsOf,
  type Policy,
  type PolicyDocument,
  type PolicyInput,
  type RulePolicy,
} from '#shared/contracts/subjects/policy.ts'
import type { CustomState, ObservedInput, RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { citedBy, inJudgingOrder, inputKeyOf, selects } from '#shared/judging/policy-input.ts'
import { limits } from '#shared/limits/limits.ts'
import { ruleView, signalsOf, viewFits } from '#shared/subjects/subject-view.ts'
import { slugOf } from '#shared/text/slug.ts'
import { addToOutbox } from '../change.ts'
import { sendToIncident } from '../incidents/drive-incident.ts'
import { judge, judgeSubject } from '../judging/judge-subject.ts'
import { isLater, neverObserved, observedOf } from '../observations/observed-input.ts'
import type { Handled, Handler, StepContext } from '../types.ts'
import { invalidName, type Refusal, refused, refusedField, tooLarge } from './refusal.ts'
import { nothingCustom } from './signal-commands.ts'

export const createRule: Handler<'create-rule'> = (subject, command, at, context) => {
  const slug = slugOf(command.name)
  if (slug === '') return invalidName
  if (subject.rules.some(rule => rule.slug === slug))
    return refusedField('name', 'Rule name taken', `The subject has a rule "${slug}" already`)
  const custom = subject.custom ?? nothingCustom
  if (subject.rules.length >= limits.subject.rules)
    return refused('invalid_state', 'Too many rules', `A subject has at most ${limits.subject.rules} rules`)
  const number = custom.rulesMade + 1
  const rule: RuleState = {
    key: `r${number}`,
    slug,
    name: command.name,
    policyVersion: 1,
    policy: { language: 'inputs', document: command.policy },
    verdict: null,
    incident: null,
  }
  const next: SubjectDocument = {
    ...subject,
    kind: 'custom',
    updatedAt: at,
    custom: { ...custom, rulesMade: number },
    rules: [...subject.rules, rule],
  }
  return save(subject, next, { rule, policy: command.policy }, at, context)
}

/**
 * Replaces name and policy of a rule. The rule's slug, key and open incident stay, and the new policy judges the rule from now on. If the
 * policy equals the saved one, its version stays: a rename makes no new version (reference/custom-subjects 3.8).
 */
export const replaceRule: Handler<'replace-rule'> = (subject, command, at, context) => {
  const rule = subject.rules.find(candidate => candidate.slug === command.rule)
  if (rule === undefined) return noRule
  if (rule.policy.language === 'reachability') return managed
  if (slugOf(command.name) === '') return invalidName
  const policy: RulePolicy = { language: 'inputs', document: command.policy }
  const policyVersion = isDeepStrictEqual(policy, rule.policy) ? rule.policyVersion : rule.policyVersion + 1
  const replaced = { ...rule, name: command.name, policy, policyVersion }
  const rules = subject.rules.map(other => (other.key === rule.key ? replaced : other))
  return save(subject, { ...subject, updatedAt: at, rules }, { rule: replaced, policy: command.policy }, at, context)
}

/** Deletes the rule. Its open incident closes now, without a message. */
export const deleteRule: Handler<'delete-rule'> = (subject, command, at, context) => {
  const rule = subject.rules.find(candidate => candidate.slug === command.rule)
  if (rule === undefined) return noRule
  if (rule.policy.language === 'reachability') return managed
  const citing = subject.rules.find(other => citedBy(other).includes(rule.slug))
  if (citing !== undefined)
    return refused('forbidden', 'Rule is still used as an input', `The rule "${citing.slug}" reads this rule`)
  const judgement = judge(subject, rule, subject.judgedAt, context)
  const closed = sendToIncident({ subject, rule, judgement, at, context }, { type: 'rule.removed', at })
  const rules = closed.rules.filter(other => other.key !== rule.key)
  const next = withInputs({ ...closed, updatedAt: at, rules }, at, [])
  return { subject: judgeSubject(next, at, context), result: { slug: rule.slug } }
}

/**
 * Refuses a policy that does not fit the subject; otherwise saves the policy as a version and judges the subject by it. The policy may cite
 * only rules that existed `before`, so a new rule cannot cite itself.
 */
function save(
  before: SubjectDocument,
  subject: SubjectDocument,
  { rule, policy }: { rule: RuleState; policy: Policy },
  at: number,
  context: StepContext,
): Handled {
  const unknownAt = policy.inputs.findIndex(input => !isKnown(before, input))
  if (unknownAt >= 0) return unknownInput(policy.inputs[unknownAt] as PolicyInput, unknownAt)
  if (inJudgingOrder(subject.rules) === null) {
    const field = `inputs[${circleAt(subject, rule, policy)}].from`
    return refusedField(field, 'Invalid rule document', `${field} makes a circle of rules`)
  }
  const isKept = before.rules.some(other => other.key === rule.key && other.policyVersion === rule.policyVersion)
  const kept = isKept ? subject : keepVersion(subject, rule, policy, at)
  const next = withInputs(kept, at, context.stored.seriesOf(subject.id))
  if (!viewFits(next)) return tooLarge
  return { subject: judgeSubject(next, at, context), result: ruleView(next, rule) }
}

function keepVersion(subject: SubjectDocument, rule: RuleState, policy: Policy, savedAt: number): SubjectDocument {
  const document: PolicyDocument = {
    id: `${subject.id}.${rule.key}.${rule.policyVersion}`,
    rev: 1,
    subjectId: subject.id,
    ruleKey: rule.key,
    ruleSlug: rule.slug,
    version: rule.policyVersion,
    savedAt,
    policy,
  }
  return addToOutbox(subject, { mode: 'insert', collection: 'policies', document })
}

function isKnown(subject: SubjectDocument, { signal, from }: PolicyInput): boolean {
  if (from !== null) return subject.rules.some(rule => rule.slug === from)
  return signalsOf(subject).some(candidate => candidate.slug === signal)
}

function unknownInput({ signal, from }: PolicyInput, at: number): { refused: Refusal } {
  const field = `inputs[${at}].${from === null ? 'signal' : 'from'}`
  const missing = from === null ? `signal "${signal}"` : `rule "${from}"`
  return refusedField(field, 'Unknown input', `${field}: the subject has no ${missing}`)
}

/**
 * Returns the index of the first input of the policy that closes a circle: the input cites a rule that in turn cites this rule, directly or
 * through other rules.
 */
function circleAt({ rules }: SubjectDocument, { key }: RuleState, policy: Policy): number {
  const alone = (input: PolicyInput): RulePolicy => ({ language: 'inputs', document: { ...policy, inputs: [input] } })
  const reading = (input: PolicyInput) => rules.map(rule => (rule.key === key ? { ...rule, policy: alone(input) } : rule))
  return policy.inputs.findIndex(input => inJudgingOrder(reading(input)) === null)
}

/**
 * Returns the subject with the inputs that its rules now read. Inputs that stay keep their readings. New inputs read the stored series, and
 * their grace period begins now. Inputs that no rule reads are removed.
 */
function withInputs(subject: SubjectDocument, at: number, series: readonly SeriesDocument[]): SubjectDocument {
  const custom = subject.custom ?? nothingCustom
  const observed: CustomState['observed'] = {}
  for (const { rule, input } of readInputsOf(subject)) {
    if (input.from !== null) continue
    const key = inputKeyOf(rule.key, input)
    observed[key] = custom.observed[key] ?? newestOf(custom, input, at, series)
  }
  return { ...subject, custom: { ...custom, observed } }
}

function newestOf({ signals }: CustomState, input: PolicyInput, at: number, series: readonly SeriesDocument[]): ObservedInput {
  const signalKey = signals.find(signal => signal.slug === input.signal)?.key
  let newest = neverObserved(at)
  for (const candidate of series) {
    const isSelected = candidate.signalKey === signalKey && selects(input.match, candidate.labels)
    if (isSelected && isLater(candidate, newest)) newest = { addedAt: at, ...observedOf(candidate) }
  }
  return newest
}

const readInputsOf = ({ rules }: SubjectDocument): { rule: RuleState; input: PolicyInput }[] =>
  rules.flatMap(rule => inputsOf(rule.policy).map(input => ({ rule, input })))

const noRule = refused('not_found', 'Rule not found', 'Rule does not exist or access denied')
const managed = refused('forbidden', 'Rule is managed by Website monitoring', 'This rule is maintained by Website monitoring')
