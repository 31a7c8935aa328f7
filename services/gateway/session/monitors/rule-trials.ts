// POST /session/subjects/{id}/rules/trial: the present verdict of an unsaved rule. The subject's keeper judges the rule; nothing is stored.
import { type Static, Type } from 'typebox'
import { incidentOutlook } from '#machines/incident-outlook.ts'
import { Strict } from '#shared/contracts/common.ts'
import { RuleTrialInput, RuleTrialObject } from '#shared/contracts/session/session-incidents.ts'
import type { RuleTrial } from '#shared/contracts/subjects/rule-trial.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { isSlug } from '#shared/text/slug.ts'
import { Maybe } from '../../body/field-values.ts'
import { fieldReader } from '../../body/fields.ts'
import { timestamp } from '../../body/instants.ts'
import { writerOf } from '../../body/result-schema.ts'
import type { Route } from '../../http/route.ts'
import { commandId } from '../../subjects/command-id.ts'
import { DocumentShape } from '../../v2/subjects/policy-document.ts'
import { readRule } from '../../v2/subjects/rules.ts'
import { member, route } from '../caller/session-route.ts'
import { stepObject } from './incident-records.ts'
import { findSubject, subjectQuery } from './subjects.ts'

const TrialBody = Strict({
  document: DocumentShape,
  rule: Maybe(Type.String({ description: 'The slug of the rule that it would replace; absent: a further rule.' })),
})

/** Every member may try a rule, because the trial shows only signals, which every member may read. */
const tryRule = route('POST', '/subjects/:subjectId/rules/trial', {
  summary: 'Says what a rule would say now. Stores nothing.',
  more: 'Refused as saving it would be, but for its name. A website monitor stays one.',
  needs: member,
  isDry: true,
  find: findSubject,
  query: subjectQuery,
  body: TrialBody,
  reader: fieldReader(TrialBody),
  result: RuleTrialObject,
  refusals: ['conflict', 'invalid', 'not_found'],
  examples: [{ document: { inputs: [{ signal: 'orders', mode: 'status' }], decision: { need: 'any' } } }],
  handler: async (context, { found: subject, body, traceId }) => {
    const { policy } = await readRule(context, traceId, { name: '', document: body.document }, subject)
    const command = { kind: 'try-rule', id: commandId(), rule: ruleOf(body), policy } as const
    return trialObject(await context.keeper.send(subject.id, command, traceId))
  },
})

function ruleOf({ rule }: Static<typeof TrialBody>): string | null {
  if (rule == null || rule === '') return null
  if (isSlug(rule)) return rule
  throw new AppError('not_found', 'Rule not found', { details: 'Rule does not exist or access denied' })
}

const writeInput = writerOf(RuleTrialInput)

function trialObject(trial: RuleTrial): RuleTrialObject {
  const { judgedAt, verdict, explanation, inputs, incident, isOpenNow, mutedTo } = trial
  // While the rule has the verdict `not_judged`, no confirmation delay and no recovery delay ends.
  const byTime = incident && verdict !== 'not_judged' ? incidentOutlook(incident, judgedAt, mutedTo).byTime : null
  return {
    at: timestamp(judgedAt),
    verdict,
    explanation: redactedText(explanation),
    inputs: inputs.map(one =>
      writeInput({
        ...one,
        state: one.value,
        waitedFor: one.isYoung,
        value: one.number,
        reason: one.reason === null ? null : redactedText(one.reason),
      }),
    ),
    next_at: timestamp(nextAt(trial, byTime?.at ?? null)),
    open_now: isOpenNow,
    incident: incident && { state: incident.value as 'pending', by_time: byTime && stepObject(byTime, null) },
  }
}

/**
 * Returns the earliest instant at which time alone may change the result. The returned instant is at most `limits.trial.watchMs` after the
 * trial.
 */
function nextAt({ judgedAt, inputs, mutedTo }: RuleTrial, byTimeAt: number | null): number {
  const instants = [byTimeAt, mutedTo, ...inputs.map(({ changesAt }) => changesAt), judgedAt + limits.trial.watchMs]
  return Math.min(...instants.filter(at => at !== null && at > judgedAt).map(Number))
}

export const ruleTrialRoutes: readonly Route[] = [tryRule]
