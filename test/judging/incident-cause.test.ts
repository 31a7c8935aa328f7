// Cause of an incident through its judgements: which reason it names, and which later reason replaces it.
import t from 'tap'
import type { IncidentCause, IncidentDocument, IncidentSnapshot } from '#shared/contracts/incidents/incident.ts'
import type { PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { RuleState } from '#shared/contracts/subjects/subject.ts'
import type { EvidenceInput, Verdict } from '#shared/contracts/subjects/verdict.ts'
import { causeText } from '#shared/incidents/cause-text.ts'
import { causeAfter, storedCause } from '#shared/judging/incident-cause.ts'

type Judged = { verdict: Verdict; explanation: string; inputs: EvidenceInput[] }

const fails = (input: string, at: number, reason: string | null): EvidenceInput => ({ input, value: 'problem', at, reason })
const silent = (input: string, at: number): EvidenceInput => ({
  input,
  value: 'unknown',
  at,
  reason: `nothing reported since ${at}`,
})
const ok = (input: string, at: number): EvidenceInput => ({ input, value: 'ok', at, reason: null })
const problem = (...inputs: EvidenceInput[]): Judged => ({ verdict: 'problem', explanation: 'some failing', inputs })
const noData = (...inputs: EvidenceInput[]): Judged => ({ verdict: 'no_data', explanation: 'no reports', inputs })
const fine = (...inputs: EvidenceInput[]): Judged => ({ verdict: 'ok', explanation: 'all ok', inputs })
const evidenceOf = ({ inputs }: Judged) => ({ inputs, omitted: 0, truncated: false })

function ruleAfter(rule: RuleState, rules: RuleState[], judged: Judged): RuleState {
  const { verdict, explanation } = judged
  const evidence = evidenceOf(judged)
  const cause = causeAfter(rules, rule, { verdict, explanation, evidence })
  return { ...rule, verdict: { verdict, since: 0, explanation, evidence }, incident: { cause } as IncidentSnapshot }
}

const website = {
  ...{ key: 'availability', slug: 'availability', name: 'Reachability', policyVersion: 0 },
  ...{ policy: { language: 'reachability' }, verdict: null, incident: null },
} as RuleState

const through = (...all: Judged[]): IncidentCause | null | undefined =>
  all.reduce((rule, judged) => ruleAfter(rule, [rule], judged), website).incident?.cause

const names: Record<string, string> = { de: 'frankfurt', fr: 'paris' }
const said = (cause: IncidentCause | null | undefined) => (cause == null ? null : causeText(cause, id => names[id] ?? null))

t.test('cause is the failing reason that appeared last, and stays to the close', async t => {
  const cases: [title: string, judged: Judged[], text: string | null][] = [
    ['one location', [problem(fails('de', 1, 'status 503'))], 'status 503 (frankfurt)'],
    ['newest report of two', [problem(fails('de', 1, 'status 503'), fails('fr', 2, 'refused'))], 'refused (paris)'],
    ['another reason', [problem(fails('de', 1, 'status 503')), problem(fails('de', 2, 'refused'))], 'refused (frankfurt)'],
    [
      'the same reason again is no news',
      [
        problem(fails('de', 1, 'status 503')),
        problem(fails('de', 1, 'status 503'), fails('fr', 2, 'refused')),
        problem(fails('de', 9, 'status 503'), fails('fr', 2, 'refused')),
      ],
      'refused (paris)',
    ],
    ['it recovers', [problem(fails('de', 1, 'status 503')), fine(ok('de', 2))], 'status 503 (frankfurt)'],
    [
      'one of two recovers',
      [problem(fails('de', 1, 'a'), fails('fr', 2, 'b')), problem(fails('de', 1, 'a'), ok('fr', 3))],
      'a (frankfurt)',
    ],
    ['silence alone', [noData(silent('de', 1))], 'nothing reported since 1 (frankfurt)'],
    ['silence after a failure', [problem(fails('de', 1, 'status 503')), noData(silent('de', 1))], 'status 503 (frankfurt)'],
    ['failure after a silence', [noData(silent('de', 1)), problem(fails('de', 2, 'status 503'))], 'status 503 (frankfurt)'],
    ['no reason sent', [problem(fails('de', 1, null)), fine(ok('de', 2))], 'some failing'],
    ['reason sent later', [problem(fails('de', 1, null)), problem(fails('de', 2, 'disk full'))], 'disk full (frankfurt)'],
    ['location that is gone', [problem(fails('xx', 1, 'refused'))], 'refused'],
  ]
  for (const [title, judged, text] of cases) t.equal(said(through(...judged)), text, title)
  t.equal(through(fine(ok('de', 1))), null, 'nothing was wrong')
})

t.test('cause shows no credentials of an address, and at most 200 characters of a reason', async t => {
  const cause = through(problem(fails('de', 1, `no answer at https://user:pw@db.example/?token=hush ${'x'.repeat(300)}`)))
  t.notMatch(said(cause), /pw|hush/)
  t.equal(said(cause)?.length, 200 + ' (frankfurt)'.length)
})

t.test('rule that reads another rule has the cause of that rule', async t => {
  const base = { name: '', policyVersion: 1, incident: null }
  const policy = (inputs: Partial<PolicyInput>[]) =>
    ({ language: 'inputs', document: { inputs } }) as unknown as RuleState['policy']
  const run = { ...base, key: 'r1', slug: 'run', policy: policy([{ signal: 'job', from: null }]), verdict: null }
  const all = { ...base, key: 'r2', slug: 'all', policy: policy([{ signal: null, from: 'run' }]), verdict: null }
  const failed = ruleAfter(run, [run, all], problem(fails('job', 1, 'disk full')))
  const cited = ruleAfter(
    all,
    [failed, all],
    problem({ input: 'rule run', value: 'problem', at: null, reason: 'the rule reports a problem' }),
  )
  t.equal(said(cited.incident?.cause), 'disk full (job)')
})

t.test('incident that was stored without a cause gets the one that its evidence names', async t => {
  const incident = (judged: Judged) =>
    ({ condition: judged.verdict, explanation: judged.explanation, evidence: evidenceOf(judged) }) as IncidentDocument
  t.equal(said(storedCause(incident(problem(fails('de', 1, 'status 503'))), true)), 'status 503 (frankfurt)')
  t.equal(storedCause(incident(fine(ok('de', 1))), true), null)
  t.equal(storedCause({ ...incident(problem(fails('de', 1, 'status 503'))), cause: null }, true), null, 'null is an answer')
  const older = { ...website, incident: {} as IncidentSnapshot }
  const before = problem(fails('de', 1, 'status 503'))
  const verdict = { verdict: before.verdict, since: 0, explanation: before.explanation, evidence: evidenceOf(before) }
  const closing = { verdict: 'ok' as const, explanation: 'all ok', evidence: evidenceOf(fine(ok('de', 2))) }
  t.equal(
    said(causeAfter([], { ...older, verdict }, closing)),
    'status 503 (frankfurt)',
    'also if it closes at the next judgement',
  )
})
