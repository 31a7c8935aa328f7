// History of an incident as generation 3 shows it, from the listed records of its machine. Reference: docs/reference/v3.md, 5.2 to 5.4.
import t from 'tap'
import type { HistoryDocument } from '#shared/contracts/incidents/incident.ts'
import { historyEntry } from '#shared/incidents/incident-history.ts'

const evidence = { inputs: [], omitted: 0, truncated: false }
const entryOf = (sequence: number, event: string, state: string, condition: HistoryDocument['condition']) =>
  historyEntry({ sequence, at: 60, event: { type: event, at: 70 }, state, condition, explanation: 'beat problem', evidence })

t.test('history entry has the kind of its transition and the instant at which it took effect (v3 5.2)', async t => {
  const kinds: [sequence: number, event: string, state: string, condition: HistoryDocument['condition'], kind: string][] = [
    [1, 'problem.judged', 'pending', 'problem', 'opened'],
    [2, 'hold.elapsed', 'problem', 'problem', 'confirmed'],
    [3, 'no_data.judged', 'noData', 'no_data', 'verdict_changed'],
    [4, 'ok.judged', 'recovering', 'ok', 'verdict_changed'],
    [5, 'recovery.elapsed', 'closed', 'ok', 'closed'],
  ]
  for (const [sequence, event, state, condition, kind] of kinds) {
    const entry = { at: 60, kind, condition, explanation: 'beat problem', evidence }
    t.strictSame(entryOf(sequence, event, state, condition), entry, kind)
  }
})

t.test('history entry of a closing by command has no evidence, and keeps the last verdict (v3 5.4)', async t => {
  for (const command of ['rule.removed', 'subject.archived'])
    t.match(entryOf(2, command, 'closed', 'problem'), { kind: 'closed', condition: 'problem', evidence: null }, command)
})
