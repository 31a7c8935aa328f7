// Senders, authors and keepers at the same custom subject at the same time, on real NATS, with real HTTP, on both stores. Of two requests
// that exclude each other exactly one succeeds. Acknowledged writes are kept, and deleted objects stay deleted.
import { pino } from 'pino'
import t from 'tap'
import type { RuleState } from '#shared/contracts/subjects/subject.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { sharedMongodb } from '../support/store/secantus.ts'
import type { Answer } from '../support/worlds/api-world.ts'
import { type PushedRow, pushedRows } from '../support/worlds/pushed-rows.ts'
import { clock, home, pass, type Stage, setStage, until } from './custom-stage.ts'

type Test = import('tap').Test

const logger = pino({ level: 'silent' })

interface Load {
  /** Number of races. */
  rounds: number
  /** Number of reports that each sender of a stream sends. */
  reports: number
  /** Recovery delay of the rule. The delay ends while people acknowledge. */
  closeMs: number
}

/** Loads fit the speed of each store: SecantusDB makes about a thousand writes a second. */
const stages: [title: string, open: (t: Test) => Promise<Store | null>, load: Load][] = [
  ['SQLite', async t => openStore({ dataFolder: t.testdir(), logger }), { rounds: 20, reports: 100, closeMs: 30 }],
  [
    'the MongoDB wire protocol',
    async t => {
      const mongodbUrl = await sharedMongodb(t)
      return mongodbUrl === null ? null : openStore({ mongodbUrl, dataFolder: '', logger })
    },
    { rounds: 8, reports: 30, closeMs: 150 },
  ],
]

const races: Record<string, (t: Test, stage: Stage, load: Load) => Promise<void>> = {
  'two senders of one identity: one row, both answered, judged by the last': raceIdentity,
  'a signal is deleted while a rule starts to cite it: exactly one wins, no rule cites nothing': raceCitation,
  'a policy is saved while observations are judged: versions without a gap, one incident, the newest policy decides':
    racePolicies,
  'an incident is acknowledged while it closes: recorded, or it is closed, and the store agrees': raceAcknowledgement,
  'many create what has the same name: subjects are numbered, of signals and rules one wins': raceNames,
  'two start maintenance, two cancel it: one of each': raceMaintenance,
  'a subject deleted under a stream of observations leaves nothing, whoever keeps it': raceDeletion,
  'keepers change under a stream of reports: none that was answered is lost, none is doubled': raceHandOver,
  'a keeper dies between the rows and the commit: what was answered is there': raceDeathBeforeCommit,
  'a keeper dies between the commit and the answers: what was answered is there once': raceDeathAfterCommit,
}

for (const [title, open, load] of stages) {
  t.test(title, { timeout: 400_000 }, async t => {
    const store = await open(t)
    if (store === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const stage = await setStage(t, store)
    for (const [name, race] of Object.entries(races)) await t.test(name, t => race(t, stage, load))
  })
}

const ruleBody = (name: string, input: object, over: object = {}) => ({
  name,
  document: {
    inputs: [input],
    decision: { state: 'down', need: 'any' },
    wait: { confirm_after: '0s', close_after: '1h0m0s' },
    ...over,
  },
})
const onStatus = (signal: string) => ({ signal, mode: 'status' })
const errorOf = ({ json }: Answer): string | null => json.error?.message ?? null
const instant = (atUs: number): string => {
  const seconds = Math.floor(atUs / 1_000_000)
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${String(atUs % 1_000_000).padStart(6, '0')}Z`
}
const rowsOf = ({ store }: Stage, subjectId: string): Promise<PushedRow[]> => pushedRows(store, subjectId)

/** Returns the messages of the refused replies and the number of the accepted replies. */
function sides(answers: readonly Answer[]): { done: number; refused: string[] } {
  const refused = answers.map(errorOf).filter(message => message !== null)
  return { done: answers.length - refused.length, refused }
}

/** Creates a subject with a signal `beat` and a rule. If `rule` is absent, the rule is `down`, which reads the status of `beat`. */
async function setSubject(stage: Stage, name: string, rule: object = ruleBody('Down', onStatus('beat'))) {
  const subject = await stage.create(name)
  await stage.must('POST', `/${subject.slug}/signals`, { name: 'Beat', kind: 'event' })
  await stage.must('POST', `/${subject.slug}/rules`, rule)
  const report = (body: object, person = 'ada') => stage.send(person, 'POST', `/${subject.slug}/signals/beat/observations`, body)
  const rule0 = async (): Promise<RuleState> => {
    const document = await stage.subject(subject.id)
    return document?.rules[0] as RuleState
  }
  return { ...subject, report, rule: rule0 }
}

async function raceIdentity(t: Test, stage: Stage, { rounds }: Load): Promise<void> {
  const { id, report, rule } = await setSubject(stage, 'Identity')
  const baseUs = clock.now() * 1_000
  for (let round = 1; round <= rounds; round++) {
    const observed_at = instant(baseUs + round)
    const sent = [
      { status: 'problem', observed_at, value: round, error: 'boom' },
      { status: 'ok', observed_at, value: -round },
    ]
    if (round % 2) sent.reverse()
    const answers = await Promise.all(sent.map((body, i) => report(body, i === 0 ? 'ada' : 'bob')))
    for (const [i, { json }] of answers.entries()) {
      t.match(
        json,
        { error: null, result: { ...sent[i], accepted: true, reject_reason: 'accepted' } },
        'each is answered its own',
      )
    }
    const rows = await rowsOf(stage, id)
    t.equal(rows.length, round, 'one row')
    const row = rows.find(({ observedAtUs }) => observedAtUs === baseUs + round)
    const status = row?.ok === 1 ? 'ok' : 'problem'
    const verdict = (await rule()).verdict
    t.equal(verdict?.verdict, status, `judged by the row that stands, ${status}`)
    const [series] = await stage.store.find('series', { where: { subjectId: id }, limit: 2 })
    t.match(series, { observedAtUs: baseUs + round, status, value: row?.value }, 'and later rules read the same')
  }
}

async function raceCitation(t: Test, stage: Stage, { rounds }: Load): Promise<void> {
  const { slug } = await setSubject(stage, 'Citation')
  const won = { signal: 0, rule: 0 }
  for (let round = 1; round <= rounds; round++) {
    const name = `Signal ${round}`
    const signal = `signal-${round}`
    await stage.must('POST', `/${slug}/signals`, { name, kind: 'event' })
    const cites = ruleBody(round % 2 ? 'Down' : `Rule ${round}`, onStatus(signal))
    // A command that saves a rule takes longer to reach its keeper than a deletion, so some rounds delay the deletion.
    const deletion = pass(round % 5).then(() => stage.send('ada', 'DELETE', `/${slug}/signals/${signal}`))
    const citation = stage.send('bob', 'POST', `/${slug}/rules${round % 2 ? '/down' : ''}`, cites)
    const [deleted, cited] = await Promise.all([deletion, citation])
    const messages = [errorOf(deleted), errorOf(cited)]
    const isSignalGone = messages[0] === null
    won[isSignalGone ? 'signal' : 'rule']++
    t.strictSame(messages, isSignalGone ? [null, 'Unknown input'] : ['Signal is still used by a rule', null])
    const signals: { id: string }[] = await stage.must('GET', `/${slug}/signals`)
    const rules: { document: { inputs: { signal: string }[] } }[] = await stage.must('GET', `/${slug}/rules`)
    const known = new Set(signals.map(one => one.id))
    t.equal(known.has(signal), !isSignalGone)
    t.ok(
      rules.every(({ document }) => document.inputs.every(input => known.has(input.signal))),
      'every rule cites what is there',
    )
    if (round % 2) await stage.must('POST', `/${slug}/rules/down`, ruleBody('Down', onStatus('beat')))
  }
  t.comment(`signals went ${won.signal} times, rules came ${won.rule} times`)
}

async function racePolicies(t: Test, stage: Stage, { rounds, reports }: Load): Promise<void> {
  const threshold = (limit: number) => ({ signal: 'beat', mode: 'latest_value', compare: '>', threshold: limit })
  const { id, slug, report, rule } = await setSubject(stage, 'Policies', ruleBody('Down', threshold(0)))
  await report({ status: 'ok', value: 60 })
  const opened = (await rule()).incident?.context.incidentId
  t.equal(opened, `${id}.1`)
  const sending = ['ada', 'bob'].map(async person => {
    for (let number = 0; number < reports; number++) {
      const { json } = await report({ status: 'ok', value: 60, labels: { person } }, person)
      t.match(json, { error: null, result: { accepted: true } })
    }
  })
  const versions: number[] = []
  const saving = ['ada', 'bob'].map(async (person, i) => {
    for (let round = 1; round <= rounds; round++) {
      const { json } = await stage.send(person, 'POST', `/${slug}/rules/down`, ruleBody('Down', threshold(round + i / 2)))
      versions.push(json.result.policy_version)
    }
  })
  await Promise.all([...sending, ...saving])
  t.strictSame(
    versions.sort((a, b) => a - b),
    Array.from({ length: 2 * rounds }, (_, i) => i + 2),
    'each save is a version of its own',
  )
  t.match((await rule()).incident, { value: 'problem', context: { incidentId: opened } }, 'the incident stays')
  await stage.must('POST', `/${slug}/rules/down`, ruleBody('Down', threshold(100)))
  t.match(await rule(), { policyVersion: 2 * rounds + 2, verdict: { verdict: 'ok' }, incident: { value: 'recovering' } })
  const kept = await stage.store.find('policies', { where: { subjectId: id }, sort: [['version', 'asc']], limit: 1_000 })
  t.strictSame(
    kept.map(({ version }) => version),
    Array.from({ length: 2 * rounds + 2 }, (_, i) => i + 1),
    'every version is kept',
  )
  t.strictSame({ language: 'inputs', document: kept.at(-1)?.policy }, (await rule()).policy, 'the newest is the one that judges')
  t.equal(await stage.store.count('incidents', { subjectId: id }), 1)
}

async function raceAcknowledgement(t: Test, stage: Stage, { rounds, closeMs }: Load): Promise<void> {
  const wait = { confirm_after: '0s', close_after: `${closeMs}ms` }
  const { id, slug, report } = await setSubject(stage, 'Acknowledged', ruleBody('Down', onStatus('beat'), { wait }))
  const seen = { recorded: 0, closed: 0 }
  for (let round = 0; round < rounds; round++) {
    await report({ status: 'problem' })
    const [incident] = await stage.must('GET', `/${slug}/incidents`)
    await report({ status: 'ok' })
    // The rounds cover instants from well before the closing to after it.
    await pass((round / rounds) * 2 * closeMs)
    const path = `/${slug}/incidents/${incident.id}/acknowledge`
    const answers = await Promise.all(['ada', 'bob'].map(person => stage.send(person, 'POST', path)))
    const stored = await until('it is closed', async () => {
      const [found] = await stage.store.get('incidents', [`${id}.${round + 1}`])
      return found?.open === 0 ? found : null
    })
    const told = answers.map(({ json }) => json.error?.message ?? json.result.recorded)
    const isRecorded = stored.acknowledgedAt !== null
    seen[isRecorded ? 'recorded' : 'closed']++
    const expected = isRecorded ? ['false', 'true'] : ['Incident is closed', 'Incident is closed']
    t.strictSame(told.map(String).toSorted(), expected, 'recorded once and told to both, or closed to both')
    for (const { json } of answers) {
      if (json.error !== null) continue
      const at = new Date(stored.acknowledgedAt ?? 0).getTime()
      t.match(json.result, { acknowledged_by: stored.acknowledgedBy, rule_id: 'down', incident_id: incident.id })
      t.equal(Date.parse(json.result.acknowledged_at), at)
    }
    const history = await stage.store.find('history', { where: { incidentId: stored.id }, limit: 100 })
    t.equal(history.filter(({ kind }) => kind === 'acknowledged').length, isRecorded ? 1 : 0, 'the timeline agrees')
  }
  t.comment(`${seen.recorded} recorded, ${seen.closed} closed before`)
}

async function raceNames(t: Test, stage: Stage): Promise<void> {
  const many = Array.from({ length: 12 }, (_, i) => i)
  const create = (i: number) => stage.send(i % 2 ? 'ada' : 'bob', 'POST', '', { workspace_id: home, name: 'Same name' })
  const created = await Promise.all(many.map(create))
  const slugs = created.map(({ json }) => json.result?.id)
  const expected = many.map(i => (i === 0 ? 'same-name' : `same-name-${i + 1}`))
  t.strictSame(slugs.toSorted(), expected.toSorted(), 'numbered without a gap')
  const listed = (await stage.send('ada', 'GET', `?workspace_id=${home}`)).json.result as { id: string }[]
  t.strictSame(listed.map(({ id }) => id).filter(id => slugs.includes(id)).length, 12)

  const attempts = many.slice(0, 5)
  const makers = (path: string, body: object) =>
    Promise.all(attempts.map(i => stage.send(i % 2 ? 'ada' : 'bob', 'POST', `/same-name/${path}`, body)))
  const signals = await makers('signals', { name: 'Beat', kind: 'heartbeat' })
  t.strictSame(sides(signals), { done: 1, refused: Array(4).fill('Signal name taken') })
  const rules = await makers('rules', ruleBody('Down', onStatus('beat')))
  t.strictSame(sides(rules), { done: 1, refused: Array(4).fill('Rule name taken') })
  t.match(await stage.must('GET', '/same-name'), { signal_count: 1, rule_count: 1 })
}

async function raceMaintenance(t: Test, stage: Stage, { rounds }: Load): Promise<void> {
  const { id, slug } = await setSubject(stage, 'Maintained')
  const path = `/${slug}/maintenance`
  const both = (act: (person: string) => Promise<Answer>) => Promise.all(['ada', 'bob'].map(act))
  for (let round = 1; round <= rounds; round++) {
    const ends_at = new Date(clock.now() + round * 60_000).toISOString()
    const started = await both(person => stage.send(person, 'POST', path, { ends_at }))
    t.strictSame(sides(started), { done: 1, refused: ['Already in maintenance'] })
    t.match(await stage.must('GET', path), started.find(answer => errorOf(answer) === null)?.json.result)
    const cancelled = await both(person => stage.send(person, 'DELETE', path))
    t.strictSame(sides(cancelled), { done: 1, refused: ['No maintenance window'] })
    t.equal(await stage.must('GET', path), null)
    t.equal(await stage.store.count('windows', { subjectId: id }), round, 'one record a window')
  }
}

async function raceDeletion(t: Test, stage: Stage): Promise<void> {
  for (const change of [false, true]) {
    const subject = await setSubject(stage, `Doomed ${change}`)
    const { id, slug } = subject
    await stage.must('POST', `/${slug}/maintenance`, { ends_at: new Date(clock.now() + 3_600_000).toISOString() })
    let running = true
    const sending = ['ada', 'bob'].map(async person => {
      const answers: Answer[] = []
      for (let number = 0; running; number++) {
        const status = number % 3 ? 'problem' : 'ok'
        answers.push(await subject.report({ status, value: number, labels: { person, number: `${number % 7}` } }, person))
      }
      return answers
    })
    const authoring = (async () => {
      const answers: Answer[] = []
      while (running) answers.push(await stage.send('bob', 'POST', `/${slug}/rules/down`, ruleBody('Down', onStatus('beat'))))
      return answers
    })()
    await until('an incident is there', async () => (await stage.store.count('alerts', { subjectId: id })) > 0)
    const changing = change ? stage.changeKeeper() : null
    await stage.remove(id)
    await changing
    await until('everybody hears of it', async () => errorOf(await subject.report({ status: 'ok' })) === 'Subject not found')
    running = false
    const answers = [...(await Promise.all(sending)).flat(), ...(await authoring)]
    t.strictSame(
      [...new Set(answers.map(errorOf))].filter(message => message !== null && message !== 'Subject not found'),
      [],
      'done or not found',
    )
    await t.rejects(stage.remove(id), { code: 'not_found' })
    await until('its children are gone', async () => (await stage.subject(id))?.hasOutbox === 0)
    const { alerts = 0, ...left } = await stage.whatIsLeft(id)
    t.strictSame(left, { subjects: 1, names: 1 }, 'the tombstone, and its name until somebody wants it')
    t.ok(alerts <= 1, 'the message that ends what was opened elsewhere, until it expires (v3 10.16)')
    t.match(await stage.subject(id), { rules: [], custom: null, maintenance: null, outbox: [] })
  }
}

async function raceHandOver(t: Test, stage: Stage, { reports }: Load): Promise<void> {
  const subject = await setSubject(stage, 'Handed over')
  let sent = 0
  const sending = [0, 1, 2, 3].map(async sender => {
    for (let number = 0; number < reports; number++) {
      const value = sender * 10_000 + number
      // Half of the senders send no instant, so the keeper sets the instant. Two reports of one sender never have the same millisecond.
      const stamp = sender % 2 ? {} : { observed_at: instant(clock.now() * 1_000 + sender) }
      const status = number % 5 ? 'ok' : 'problem'
      const { json } = await subject.report(
        { status, value, labels: { sender: `${sender}` }, ...stamp },
        sender % 2 ? 'ada' : 'bob',
      )
      t.match(json, { error: null, result: { value, accepted: true } })
      sent++
      await pass(2)
    }
  })
  for (let change = 1; change <= 3; change++) {
    await until('the stream goes on', async () => sent >= change * reports)
    await stage.changeKeeper()
  }
  await Promise.all(sending)
  await checkOnce(t, await rowsOf(stage, subject.id), 4 * reports)
}

/** Checks that each report is stored once. */
async function checkOnce(t: Test, rows: readonly PushedRow[], count: number): Promise<void> {
  t.equal(new Set(rows.map(({ value }) => value)).size, count, 'none is lost')
  t.equal(rows.length, count, 'none is doubled')
}

const burst = 40

/** Sends this many reports at once; the value of a report identifies it. */
const sendBurst = (subject: Awaited<ReturnType<typeof setSubject>>, stamped: boolean) =>
  Promise.all(
    Array.from({ length: burst }, (_, value) =>
      subject.report({
        status: 'problem',
        value,
        labels: { sender: `${value}` },
        ...(stamped ? { observed_at: instant(clock.now() * 1_000) } : {}),
      }),
    ),
  )

async function raceDeathBeforeCommit(t: Test, stage: Stage): Promise<void> {
  for (const stamped of [true, false]) {
    const subject = await setSubject(stage, `Dies before ${stamped}`)
    const answers = await stage.killDuring('upsert', 'pushedObservations', subject.id, () => sendBurst(subject, stamped))
    t.strictSame(sides(answers), { done: burst, refused: [] }, 'the successor answers all')
    const rows = await rowsOf(stage, subject.id)
    for (const { json } of answers) {
      const row = rows.find(
        one => one.value === json.result.value && instant(one.observedAtUs).startsWith(json.result.observed_at.slice(0, 23)),
      )
      t.match(row, { ok: 0, rejectReason: null }, 'what was answered is there')
    }
    if (stamped) await checkOnce(t, rows, burst)
    t.equal(await stage.store.count('series', { subjectId: subject.id }), burst, 'and was committed')
    t.match((await subject.rule()).verdict, { verdict: 'problem' })
  }
}

async function raceDeathAfterCommit(t: Test, stage: Stage): Promise<void> {
  for (const stamped of [true, false]) {
    const subject = await setSubject(stage, `Dies after ${stamped}`)
    const answers = await stage.killDuring('replace', 'subjects', subject.id, () => sendBurst(subject, stamped))
    t.strictSame(sides(answers), { done: burst, refused: [] }, 'the successor answers all')
    await checkOnce(t, await rowsOf(stage, subject.id), burst)
    t.match((await subject.rule()).incident, { value: 'problem', context: { incidentId: `${subject.id}.1` } })
    // The successor may answer before it has written what the dead keeper's commit left to be written.
    await until('the alert is written', async () => (await stage.store.count('alerts', { subjectId: subject.id })) > 0)
    t.equal(await stage.store.count('incidents', { subjectId: subject.id }), 1)
    t.equal(await stage.store.count('alerts', { subjectId: subject.id }), 1)
  }
}
