// What messages say of a job that must have run. Reference: docs/reference/v3.md, 17.14.
import t from 'tap'
import { linesOf } from '#shared/channels/message/lines.ts'
import type { AlertKind, JobFacts } from '#shared/contracts/incidents/alert.ts'
import { alert, facts } from '../../notifier/house.ts'

const told = Date.parse('2026-10-05T01:30:00Z')
const hour = 3_600_000

const job = (given: Partial<JobFacts> = {}): JobFacts => ({
  state: 'missed',
  expectedAt: Date.parse('2026-10-05T00:30:00Z'),
  startedAt: null,
  zone: 'Europe/Berlin',
  graceMs: hour,
  exitStatus: null,
  line: null,
  success: { at: told - 25 * hour, seconds: 180.4 },
  ...given,
})

function said(kind: AlertKind, given: Partial<JobFacts>) {
  const about = {
    ...facts,
    subjectName: 'Nightly backup',
    ruleKey: 'run',
    template: 'heartbeat-check@1',
    action: 'Look at it.',
    job: job(given),
  }
  const one = alert('one', 'incident', 1, { kind, decidedAt: told, facts: about })
  const { title, lines } = linesOf(
    { alert: one, incident: 'i', locationName: id => id },
    { subject: 'https://x.example/' },
    text => text,
  )
  return { title, lines: lines.map(({ text }) => text) }
}

const rows: [name: string, kind: AlertKind, given: Partial<JobFacts>, title: string, lines: string[]][] = [
  [
    'missed run',
    'problem',
    {},
    'Nightly backup did not report',
    ['Expected at 02:30 Europe/Berlin (00:30 UTC), 1h of grace.', 'Last success 1d 1h ago, it took 3m.'],
  ],
  [
    'run of a period, on an earlier day',
    'problem',
    { zone: 'UTC', expectedAt: Date.parse('2026-10-04T23:30:00Z'), success: null },
    'Nightly backup did not report',
    ['Expected at 2026-10-04 23:30 UTC, 1h of grace.'],
  ],
  [
    'run that does not end',
    'problem',
    { state: 'unfinished', startedAt: Date.parse('2026-10-05T00:30:02Z'), success: null },
    'Nightly backup did not finish',
    ['Started at 00:30:02 UTC, not ended for 59m 58s.'],
  ],
  [
    'failure with output',
    'problem',
    { state: 'failed', exitStatus: 3, line: 'no `space` left', success: null },
    'Nightly backup failed',
    ['Exit status 3.', "`no 'space' left`"],
  ],
  [
    'failure that says nothing',
    'problem',
    { state: 'failed', success: null },
    'Nightly backup failed',
    ['It reported a failure.'],
  ],
  [
    'recovery by an end',
    'recovery',
    { state: 'reports' },
    'Nightly backup reports again',
    ['The next run is expected at 02:30 Europe/Berlin (00:30 UTC).'],
  ],
  ['recovery by a changed schedule', 'recovery', { state: 'anew' }, 'Nightly backup is expected anew', []],
  ['opening', 'opened', {}, 'Nightly backup: run opened', []],
  ['acknowledgement', 'acknowledged', {}, 'Nightly backup: run — taken by Ada', []],
]

for (const [name, kind, given, title, lines] of rows) {
  t.test(`${name} (v3 17.14)`, async t => {
    const { title: shown, lines: all } = said(kind, given)
    t.equal(kind === 'acknowledged' ? shown.replace(/by .*/, 'by Ada') : shown, title)
    t.same(all.slice(0, lines.length), lines)
  })
}
