// Generated custom subjects in the real keeper, through take-overs, clean hand-overs, restarts, a store that goes away and a clock that
// is set: what is acknowledged holds, every incident can be replayed, and people are told what the oracle says.
import t from 'tap'
import type { Clock } from '#shared/clock.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import { pushedObservationId } from '#shared/ids.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { replayIncident } from '../../infra/replay/replay-incident.ts'
import { type NaiveWorld, naiveVerdict } from '../judging/naive.ts'
import { makeDeeds, makeWorld } from '../keeper/generate.ts'
import { type Life, tellingOracle } from '../keeper/telling-oracle.ts'
import { createWorld, type KeeperHandle } from '../keeper/world.ts'
import { Random } from './random.ts'

const second = 1_000
const minute = 60 * second
const length = 150 * minute
const seeds = [1, 2, 3]
/** A take-over comes within 10 s, and nobody is called silent for 15 s more; commands wait meanwhile. */
const lateness = 45 * second

async function live(seed: number) {
  const house = new House(seed)
  await house.begin()
  const deeds = makeDeeds(new Random(seed, 'deeds'), house.naive, length)
  const blows = makeBlows(new Random(seed, 'blows'), house.startedAt)
  for (const { at, deal } of [...deeds.map(deed => ({ at: deed.at, deal: deed })), ...blows].sort((a, b) => a.at - b.at)) {
    await house.passUntil(at)
    await ('command' in deal ? house.send(deal.command) : house.suffer(deal.blow))
  }
  await house.passUntil(house.startedAt + length + 5 * minute)
  return house.judged()
}

type Blow = 'kill' | 'stop' | 'store away' | 'clock set'

function makeBlows(random: Random, start: number): { at: number; deal: { blow: Blow } }[] {
  const kinds = ['kill', 'stop', 'store away', 'clock set'] as const
  return Array.from({ length: random.integer(2, 5) }, () => ({
    at: start + random.integer(5 * minute, length - 20 * minute),
    deal: { blow: random.pick(kinds) },
  }))
}

class House {
  readonly #subjectId: string
  readonly #random: Random
  readonly #world: ReturnType<typeof createWorld>
  readonly #life: Life = { windows: [], acknowledgements: [] }
  readonly #stored = new Map<string, string>()
  readonly faults: string[] = []
  naive!: NaiveWorld
  startedAt = 0
  #keeper!: KeeperHandle
  #storeAwayUntil = 0
  readonly #correction: number
  #correctedFrom = Number.POSITIVE_INFINITY
  #commands = 0
  #keepers = 0

  constructor(seed: number) {
    this.#random = new Random(seed, 'house')
    this.#subjectId = this.#random.id(10)
    this.#world = createWorld(
      store => this.#faltering(store),
      clock => this.#corrected(clock),
    )
    this.#correction = this.#random.pick([0.01, -0.01])
  }

  async begin(): Promise<void> {
    await this.#startKeeper()
    this.startedAt = this.#world.clock.now()
    this.naive = makeWorld(this.#random, this.startedAt)
    await this.send({ kind: 'create-subject', workspaceId: 'w', slug: 'shop', name: 'Shop' })
    for (const [name, kind] of Object.entries(this.naive.signals))
      await this.send({ kind: 'create-signal', name, signalKind: `custom_${kind}`, meta: '{}', convert: false })
    for (const [name, policy] of Object.entries(this.naive.rules))
      await this.send({ kind: 'create-rule', name, policy, convert: false })
    this.naive.addedAt = this.#world.clock.now()
  }

  async passUntil(at: number): Promise<void> {
    const left = at - this.#world.clock.now()
    if (left > 0) await this.#world.clock.advance(left)
  }

  /** As a sender does: again and again with the same id until it is answered, and then once more: the answer must be the same. */
  async send(sent: Record<string, unknown>): Promise<void> {
    const command = await this.#named({ id: `c${++this.#commands}`, ...sent })
    const reply = await this.#ask(command)
    if (this.#random.chance(0.2)) {
      const again = await this.#ask(command)
      // A report is known by its identity, not by its command: sent again it is received again.
      const isReport = command['kind'] === 'report-observation'
      if (!isReport && JSON.stringify(again) !== JSON.stringify(reply))
        this.faults.push(`${command['kind']} was answered twice, differently`)
    }
    if (reply.ok) this.#note(command, reply.result as Record<string, unknown>)
  }

  async suffer(blow: Blow): Promise<void> {
    const { clock, hub } = this.#world
    if (blow === 'store away') this.#storeAwayUntil = clock.now() + 8 * second
    if (blow === 'clock set') this.#correctedFrom = clock.monotonic()
    if (blow === 'kill') hub.cut(this.#keeper.bus)
    if (blow === 'kill') await this.#startKeeper()
    if (blow !== 'stop') return
    const leaving = this.#keeper
    await this.#startKeeper()
    await Promise.all([leaving.service.stop(), clock.advance(second)])
  }

  async judged(): Promise<{ faults: string[]; compared: number }> {
    await this.#checkRecords()
    const subject = await this.#world.subject(this.#subjectId)
    const now = this.#world.clock.now()
    let compared = 0
    for (const slug of Object.keys(this.naive.rules)) {
      const rule = subject?.rules.find(candidate => candidate.slug === slug)
      const expected = naiveVerdict(this.naive, slug, now)
      const before = naiveVerdict(this.naive, slug, now - lateness)
      if (expected === before && rule?.verdict?.verdict !== expected)
        this.faults.push(`in the end ${slug} says ${rule?.verdict?.verdict}, the naive evaluator ${expected}`)
      if (await this.#checkTold(slug)) compared++
    }
    return { faults: this.faults, compared }
  }

  async #checkRecords(): Promise<void> {
    const { store } = this.#world
    const incidents = await this.#world.incidents(this.#subjectId)
    const open = incidents.filter(incident => incident.open === 1).map(incident => incident.ruleKey)
    if (new Set(open).size !== open.length) this.faults.push('a rule has two open incidents')
    for (const incident of incidents) {
      const where = { incidentId: incident.id }
      const history = await store.find('history', { where, sort: [['sequence', 'asc']], limit: 10_000 })
      for (const fault of replayIncident(incident, history).faults) this.faults.push(`replay of ${incident.id}: ${fault}`)
      const alerts = await store.find('alerts', { where, sort: [['number', 'asc']], limit: 10_000 })
      if (alerts.some((alert, i) => alert.number !== i + 1)) this.faults.push(`alerts of ${incident.id} have a gap`)
    }
    const rows = await store.get('pushedObservations', [...this.#stored.keys()])
    for (const [i, [id, status]] of [...this.#stored].entries())
      if (rows[i]?.status !== status) this.faults.push(`the acknowledged observation ${id} is ${rows[i]?.status ?? 'lost'}`)
  }

  /** Messages in their order, where a little lateness here and there would not have made others of them. False: it would. */
  async #checkTold(slug: string): Promise<boolean> {
    const until = this.#world.clock.now()
    const kindsOf = (world: NaiveWorld, end: number) =>
      tellingOracle(world, this.#life, slug, end)
        .map(message => message.kind)
        .join(' ')
    const expected = kindsOf(this.naive, until)
    if ([lateness, 2 * lateness].some(late => kindsOf(delayed(this.naive, late), until) !== expected)) return false
    if (kindsOf(this.naive, until - 2 * lateness) !== expected) return false
    const alerts = (await this.#world.store.find('alerts', { where: { subjectId: this.#subjectId }, limit: 10_000 }))
      .filter(alert => alert.facts.ruleKey === slug)
      .sort((a, b) => Number(a.incidentId.split('.')[1]) - Number(b.incidentId.split('.')[1]) || a.number - b.number)
    const told = alerts.map(({ kind, held, reminder }) => (held ? `held ${kind}` : reminder ? 'reminder' : kind)).join(' ')
    if (told !== expected) this.faults.push(`${slug} told "${told}", the oracle says "${expected}"`)
    return true
  }

  async #startKeeper(): Promise<void> {
    this.#keeper = await this.#world.startOne({ keeperId: `keeper${++this.#keepers}` })
  }

  async #ask(command: Record<string, unknown>): Promise<Reply> {
    for (let tries = 0; tries < 200; tries++) {
      const asking = this.#world.command(this.#subjectId, command as never)
      const answered = asking.catch(() => null)
      let reply: Reply | null | undefined
      void answered.then(one => {
        reply = one
      })
      for (let waited = 0; reply === undefined && waited < 60; waited++) await this.#world.clock.advance(100)
      if (reply !== null && reply !== undefined) return reply
      await this.#world.clock.advance(500)
    }
    throw new Error(`${command['kind']} is never answered`)
  }

  /** An acknowledgement names the incident that is open at the moment. */
  async #named(command: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (command['kind'] !== 'acknowledge-incident') return command
    const subject = await this.#world.subject(this.#subjectId)
    const incidentId = subject?.rules.find(rule => rule.slug === command['rule'])?.incident?.context.incidentId ?? 'none'
    return { kind: command['kind'], id: command['id'], incidentId, by: 'Ann', via: 'api', rule: command['rule'] }
  }

  #note(command: Record<string, unknown>, result: Record<string, unknown>): void {
    if (command['kind'] === 'report-observation') this.#noteReport(command, result)
    if (command['kind'] === 'acknowledge-incident' && result['recorded'] === true)
      this.#life.acknowledgements.push({ rule: command['rule'] as string, at: result['acknowledgedAt'] as number })
    if (command['kind'] === 'start-maintenance')
      this.#life.windows.push({ from: result['startedAt'] as number, until: result['endsAt'] as number })
    const window = this.#life.windows.at(-1)
    if (command['kind'] === 'cancel-maintenance' && window) window.until = result['cancelledAt'] as number
  }

  #noteReport(command: Record<string, unknown>, result: Record<string, unknown>): void {
    const labels = command['labels'] as Record<string, string>
    const observedAt = Math.floor((result['observedAtUs'] as number) / 1_000)
    const signalKey = `s${Object.keys(this.naive.signals).indexOf(command['signal'] as string) + 1}`
    const rowId = pushedObservationId(this.#subjectId, signalKey, labels, result['observedAtUs'] as number)
    this.#stored.set(rowId, command['status'] as string)
    if (result['accepted'] !== true) return
    const arrivedAt = Math.floor((result['receivedAtUs'] as number) / 1_000)
    const { signal, status, value } = command as { signal: string; status: string; value: number | null }
    this.naive.reports.push({ signal, observedAt, arrivedAt, ok: status === 'ok', value, labels })
  }

  /** The machine's clock was set: the keeper's own works that off at one percent (shared/clock.ts), here for twenty minutes. */
  #corrected(clock: Clock): Clock {
    const correctedMs = () => Math.min(20 * minute, Math.max(0, clock.monotonic() - this.#correctedFrom)) * this.#correction
    return { ...clock, now: () => Math.floor(clock.now() + correctedMs()) }
  }

  /** The keeper's store, away for a while. */
  #faltering(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...given: unknown[]) => unknown
        if (typeof method !== 'function') return method
        return (...given: unknown[]) =>
          this.#world.clock.now() < this.#storeAwayUntil && name !== 'close'
            ? Promise.reject(new StoreError('unavailable', 'the store is away'))
            : method.apply(target, given)
      },
    })
  }
}

/** The same history, told by somebody who hears of everything a little later, and calls nobody silent before that. */
function delayed(world: NaiveWorld, lateMs: number): NaiveWorld {
  const rules = Object.fromEntries(
    Object.entries(world.rules).map(([slug, policy]) => [
      slug,
      {
        ...policy,
        inputs: policy.inputs.map(input => ({ ...input, noDataAfterMs: (input.noDataAfterMs ?? 5 * minute) + lateMs })),
      },
    ]),
  )
  return { ...world, rules, reports: world.reports.map(report => ({ ...report, arrivedAt: report.arrivedAt + lateMs })) }
}

t.test('custom subjects live through what happens to their keepers', async t => {
  let compared = 0
  for (const seed of seeds) {
    const run = await live(seed)
    for (const fault of run.faults.slice(0, 3)) t.fail(`seed ${seed}: ${fault}`)
    compared += run.compared
  }
  t.ok(compared >= seeds.length, `what was told of ${compared} rules was compared`)
})
