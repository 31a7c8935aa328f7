// A week of observations, silences, holds, windows, acknowledgements and reminders for generated subjects, through the keeper's pure step.
// Two oracles check the results: the naive evaluator checks verdicts, and the message oracle checks messages. Each rule is tried before it
// is saved, and the trial must give the verdict of the saved rule.
import t from 'tap'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { PushedObservationDocument, SeriesDocument } from '#shared/contracts/observations/observation.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import type { Policy } from '#shared/contracts/subjects/policy.ts'
import type { OutboxEntry, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { replayIncident } from '../../infra/replay/replay-incident.ts'
import { SignalNumbers } from '../../services/keeper/step/judging/signal-numbers.ts'
import { step } from '../../services/keeper/step/step.ts'
import { type Input, nothingHeld, type StepContext } from '../../services/keeper/step/types.ts'
import { type NaiveReport, type NaiveWorld, naiveVerdict, policyAt } from '../judging/naive.ts'
import { expectedRefusal } from '../simulation/custom/expected-refusal.ts'
import { isToldToAll } from '../simulation/judged/told-to-all.ts'
import { Random } from '../simulation/random.ts'
import { type Deed, makeChanges, makeDeeds, makeWorld } from './generate.ts'
import { noTemplates } from './resources/no-templates.ts'
import { type Replied, trialFault } from './resources/trial-fault.ts'
import { type Life, type ToldMessage, tellingOracle } from './telling-oracle.ts'

const minute = 60_000
const start = Date.UTC(2026, 0, 5)
const week = 7 * 24 * 60 * minute
const kinds = ['problem', 'no_data', 'recovery', 'reminder', 'held problem', 'held no_data']
/** Seeds in which a confirmation delay ends while the rule is not judged yet. */
const heldUnjudged = [246, 339, 406]
const seedsTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1)

function live(seed: number, isChanged: boolean) {
  const random = new Random(seed, 'subject')
  const world = makeWorld(random, start)
  const house = new House(world)
  const faults: string[] = []
  const deeds = makeDeeds(new Random(seed, 'deeds'), world, week)
  if (isChanged) deeds.push(...makeChanges(new Random(seed, 'changes'), world, deeds, week))
  deeds.sort((one, other) => one.at - other.at)
  for (const deed of deeds) {
    house.passUntil(deed.at, at => compare(house, world, at, faults))
    const expected = expectedRefusal(house, deed.command, deed.at)
    house.send(house.named(deed))
    house.note(deed)
    const refused = house.lastReply?.ok === false ? house.lastReply.error?.message : null
    if (deed.command.kind !== 'acknowledge-incident' && refused !== expected)
      faults.push(`${deed.command.kind} was refused with ${refused} instead of ${expected}`)
    compare(house, world, deed.at, faults)
  }
  house.passUntil(start + week, at => compare(house, world, at, faults))
  const expected = Object.keys(world.rules).flatMap(rule => tellingOracle(world, house.life, rule, start + week))
  const told = house.told()
  faults.push(...house.replayFaults(), ...house.trialFaults)
  compareTold(told, expected, faults)
  return { faults, told, incidents: house.subject.incidents }
}

/** Steps one subject in the order of time, as a keeper does. */
class House {
  subject!: SubjectDocument
  readonly life: Life = { windows: [], acknowledgements: [] }
  readonly #alerts: AlertDocument[] = []
  readonly #history = new Map<string, HistoryDocument[]>()
  readonly #incidents = new Map<string, IncidentDocument>()
  readonly #series = new Map<string, SeriesDocument>()
  readonly #rows = new Map<string, PushedObservationDocument>()
  readonly world: NaiveWorld
  readonly gone = new Set<string>()
  readonly trialFaults: string[] = []
  #commands = 0
  lastReply: Replied | null = null

  constructor(world: NaiveWorld) {
    this.world = world
    const at = start
    this.send({ at, command: { kind: 'create-subject', workspaceId: 'w', slug: 'shop', name: 'Shop' } })
    for (const [name, kind] of Object.entries(world.signals))
      this.send({ at, command: { kind: 'create-signal', name, signalKind: `custom_${kind}`, meta: '{}', convert: false } })
    for (const [name, policy] of Object.entries(world.rules))
      this.send({ at, command: { kind: 'create-rule', name, policy, convert: false } })
  }

  send({ at, command }: Deed): void {
    const trial = command['policy'] === undefined ? null : this.#try(at, command)
    this.#send(at, command)
    if (trial === null || this.lastReply === null) return
    const { slug = command['rule'] } = (this.lastReply.result ?? {}) as { slug?: unknown }
    const saved = this.subject.rules.find(rule => rule.slug === slug)
    this.trialFaults.push(...[trialFault(trial, this.lastReply, saved)].filter(fault => fault !== null))
  }

  #send(at: number, command: Deed['command']): void {
    const id = `c${++this.#commands}`
    this.#step({ kind: 'command', subjectId: 'subject001', at, command: { id, ...command } as Command })
  }

  /** Tries a rule right before the rule is saved. Returns the reply. */
  #try(at: number, { rule = null, policy }: Deed['command']): Replied {
    this.passUntil(at, () => {})
    const before = JSON.stringify({ ...this.subject, rev: 0 })
    this.#send(at, { kind: 'try-rule', rule, policy })
    if (JSON.stringify({ ...this.subject, rev: 0 }) !== before) this.trialFaults.push('a trial changed its subject')
    return this.lastReply ?? { ok: false }
  }

  /** Records the action for the oracle if the keeper carried it out. */
  note({ at, command }: Deed): void {
    if (this.lastReply?.ok !== true) return
    const { windows } = this.life
    const window = windows.at(-1)
    if (command.kind === 'report-observation') noteAccepted(this.world, this, { at, command })
    if (command.kind === 'start-maintenance') windows.push({ from: at, until: command['endsAt'] as number })
    if (command.kind === 'move-maintenance' && window) window.until = command['endsAt'] as number
    if (command.kind === 'cancel-maintenance' && window) window.until = at
    if (command.kind === 'delete-signal') this.gone.add(command['signal'] as string)
    if (command.kind === 'delete-rule') this.world.saved.push({ rule: command['rule'] as string, at, policy: null })
    if (command.kind === 'replace-rule')
      this.world.saved.push({ rule: command['rule'] as string, at, policy: command['policy'] as Policy })
  }

  /** Returns the deed with the id of the rule's open incident. The keeper refuses the command if no incident is open. */
  named({ at, command }: Deed): Deed {
    if (command.kind !== 'acknowledge-incident') return { at, command }
    const rule = command['rule'] as string
    const incidentId = this.subject.rules.find(one => one.slug === rule)?.incident?.context.incidentId
    if (incidentId !== undefined) this.life.acknowledgements.push({ rule, at })
    return { at, command: { kind: command.kind, incidentId: incidentId ?? 'none', by: 'Ann', via: 'api' } }
  }

  /** Steps through the deadlines one by one, each at its instant. */
  passUntil(until: number, onDeadline: (at: number) => void): void {
    for (let at = this.subject.dueAt; at !== null && at <= until; at = this.subject.dueAt) {
      this.#step({ kind: 'deadline', subjectId: 'subject001', at })
      onDeadline(at)
      if (this.subject.dueAt === at) throw new Error('a deadline that stays due')
    }
  }

  told(): ToldMessage[] {
    return this.#alerts.filter(isToldToAll).map(({ incidentId, kind, reminder, held, decidedAt, facts }) => ({
      rule: facts.ruleKey,
      incident: incidentId,
      kind: held === null ? (reminder ? 'reminder' : kind) : `held ${kind}`,
      at: decidedAt,
    }))
  }

  /** Rebuilds every incident from its records alone. Returns the differences from the stored incidents. */
  replayFaults(): string[] {
    return [...this.#incidents.values()].flatMap(incident =>
      replayIncident(incident, this.#history.get(incident.id) ?? []).faults.map(fault => `replay of ${incident.id}: ${fault}`),
    )
  }

  #keep(entry: OutboxEntry): void {
    if (entry.mode === 'advance' && entry.collection === 'incidents')
      this.#incidents.set(entry.document.id, entry.document as IncidentDocument)
    if (entry.mode !== 'insert') return
    if (entry.collection === 'alerts') this.#alerts.push(entry.document as AlertDocument)
    if (entry.collection !== 'history') return
    const document = entry.document as HistoryDocument
    this.#history.set(document.incidentId, [...(this.#history.get(document.incidentId) ?? []), document])
  }

  #step(input: Input): void {
    const context: StepContext = {
      now: input.at,
      held: nothingHeld,
      confirmAfterMs: 2 * minute,
      closeAfterMs: 2 * minute,
      templateOf: noTemplates,
      stored: {
        series: id => this.#series.get(id) ?? null,
        seriesOf: () => [...this.#series.values()],
        pushed: id => this.#rows.get(id) ?? null,
        place: () => null,
        newest: () => [],
        numbers: () => new SignalNumbers(),
      },
    }
    const stepped = step(this.subject ?? null, input, context)
    this.lastReply = stepped.reply as never
    if (stepped.subject === null) throw new Error('no subject')
    for (const entry of stepped.subject.outbox) this.#keep(entry)
    // Stores rows, series and subject, and raises their revisions as a commit does.
    for (const one of stepped.pushed ?? []) this.#rows.set(one.id, one)
    for (const one of stepped.series ?? []) this.#series.set(one.id, { ...one, rev: one.rev + 1 })
    this.subject = { ...stepped.subject, rev: stepped.subject.rev + 1, outbox: [] }
  }
}

function compare(house: House, world: NaiveWorld, at: number, faults: string[]): void {
  for (const slug of Object.keys(world.rules)) {
    if (policyAt(world, slug, at) === null) continue
    const judged = house.subject.rules.find(rule => rule.slug === slug)?.verdict?.verdict
    const expected = naiveVerdict(world, slug, at)
    if (judged !== expected) faults.push(`at ${at - start} ms rule ${slug} says ${judged}, the naive evaluator ${expected}`)
  }
}

function compareTold(told: ToldMessage[], expected: ToldMessage[], faults: string[]): void {
  const line = ({ rule, kind, at }: ToldMessage) => `${String(at - start).padStart(10)} ${rule} ${kind}`
  const real = told.map(line).sort()
  const wanted = expected.map(line).sort()
  for (const one of real) if (!wanted.includes(one)) faults.push(`told, and should not have been: ${one}`)
  for (const one of wanted) if (!real.includes(one)) faults.push(`should have been told: ${one}`)
  if (new Set(real).size !== real.length) faults.push('something was told twice')
}

function noteAccepted(world: NaiveWorld, house: House, { at, command }: Deed): void {
  const view = house.lastReply?.result as { accepted: boolean; observedAtUs: number }
  if (!view.accepted) return
  const report: NaiveReport = {
    signal: command['signal'] as string,
    observedAt: Math.floor(view.observedAtUs / 1_000),
    arrivedAt: at,
    ok: command['status'] === 'ok',
    value: command['value'] as number | null,
    labels: command['labels'] as Record<string, string>,
  }
  world.reports.push(report)
}

const sets = [
  { title: 'generated subjects', seeds: [...seedsTo(60), ...heldUnjudged], isChanged: false },
  { title: 'generated subjects whose rules, signals, windows and reports are changed', seeds: seedsTo(60), isChanged: true },
]

for (const { title, seeds, isChanged } of sets)
  t.test(`${title} are judged and announced as both oracles say (reference/judging, reference/messages)`, async t => {
    let incidents = 0
    const told: Record<string, number> = {}
    for (const seed of seeds) {
      const run = live(seed, isChanged)
      incidents += run.incidents
      for (const fault of run.faults.slice(0, 3)) t.fail(`seed ${seed}: ${fault}`)
      for (const { kind } of run.told) told[kind] = (told[kind] ?? 0) + 1
    }
    t.ok(incidents > 5 * seeds.length, `${incidents} incidents were lived through`)
    for (const kind of kinds) t.ok((told[kind] ?? 0) > 0, `${kind} was told ${told[kind] ?? 0} times`)
  })
