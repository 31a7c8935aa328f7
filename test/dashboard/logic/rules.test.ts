// The text of a rule's document and the sentences about a rule, without a browser.
import t from 'tap'
import type { RuleTrialObject } from '#shared/contracts/session/session-incidents.ts'
import { Refusal } from '../../../services/dashboard/data/api.ts'
import { faultOf, jsonIn, readJson, refusedFault } from '../../../services/dashboard/parts/json/json-text.ts'
import { trialWords } from '../../../services/dashboard/words/rules.ts'

const sentenceOf = (text: string): string | null => {
  const read = readJson(text)
  return 'fault' in read ? read.fault.sentence : null
}

t.test('a text that is no JSON has a fault with its line and column', t => {
  const said: Readonly<Record<string, string>> = {
    '': 'Line 1, column 1: the text ends, and a value is missing.',
    '{': 'Line 1, column 2: the text ends, and a name in double quotes is missing.',
    '{\n "a": 1\n "b": 2}': 'Line 3, column 2: a comma or } is missing before "b".',
    '{"a": 1,\n}': 'Line 1, column 8: the comma before } is one too many.',
    '[1, 2': 'Line 1, column 6: the text ends, and a comma or ] is missing.',
    '{"a" 1}': 'Line 1, column 6: a colon is missing before 1.',
    "{'a': 1}": "Line 1, column 2: a name in double quotes is missing before '.",
    '{"a": }': 'Line 1, column 7: a value is missing before }.',
    '{"a": True}': 'Line 1, column 7: True is no JSON value.',
    '{"a": 01}': 'Line 1, column 7: 01 is no JSON value.',
    '{"a": "\\q"}': 'Line 1, column 7: "\\q" is no JSON value.',
    '{} x': 'Line 1, column 4: the text goes on after its end, with x.',
  }
  for (const [text, sentence] of Object.entries(said)) t.equal(sentenceOf(text), sentence, JSON.stringify(text))
  t.match(sentenceOf('['.repeat(100)), /^Line 1, column 65: this is nested deeper than 64 levels/)
  t.throws(() => jsonIn('{', 'meta'), { field: 'meta', message: /^Line 1, column 2/ })
  t.same(jsonIn('{"a": [1]}', 'meta'), { a: [1] })
  t.end()
})

t.test('each text that JSON.parse refuses has a fault with a place, and no other text has one', t => {
  const text = JSON.stringify(
    { inputs: [{ signal: 'run', threshold: -1.5e-7, match: { 'a.b': 'é\n"' } }], ok: [true, null] },
    null,
    1,
  )
  const signs = ['{', '}', '[', ']', ',', ':', '"', '\\', ' ', '-', '.', 'e', '0', 'x', '\u0001', '\u00a0', '']
  const faults = [...text]
    .flatMap((_, at) => signs.map(sign => `${text.slice(0, at)}${sign}${text.slice(at + 1)}`))
    .map(changed => {
      const read = readJson(changed)
      return 'fault' in read && read.fault.place === null ? changed : null
    })
  t.same(
    faults.filter(one => one !== null),
    [],
  )
  t.equal(sentenceOf(text), null)
  t.end()
})

t.test('a refusal is placed at the member that it names, or at the nearest one around it', t => {
  const text = '{\n "inputs": [\n  {"signal": "run"},\n  {"signal": "x",\n   "match": {"a.b": "*"}}\n ],\n "wait": {}\n}'
  const lineOf = (path: string) => faultOf(text, path, 'x').place?.line ?? null
  t.same(
    ['inputs[0].mode', 'inputs[1].signal', 'inputs.1.match', 'inputs[1].match.a.b', 'wait.close_after', 'decision', ''].map(
      lineOf,
    ),
    [3, 4, 5, 5, 7, null, null],
  )
  const at = (message: string, field: string | null) =>
    refusedFault(text, 'document', new Refusal(422, '', message, field))?.sentence
  t.equal(at('Inputs[0].mode must be status.', 'inputs[0].mode'), 'Line 3: inputs[0].mode must be status.')
  t.equal(at("Field 'document.wait' must be an object.", 'document.wait'), "Line 7: Field 'document.wait' must be an object.")
  t.equal(at("Field 'document' must be an object.", 'document'), "Field 'document' must be an object.")
  t.equal(at('A subject has at most 100 rules.', null), undefined)
  t.equal(refusedFault('{', 'document', new Refusal(422, 'syntax', 'x', 'document'))?.place?.column, 2)
  t.end()
})

t.test('sentences describe the effect of saving a rule', t => {
  const at = '2026-01-05T12:00:00.000Z'
  const trial = (over: Partial<RuleTrialObject>): RuleTrialObject => ({
    ...{ at, verdict: 'ok', explanation: '', inputs: [], next_at: at, open_now: false, incident: null },
    ...over,
  })
  const step = {
    event: 'hold.elapsed',
    at,
    to: 'problem',
    announces: 'problem',
    reminder: false,
    held: false,
    recipients: null,
  } as const
  const pending = (over: object) => trial({ verdict: 'problem', incident: { state: 'pending', by_time: { ...step, ...over } } })
  t.equal(trialWords(trial({})), 'No incident opens.')
  t.equal(trialWords(trial({ open_now: true })), 'Its open incident closes at once.')
  t.equal(trialWords(trial({ verdict: 'not_judged' })), 'No incident opens until it can decide.')
  t.equal(
    trialWords(pending({})),
    'An incident opens at once, as Pending. At once it is confirmed as Problem, and people are notified.',
  )
  t.match(trialWords(pending({ held: true, at: '2026-01-05T12:02:00Z' })), /After 2 min .*held back by maintenance\.$/)
  const by_time = { ...step, event: 'recovery.elapsed', to: 'closed', announces: null } as const
  t.equal(
    trialWords(trial({ open_now: true, incident: { state: 'recovering', by_time } })),
    'Its open incident is Recovering. At once it closes, and nobody is notified.',
  )
  t.end()
})
