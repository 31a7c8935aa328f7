// People who create, change and delete monitors through the real client of the keepers and the directory's real reservation of names. They
// retry until every command has a reply.
import { createKeeperClient } from '#shared/bus/clients/clients.ts'
import type { Bus } from '#shared/bus/port.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import type { SubjectView } from '#shared/contracts/subjects/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import { reserveName } from '../../services/directory/subjects/names.ts'
import type { Deal, Ledger } from './judged/ledger.ts'
import type { Deed, Plan, Site } from './plan.ts'
import type { Outside } from './weather.ts'

type PeoplesCommand = Extract<Command, { kind: 'create-website' | 'update-website' | 'delete-subject' }>

export interface PeopleOptions extends Outside {
  bus: Bus
  store: Store
  ledger: Ledger
  plan: Plan
  onFault(text: string): void
}

export const workspaceId = 'workspace1'

export class People {
  readonly #options: PeopleOptions
  readonly #clock: Clock
  #busy = 0

  constructor(options: PeopleOptions) {
    this.#options = options
    const { time } = options
    this.#clock = {
      now: () => time.now(),
      monotonic: () => time.elapsed(),
      schedule: (delayMs, run) => time.schedule(delayMs, run),
    }
  }

  start(): void {
    const { time, plan } = this.#options
    for (const site of plan.sites) time.schedule(site.createAtMs, () => void this.#work(() => this.#create(site)))
    for (const deed of plan.deeds) time.schedule(deed.atMs, () => void this.#work(() => this.#send(...this.#commandOf(deed))))
  }

  /** Number of commands without a reply. */
  busy(): number {
    return this.#busy
  }

  async #work(work: () => Promise<unknown>): Promise<void> {
    this.#busy += 1
    await work().catch(error => this.#options.onFault(`somebody's work ended with ${error}`))
    this.#busy -= 1
  }

  async #create({ subjectId, name, check }: Site): Promise<void> {
    const { store, bus, time, random } = this.#options
    const context = {
      store,
      bus,
      clock: this.#clock,
      activeWorkers: () => 0,
      probersAt: () => [],
      lastSeenAt: () => null,
      logger: { info: () => undefined },
    } as never
    let slug: string | null = null
    while (slug === null) {
      try {
        slug = (await reserveName(context, { verb: 'reserve-name', workspaceId, subjectId, name, fallback: 'site' } as never))
          .slug
      } catch (error) {
        if (!(error instanceof StoreError) || error.kind !== 'unavailable') throw error
        await time.pass(500)
      }
    }
    await this.#send(subjectId, { kind: 'create-website', id: random.id(16), workspaceId, slug, name, check })
  }

  #commandOf(deed: Deed): [string, PeoplesCommand] {
    const { random, plan } = this.#options
    const { subjectId, name, check } = plan.sites[deed.site] as Site
    const id = random.id(16)
    if (deed.kind === 'delete') return [subjectId, { kind: 'delete-subject', id }]
    const { confirm_after: _, recover_after: __, ...kept } = check
    const changed = { ...kept, locations: deed.locations, failure_mode: deed.failureMode, url: deed.url }
    return [subjectId, { kind: 'update-website', id, name: `${name} again`, check: changed }]
  }

  /**
   * Sends a command until it has a reply, and repeats some commands later. The reply to the repetition must equal the first reply, byte for
   * byte.
   */
  async #send(subjectId: string, command: PeoplesCommand): Promise<void> {
    const { time, random, ledger, note, onFault } = this.#options
    const deal: Deal = { subjectId, command, sentAt: time.now(), answeredAt: null, reply: null }
    ledger.deals.push(deal)
    note(`people: ${command.kind} ${subjectId} ${JSON.stringify('check' in command ? command.check.locations : '')}`)
    deal.reply = await this.#ask(subjectId, command)
    deal.answeredAt = time.now()
    note(`people: ${command.kind} ${subjectId} answered ${deal.reply.error ?? `rev ${deal.reply.view?.rev}`}`)
    if (deal.reply.error !== null || !random.chance(0.3)) return
    await time.pass(random.integer(0, 40_000))
    const again = await this.#ask(subjectId, command)
    // The replies are not compared if the command waited for the store for longer than replies are kept.
    if (time.now() - deal.answeredAt > limits.keeper.idempotencyAgeMs) return
    if (JSON.stringify(again) === JSON.stringify(deal.reply)) return
    onFault(
      `${command.kind} ${command.id} repeated was answered otherwise: ${JSON.stringify(again)} after ${JSON.stringify(deal.reply)}`,
    )
  }

  async #ask(subjectId: string, command: Command): Promise<NonNullable<Deal['reply']>> {
    const { bus, time } = this.#options
    const client = createKeeperClient(bus, this.#clock)
    for (;;) {
      try {
        return { view: (await client.send(subjectId, command)) as SubjectView, error: null }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (!error.retryable) return { view: null, error: error.code }
        await time.pass(1_000)
      }
    }
  }
}
