// The form of a rule and its sentences about the rule, without a browser.
import t from 'tap'
import type { RuleTrialObject } from '#shared/contracts/session/session-incidents.ts'
import { Refusal } from '../../../services/dashboard/data/api.ts'
import { type DeliveryTable, notifiedWords, receiversOf } from '../../../services/dashboard/rules/receivers.ts'
import {
  documentOf,
  fieldsOf,
  placed,
  type RuleDocument,
  shortDuration,
} from '../../../services/dashboard/rules/rule-document.ts'
import { consequence, ruleWords, spaced, wakes } from '../../../services/dashboard/rules/rule-words.ts'

const typed = (over: Record<string, string>) => ({
  get: (name: string) => ({ 'inputs.0.of': 'signal:run', 'inputs.0.mode': 'status', 'decision.need': 'any', ...over })[name],
})

t.test('typed fields become a document, and a stored document fills the same fields again', t => {
  t.same(documentOf(typed({}), 1), {
    inputs: [{ signal: 'run', mode: 'status', match: {} }],
    decision: { need: 'any' },
    wait: {},
  })
  const full = {
    ...{ 'inputs.0.mode': '<', 'inputs.0.threshold': '0.5', 'inputs.0.match': ' host = db1 \n\nnote=a=b, c' },
    ...{ 'inputs.0.no_data_after': '1 h 30 m', 'inputs.1.of': 'rule:other', 'decision.need': 'at_least' },
    ...{ 'decision.at_least': '2', 'wait.confirm_after': '90s' },
  }
  const match = { host: 'db1', note: 'a=b, c' }
  const input = { signal: 'run', mode: 'latest_value', compare: '<', threshold: 0.5, match, no_data_after: '1h30m' } as const
  t.same(documentOf(typed(full), 2), {
    inputs: [input, { from: 'other' }],
    decision: { need: 'at_least', at_least: 2 },
    wait: { confirm_after: '90s' },
  })
  const fields = { of: 'signal:run', mode: '<', threshold: '0.5', match: 'host=db1\nnote=a=b, c', no_data_after: '1h30m' }
  t.same(fieldsOf(input), fields)
  t.same(['2m0s', '10m0s', '1h0m0s', '1h30m0s', '90s', '0s'].map(shortDuration), ['2m', '10m', '1h', '1h30m', '90s', '0s'])
  t.match(fieldsOf({ from: 'other' }), { of: 'rule:other', mode: 'status' })
  t.throws(() => documentOf(typed({ 'inputs.0.match': 'db1' }), 1), { field: 'inputs.0.match' })
  for (const threshold of ['', 'many']) {
    t.throws(() => documentOf(typed({ 'inputs.0.mode': '>', 'inputs.0.threshold': threshold }), 1), {
      field: 'inputs.0.threshold',
    })
  }
  t.end()
})

t.test('refusal of a rule document is shown at the faulty field, and its message fits that field', t => {
  const at = (details: string, named: string | null) => {
    const { field, message } = placed(new Refusal(422, 'invalid', details, named))
    return [field, message]
  }
  const said = [
    ['Inputs[2].match is for signals alone.', 'inputs[2].match', 'inputs.2.match', 'This is for signals alone.'],
    ['Inputs[0].match.location names no location.', 'inputs[0].match.location', 'inputs.0.match', 'This names no location.'],
    ['Inputs[0].compare must be < or >.', 'inputs[0].compare', 'inputs.0.mode', 'This must be < or >.'],
    ['Inputs[1].from: the subject has no rule "x".', 'inputs[1].from', 'inputs.1.of', 'The subject has no rule "x".'],
    ['Inputs[0] sets exactly one of signal and from.', 'inputs[0]', 'inputs.0.of', 'This sets exactly one of signal and from.'],
    [
      "Field 'document.inputs[0].threshold' has the wrong type.",
      'document.inputs[0].threshold',
      'inputs.0.threshold',
      'Give a number to compare with.',
    ],
    ['Decision.at_least must be a whole number.', 'decision.at_least', 'decision.at_least', 'This must be a whole number.'],
    ['Inputs holds at most 64 inputs.', 'inputs', 'inputs', 'This holds at most 64 inputs.'],
    ['The subject has a rule "x" already.', 'name', 'name', 'The subject has a rule "x" already.'],
    ['A subject has at most 100 rules.', null, null, 'A subject has at most 100 rules.'],
  ] as const
  for (const [details, named, field, message] of said) t.same(at(details, named), [field, message], details)
  t.end()
})

const ops = { name: 'Ops', enabled: true, default: true }
const desk = { name: 'Desk', enabled: false, default: false }

t.test('recipients come from the delivery table, or from the default destination when the table is empty', t => {
  const table: DeliveryTable = {
    selections: [
      { destination_name: 'Ops', alert_kinds: ['problem'] },
      { destination_name: 'Desk', alert_kinds: ['problem', 'no_data'] },
    ],
  }
  const { problem, no_data: noData, recovery } = receiversOf(table, [ops, desk])
  t.equal(notifiedWords(problem), 'Ops is notified')
  t.equal(notifiedWords(noData), 'nobody is notified: Desk is disabled')
  t.equal(notifiedWords(recovery), 'nobody is notified: no destination is meant for it')
  t.equal(notifiedWords(receiversOf({ selections: [] }, [desk, ops]).recovery), 'Ops is notified')
  t.equal(notifiedWords([ops, { ...ops, name: 'Pager' }]), 'Ops and Pager are notified')
  t.end()
})

t.test('sentences describe a rule and the effect of saving it', t => {
  const document: RuleDocument = {
    inputs: [
      { signal: 'run', mode: 'status' },
      { signal: 'run', mode: 'latest_value', compare: '>', threshold: 9 },
      { from: 'b' },
    ],
    decision: { need: 'at_least', at_least: 2 },
    wait: { confirm_after: '1h0m0s', close_after: '1m30s' },
  }
  const nameOf = ({ signal, from }: { signal?: string; from?: string }) => (signal ?? from ?? '').toUpperCase()
  t.equal(ruleWords(document, nameOf), 'Problem if at least 2 of: RUN reports a problem; RUN is above 9; rule B says problem.')
  t.same(
    [spaced('2m0s'), spaced('1h30m0s'), spaced('250ms'), spaced('0s'), spaced('x')],
    ['2 min', '1 h 30 min', '250 ms', '0s', 'x'],
  )
  const receivers = receiversOf({ selections: [] }, [ops])
  t.match(wakes(document, receivers), /lasts 1 h is confirmed, and Ops is notified\. It closes once all was well for 1 min 30 s/)
  const at = '2026-01-05T12:00:00.000Z'
  const trial = (over: Partial<RuleTrialObject>): RuleTrialObject => ({
    ...{ at, verdict: 'ok', explanation: '', inputs: [], open_now: false, incident: null },
    ...over,
  })
  const step = { event: 'hold.elapsed', at, to: 'problem', announces: 'problem', reminder: false, held: false } as const
  const pending = (over: object) => trial({ verdict: 'problem', incident: { state: 'pending', by_time: { ...step, ...over } } })
  t.equal(consequence(trial({}), receivers), 'No incident opens.')
  t.equal(consequence(trial({ open_now: true }), receivers), 'Its open incident closes at once.')
  t.equal(consequence(trial({ verdict: 'not_judged' }), receivers), 'No incident opens until it can decide.')
  t.match(
    consequence(pending({}), receivers),
    /^An incident opens at once, as Pending\. At once it is confirmed as Problem, and Ops/,
  )
  t.match(
    consequence(pending({ held: true, at: '2026-01-05T12:02:00Z' }), receivers),
    /After 2 min .*held back by maintenance\.$/,
  )
  const recovering = {
    state: 'recovering',
    by_time: { ...step, event: 'recovery.elapsed', to: 'closed', announces: null },
  } as const
  t.equal(
    consequence(trial({ open_now: true, incident: recovering }), receivers),
    'Its open incident is Recovering. At once it closes, and nobody is notified.',
  )
  t.end()
})
