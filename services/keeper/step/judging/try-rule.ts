// Trial of a policy: runs the steps that would save and judge the policy, and changes nothing. Pure.

import type { SilenceAt } from '#shared/contracts/observations/silence.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { RuleTrial, TrialInput } from '#shared/contracts/subjects/rule-trial.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { EvidenceInput } from '#shared/contracts/subjects/verdict.ts'
import { readPolicyInput } from '#shared/judging/judge-policy.ts'
import { slugCandidate } from '#shared/text/slug.ts'
import { createRule, replaceRule } from '../commands/rule-commands.ts'
import { windowEndOf } from '../incidents/drive-window.ts'
import type { Handled, Handler, StepContext } from '../types.ts'
import { factsOf, judgeRule } from './judge-rule.ts'

type Trial = CommandOf<'try-rule'>

/** Refuses a policy that could not be saved. If the policy replaces a rule, the rule's incident continues in the trial only. */
export const tryRule: Handler<'try-rule'> = (subject, command, at, context) => {
  const before = subject.rules.find(({ slug }) => slug === command.rule)
  const slug = command.rule ?? freeSlug(subject)
  const saved = save(subject, slug, command, at, context)
  if ('refused' in saved) return saved
  const next = saved.subject
  const tried = next.rules.find(rule => rule.slug === slug)
  if (tried === undefined) throw new Error(`subject ${subject.id} lost the rule on trial`)
  const silenceTo = next.silenceTo ?? { checks: at, pushed: at }
  const { verdict, explanation, evidence } = judgeRule(next, tried, next.judgedAt, silenceTo, context.templateOf)
  const read = { subject: next, ruleKey: tried.key, silenceTo }
  const result: RuleTrial = {
    ...{ judgedAt: next.judgedAt, verdict, explanation },
    inputs: command.policy.inputs.map((input, i) => trialInput(read, input, evidence.inputs[i] as EvidenceInput)),
    incident: isOpen(tried) ? tried.incident : null,
    isOpenNow: before !== undefined && isOpen(before),
    mutedTo: windowEndOf(next),
  }
  return { subject, result }
}

function save(subject: SubjectDocument, slug: string, { id, rule, policy }: Trial, at: number, context: StepContext): Handled {
  if (rule === null) return createRule(subject, { kind: 'create-rule', id, name: slug, policy, convert: true }, at, context)
  const name = subject.rules.find(one => one.slug === rule)?.name ?? rule
  return replaceRule(subject, { kind: 'replace-rule', id, rule, name, policy }, at, context)
}

/** Returns a slug that no rule of the subject has, because a trial has no name. */
function freeSlug({ rules }: SubjectDocument): string {
  const taken = new Set(rules.map(rule => rule.slug))
  for (let n = 1; ; n++) {
    const slug = slugCandidate('trial', n)
    if (!taken.has(slug)) return slug
  }
}

interface Read {
  subject: SubjectDocument
  ruleKey: string
  silenceTo: SilenceAt
}

function trialInput({ subject, ruleKey, silenceTo }: Read, input: PolicyInput, evidence: EvidenceInput): TrialInput {
  const facts = factsOf(subject, ruleKey, input, subject.judgedAt)
  const { young, changesAt } = readPolicyInput(input, facts, silenceTo)
  return { ...evidence, isYoung: young, number: facts.of === 'signal' ? facts.observed.value : null, changesAt }
}

const isOpen = ({ incident }: RuleState): boolean => incident !== null && incident.value !== 'closed'
