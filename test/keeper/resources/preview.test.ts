// Preview compared with a keeper: both get the same Template and the same Observations at the same instants. Reference:
// docs/reference/v3.md, 3.11.
import { pino } from 'pino'
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { Preview, PreviewRule } from '#shared/contracts/resources/preview.ts'
import type { SentObservation } from '#shared/contracts/resources/resource-commands.ts'
import type { DecisionNode, Template, TemplateRule } from '#shared/contracts/resources/template.ts'
import { historyEntry } from '#shared/incidents/incident-history.ts'
import { limits } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'
import { previewEvidence } from '../../../services/keeper/preview/kept-incidents.ts'
import { runPreview } from '../../../services/keeper/preview/run-preview.ts'
import { servePreviews } from '../../../services/keeper/preview/serve-previews.ts'
import { createResource } from '../../../services/keeper/step/commands/resource-commands.ts'
import { SignalNumbers } from '../../../services/keeper/step/judging/signal-numbers.ts'
import { nothingHeld } from '../../../services/keeper/step/types.ts'
import { randomAnswers, randomDecision, randomSignals } from '../../judging/random-decision.ts'
import { Random } from '../../simulation/random.ts'
import { createMemoryHub } from '../../support/bus/memory-bus.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'
import { createWorld, minute } from '../world.ts'
import { publish, read } from './resource-world.ts'

const hour = 60 * minute
const resources = 40

interface Life {
  id: string
  template: Template
  /** Observations in the order of their instants. */
  sent: SentObservation[]
}

/** Returns the decision of a typical rule: a problem when a signal fails; in half of the cases, also when the signal is silent. */
function failingOrSilent(random: Random): DecisionNode {
  const signal = random.pick(randomSignals).key
  const failing = { signal, field: 'status' as const, operator: 'eq' as const, operand: 'problem' as const }
  return random.chance(0.5) ? failing : { any: [failing, { not: { signal, field: 'known' } }] }
}

function randomTemplate(random: Random, key: string): Template {
  const wait = () => random.pick([0, 0, 45, 300, { meta: 'wait' }])
  const flapping = () =>
    random.chance(0.5) ? { flapping: { changes: random.integer(3, 4), withinSeconds: random.pick([3_600, 10_800, 43_200]) } } : {}
  const rules = Array.from({ length: random.integer(1, 3) }, (_, i) => ({
    key: `rule-${i}`,
    action: 'Look at it.',
    help: '',
    wait: { confirmAfter: wait(), recoverAfter: wait(), ...flapping() },
    decision: random.chance(0.4) ? failingOrSilent(random) : randomDecision(random, 2),
    destination: null,
    routes: null,
  }))
  const field = { label: '', help: '', required: false, options: [], min: null, max: null, secret: false }
  const fields = Object.entries({ ...randomAnswers, wait: 90 }).map(([name, value]) => ({
    ...field,
    key: name,
    type: 'number' as const,
    default: value,
  }))
  return { key, version: 1, name: key, summary: '', fields, signals: randomSignals, rules }
}

/**
 * Returns Observations in runs of one state, with silences between the runs. Several Observations share a millisecond, some repeat an id,
 * and every state occurs with and without a value.
 */
function randomLife(random: Random, startMs: number, endMs: number): SentObservation[] {
  const sent: SentObservation[] = []
  let spell: readonly SentObservation['state'][] = ['ok']
  for (let at = startMs; at < endMs; at += random.pick([7, 20_000, 61_000, 300_000, 70 * minute])) {
    if (random.chance(0.3)) spell = random.pick([['ok'], ['problem'], ['ok', 'problem', 'no_data']] as const)
    for (let i = random.pick([1, 1, 3]); i > 0; i--) {
      const state = random.pick([...spell])
      sent.push({
        signal: random.pick(randomSignals).key,
        state,
        signalKind: null,
        sentId: random.chance(0.3) ? `id-${random.integer(1, 9)}` : null,
        atUs: at * 1_000 + random.pick([0, 0, 1, 999]),
        value: random.chance(0.25) ? null : random.integer(0, 4),
        reason: random.chance(0.3) ? 'disk full' : '',
        labels: random.chance(0.2) ? { zone: 'a' } : {},
        body: null,
      })
    }
  }
  return sent.sort((one, other) => (one.atUs as number) - (other.atUs as number))
}

/** A Resource that waits for its first Observation. None of its rules has been judged. */
function newResource(id: string, template: Template, at: number) {
  const nothing = { series: () => null, seriesOf: () => [], pushed: () => null, place: () => null, newest: () => [] }
  const stored = { ...nothing, numbers: () => new SignalNumbers() }
  const holds = { confirmAfterMs: 0, closeAfterMs: 0 }
  const context = { now: at, held: nothingHeld, ...holds, templateOf: () => template, stored }
  const named = { id, workspaceId: 'w', slug: `key-${id}`, name: id }
  const command = { kind: 'create-resource' as const, ...named, template: `${template.key}@1`, answers: {}, labels: {} }
  const made = createResource(id, command, at, context)
  if ('refused' in made) throw new Error(made.refused.error.message)
  const rules = made.subject.rules.map(({ changes: _, ...rule }) => ({ ...rule, verdict: null, incident: null }))
  return { ...made.subject, rev: 1, rules, incidents: 0, dueAt: null, outbox: [], hasOutbox: 0 as const }
}

/**
 * Sends the Observations of all generated Resources to one keeper until `end`. Resolves with the instant up to which the keeper has judged.
 */
async function live(seed: number) {
  const random = new Random(seed, 'preview')
  const world = createWorld()
  const begin = world.clock.now() + 10 * minute
  const end = begin + 6 * hour
  const lives: Life[] = Array.from({ length: resources }, (_, i) => ({
    id: `preview${String(i).padStart(3, '0')}`,
    template: randomTemplate(random, `t-${i}`),
    sent: randomLife(random, begin, end - random.integer(0, hour)),
  }))
  for (const { id, template } of lives) {
    await publish(world, template)
    await world.store.insert('subjects', [newResource(id, template, world.clock.now())])
  }
  await world.startOne({ exclusive: true })
  const instants = new Map<number, Map<string, SentObservation[]>>()
  for (const { id, sent } of lives) {
    for (const one of sent) {
      const at = Math.floor((one.atUs as number) / 1_000)
      const due = instants.get(at) ?? new Map<string, SentObservation[]>()
      instants.set(at, due.set(id, [...(due.get(id) ?? []), one]))
    }
  }
  for (const [at, due] of [...instants].sort(([one], [other]) => one - other)) {
    await world.clock.advance(at - world.clock.now())
    // Sent before the clock moves on, so that the keeper receives all Observations of one instant at this instant.
    const replies = [...due].map(([id, observations]) =>
      world.client.request(subjects.command(id), { kind: 'observe', id: randomId(8), observations }, { timeoutMs: 5_000 }),
    )
    await world.clock.advance(1)
    for (const reply of await Promise.all(replies)) if (!(reply as Reply).ok) throw new Error(JSON.stringify(reply))
  }
  await world.clock.advance(end - world.clock.now())
  return { world, lives, end }
}

/** Returns the stored results of the keeper in the form of a preview. */
async function livedRules({ store, ...world }: Awaited<ReturnType<typeof live>>['world'], { id, template }: Life) {
  const view = await read({ store, ...world }, id)
  const incidents = await store.find('incidents', { where: { subjectId: id }, limit: 10_000 })
  const records = await store.find('history', { where: { subjectId: id }, limit: 10_000 })
  return template.rules.map(({ key }) => {
    const rule = view.rules.find(one => one.key === key)
    const ofRule = incidents.filter(({ ruleKey }) => ruleKey === key).toSorted((one, other) => one.number - other.number)
    return {
      key,
      status: rule?.status,
      explanation: rule?.explanation,
      incidents: ofRule.map(incident => ({
        openedAt: incident.troubleSince,
        confirmedAt: incident.confirmedAt,
        closedAt: incident.closedAt,
        closedReason: incident.closedReason,
        history: records
          .filter(({ incidentId, listed }) => incidentId === incident.id && listed === 1)
          .toSorted((one, other) => one.sequence - other.sequence)
          .map(historyEntry)
          .map(entry => ({ ...entry, evidence: entry.evidence && previewEvidence(entry.evidence) })),
        historyOmitted: 0,
      })),
      incidentsOmitted: 0,
    }
  })
}

function previewed({ template, sent }: Life, atMs: number): PreviewRule[] {
  const run = runPreview({ template, answers: {}, observations: sent, atUs: atMs * 1_000 }, 0)
  for (;;) {
    const next = run.next()
    if (next.done) return next.value
  }
}

t.test('preview shows the results of a keeper with the same Observations (v3 3.11)', async t => {
  const { world, lives, end } = await live(1)
  let confirmed = 0
  let closed = 0
  let flapping = 0
  for (const life of lives) {
    const lived = await livedRules(world, life)
    const shown = previewed(life, Math.max(end, world.clock.now()))
    confirmed += lived.flatMap(rule => rule.incidents).filter(({ confirmedAt }) => confirmedAt !== null).length
    flapping += JSON.stringify(lived).split(', changed ').length - 1
    closed += lived.flatMap(rule => rule.incidents).filter(({ closedAt }) => closedAt !== null).length
    const same = t.strictSame(
      shown.map(({ evidence: _, ...rule }) => rule),
      lived,
      life.id,
    )
    if (same) continue
    t.comment(JSON.stringify(life.template.rules))
    break
  }
  t.comment(`${confirmed} confirmed, ${flapping} flapping, ${closed} closed`)
  t.ok(flapping > 10, 'enough flaps')
  t.ok(confirmed > 50 && closed > 30, 'enough has happened')
})

/** Rule with 16 windows of different lengths: during a silence, the end of each window changes the verdict. */
function turningRule(i: number): TemplateRule {
  const known = (window: number) => ({ signal: 'beat', field: 'known' as const, within_seconds: 60 + (i * 16 + window) * 400 })
  const parts = Array.from({ length: 8 }, (_, n) => ({ all: [known(2 * n + 1), { not: known(2 * n) }] }))
  const wait = { confirmAfter: 30, recoverAfter: 30 }
  return { key: `r${i}`, action: 'Look.', help: '', wait, decision: { any: parts }, destination: null, routes: null }
}

/** Largest request: rules that change their verdict with every window, and more than half a day of silence after each Observation. */
const largest: Preview = {
  template: {
    key: 'largest',
    version: 1,
    name: 'Largest',
    summary: '',
    fields: [],
    signals: [{ key: 'beat', kind: 'heartbeat', everySeconds: 86_400, help: '' }],
    rules: Array.from({ length: 10 }, (_, i) => turningRule(i)),
  },
  answers: {},
  observations: Array.from({ length: 500 }, (_, i) => ({
    signal: 'beat',
    state: 'ok' as const,
    signalKind: null,
    sentId: null,
    atUs: i * 800 * minute * 1_000,
    value: null,
    reason: '',
    labels: {},
    body: null,
  })),
  atUs: null,
}

t.test("preview's work is bounded by its number of Observations, even if long silences lie between them (v3 3.11)", async t => {
  let steps = 0
  for (const run = runPreview(largest, 0); !run.next().done; ) steps += 1
  // Each Observation leads to one step for itself, one for the end of each window, and two for each change of verdict (hold and reminder).
  t.ok(steps > 100_000, 'as much as it can be')
  t.ok(steps <= 10 * 500 * (1 + 3 * 17), `${steps} steps`)
})

/** Clock that moves on by `stepMs` at each read. */
async function serveWith(stepMs: number) {
  let elapsed = 0
  const virtual = createVirtualClock()
  const hub = createMemoryHub({ clock: virtual })
  const clock = { ...virtual, monotonic: () => (elapsed += stepMs) }
  const previews = await servePreviews({ bus: hub.connect(), clock, logger: pino({ level: 'silent' }) })
  const client = hub.connect()
  const ask = (body: unknown) => client.request(subjects.preview, body, { timeoutMs: 60_000 }) as Promise<Reply>
  return { previews, ask }
}

const small = { ...largest, observations: largest.observations.slice(0, 20) }

t.test('keeper does other work during a preview, and refuses more previews of a person or workspace than its bounds', async t => {
  const { previews, ask } = await serveWith(0.02)
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  const askAs = (workspaceId: string, callerId: string) => ask({ ...small, workspaceId, callerId })
  const { accepted, perWorkspace, perCaller } = limits.preview
  const taken = Array.from({ length: perWorkspace }, (_, i) => askAs('w1', `person ${Math.floor(i / perCaller)}`))
  count()
  t.match(await askAs('w1', 'person 0'), { ok: false, error: { code: 'busy' } }, 'a person')
  t.match(await askAs('w1', 'person 99'), { ok: false, error: { code: 'busy' } }, 'a workspace')
  const others = Array.from({ length: accepted - perWorkspace }, (_, i) => askAs(`other ${i}`, 'ann'))
  t.match(await askAs('w2', 'ann'), { ok: false, error: { code: 'busy' } }, 'all')
  for (const reply of await Promise.all([...taken, ...others])) t.match(reply, { ok: true })
  isOver = true
  t.ok(turns > 20, `${turns} turns of the event loop`)
  t.match(await askAs('w1', 'person 0'), { ok: true }, 'then the next one')
  await previews.stop()
})

t.test('preview of another workspace, and of another person of the same workspace, waits for no large preview', async t => {
  const { previews, ask } = await serveWith(0.02)
  const ended: string[] = []
  const askAs = async (name: string, workspaceId: string, callerId: string, preview: object) => {
    t.match(await ask({ ...preview, workspaceId, callerId }), { ok: true }, name)
    ended.push(name)
  }
  const empty = { ...largest, observations: [] }
  const larges = Array.from({ length: limits.preview.perCaller }, () => askAs('large', 'w1', 'ann', small))
  await new Promise(resolve => setImmediate(resolve))
  await Promise.all([...larges, askAs('colleague', 'w1', 'bob', empty), askAs('other workspace', 'w2', 'eve', empty)])
  t.strictSame(ended.slice(0, 2).toSorted(), ['colleague', 'other workspace'])
  await previews.stop()
})

t.test('keeper stops a preview when its time is over or the keeper stops', async t => {
  const slow = await serveWith(limits.preview.answerMs / 3)
  t.match(await slow.ask(largest), { ok: false, error: { code: 'unavailable' } })
  await slow.previews.stop()
  const stopped = await serveWith(limits.preview.sliceMs)
  const asked = stopped.ask(largest)
  await new Promise(resolve => setImmediate(resolve))
  await stopped.previews.stop()
  t.match(await asked, { ok: false, error: { code: 'unavailable' } })
})
