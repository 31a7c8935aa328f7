// History of an incident as generation 3 shows it, from the records of its machine. Rules: docs/reference/v3.md, 5.2 to 5.4.
import t from 'tap'
import type { HistoryDocument } from '#shared/contracts/incident.ts'
import { historyOf } from '#shared/incident-history.ts'

type Given = [
  kind: HistoryDocument['kind'],
  event: string,
  at: number,
  condition: HistoryDocument['condition'],
  tookEffectAt?: number,
]

const evidence = { inputs: [], omitted: 0, truncated: false }
const records = (given: Given[]) =>
  given.map(([kind, type, at, condition, tookEffectAt = at]) => ({
    kind,
    event: { type, at },
    at: tookEffectAt,
    condition,
    explanation: `${kind} ${at}`,
    evidence,
  }))

const shown = (given: Given[]) => historyOf(records(given)).map(({ kind, at, condition }) => `${at} ${kind} ${condition}`)

t.test('v3 5.2 history shows openings, confirmations, other verdicts and closings, and no other record', async t => {
  t.strictSame(
    shown([
      ['pending', 'problem.judged', 0, 'problem'],
      ['hold paused', 'unknown.judged', 5, 'problem'],
      ['hold resumed', 'known.judged', 10, 'problem'],
      ['policy replaced', 'policy.replaced', 15, 'problem'],
      ['problem', 'hold.elapsed', 60, 'problem', 50],
      ['acknowledged', 'incident.acknowledged', 70, 'problem'],
      ['reminder', 'reminder.due', 80, 'problem'],
      ['reminder missed', 'reminder.missed', 85, 'problem'],
      ['no data', 'no_data.judged', 90, 'no_data'],
      ['recovering', 'ok.judged', 100, 'ok'],
      ['problem', 'problem.judged', 110, 'problem'],
      ['recovering', 'ok.judged', 120, 'ok'],
      ['closed', 'recovery.elapsed', 150, 'ok', 120],
    ]),
    [
      '0 opened problem',
      '50 confirmed problem',
      '90 verdict_changed no_data',
      '100 verdict_changed ok',
      '110 verdict_changed problem',
      '120 verdict_changed ok',
      '120 closed ok',
    ],
  )
})

t.test('v3 5.2 a recovery is a closing alone when the judgement that found it closes the incident', async t => {
  t.strictSame(
    shown([
      ['pending', 'problem.judged', 0, 'problem'],
      ['problem', 'hold.elapsed', 0, 'problem'],
      ['recovering', 'ok.judged', 30, 'ok'],
      ['closed', 'recovery.elapsed', 30, 'ok'],
    ]),
    ['0 opened problem', '0 confirmed problem', '30 closed ok'],
  )
})

t.test('v3 5.4 a closing by command has no evidence, and the verdict that was last', async t => {
  for (const command of ['rule.removed', 'subject.archived']) {
    const history = historyOf(
      records([
        ['pending', 'problem.judged', 0, 'problem'],
        ['closed', command, 30, 'problem'],
      ]),
    )
    t.match(history, [{ evidence }, { kind: 'closed', at: 30, condition: 'problem', evidence: null }], command)
  }
})
