// Response of POST /session/subjects/{id}/rules/trial: the verdict that a rule would have now. Instants are RFC 3339.
import { type Static, Type } from 'typebox'
import { Closed, DateTime, Nullable } from '#shared/contracts/common.ts'
import { OutlookStep } from '#shared/contracts/session/session-incidents.ts'

export const RuleTrialInput = Closed('RuleTrialInput', {
  input: Type.String({ description: 'The slug of the signal, or `rule` and the slug of a rule.', examples: ['run'] }),
  state: Type.Enum(['problem', 'ok', 'unknown']),
  waited_for: Type.Boolean({ description: 'It never reported, and its time to do so is not over.' }),
  value: Nullable(Type.Number({ description: 'The number of its newest report.', examples: [97.5] })),
  at: Nullable({ ...DateTime, description: 'When its newest report was observed; null: never, or it reads a rule.' }),
  reason: Nullable(Type.String({ examples: ['disk full'] })),
  changes_at: Nullable({ ...DateTime, description: 'When silence changes what it reads; null: never.' }),
})
export type RuleTrialInput = Static<typeof RuleTrialInput>

export const RuleTrialObject = Closed('RuleTrial', {
  at: { ...DateTime, description: 'The instant of the judgement.' },
  verdict: Type.Enum(['problem', 'ok', 'no_data', 'not_judged']),
  explanation: Type.String({ examples: ['1 of 1 input failing (run)'] }),
  inputs: Type.Array(RuleTrialInput, {
    description: 'In the order of the document.',
    examples: [[{ input: 'run', state: 'problem', waited_for: false, value: 97.5, at: null, reason: null, changes_at: null }]],
  }),
  next_at: {
    ...DateTime,
    description: 'When to try again without news: time alone changes something then, or readings make no more news.',
  },
  open_now: Type.Boolean({ description: 'The rule that is replaced has an open incident.' }),
  incident: Nullable(
    Closed('RuleTrialIncident', {
      state: Type.Enum(['pending', 'problem', 'noData', 'recovering']),
      by_time: Nullable({ ...OutlookStep, description: 'What its deadline does, if nothing else is reported.' }),
    }),
  ),
})
export type RuleTrialObject = Static<typeof RuleTrialObject>
