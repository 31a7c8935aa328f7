// One simulated Resource with the senders and people that send commands to its keepers. The senders and people retry until a reply comes,
// and compare each reply with docs/reference/v3.md (sections 6 and 7). For each acknowledged command, they note the instant that the stored
// records have for it.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Random } from '../random.ts'
import type { Deed } from './deeds.ts'
import { answersAfter, answersCarried, type Refused } from './expected-answers.ts'
import { isArchived, latestBinding, type ResourceFacts } from './facts.ts'
import type { Asking, House } from './house.ts'
import { Sender } from './sender.ts'

export class Resource implements Asking {
  readonly facts: ResourceFacts
  readonly house: House
  readonly random: Random
  readonly #sender: Sender
  #commands = 0

  constructor(house: House, random: Random) {
    this.house = house
    this.random = random
    this.facts = { id: random.id(10), events: [], windows: [], acknowledgements: [], sorted: 0 }
    this.#sender = new Sender(this)
  }

  async begin(template: string): Promise<void> {
    const made = { workspaceId: 'w', slug: this.facts.id, name: 'Host', template, answers: {}, labels: {} }
    const view = await this.#shown({ kind: 'create-resource', ...made })
    const { answers, signals, createdAt } = view as ResourceView
    const signalIds = Object.fromEntries(signals.map(({ key, id }) => [key, id]))
    const binding = { isRebound: true, isDeclared: false, template, answers: answers ?? {}, signalIds }
    this.facts.events.push({ kind: 'bound', at: createdAt, ...binding })
  }

  readonly subject = async (): Promise<SubjectDocument> =>
    (await this.house.keepers.store.get('subjects', [this.facts.id]))[0] as SubjectDocument

  fault(text: string): void {
    this.house.faults.push(`${this.facts.id}: ${text}`)
  }

  async live(deed: Deed): Promise<void> {
    switch (deed.kind) {
      case 'observe':
        return this.#sender.send(deed.observations)
      case 'update':
        return this.#update(deed.answers)
      case 'rebind':
        return this.#rebind(deed.template, deed.answers)
      case 'maintain':
        return this.#maintain(deed.minutes)
      case 'end maintenance':
        return this.#endMaintenance()
      case 'acknowledge':
        return this.#acknowledge()
      case 'archive':
        return this.#archive()
    }
  }

  /** Sends a command as a sender does: with the same id until a reply comes, and sometimes again after the reply. */
  async ask(sent: Record<string, unknown>): Promise<{ reply: Reply; tries: number }> {
    const { keepers, retried } = this.house
    const command = { id: `c${++this.#commands}`, ...sent }
    const from = keepers.now()
    for (let tries = 1; tries < 400; tries++) {
      const { ambush } = this.house
      this.house.ambush = null
      const reply = await (ambush === null ? keepers.ask(this.facts.id, command) : keepers.ask(this.facts.id, command, ambush))
      if (reply === null) {
        await keepers.clock.live(500)
        continue
      }
      if (tries > 1) retried.push({ from, until: keepers.now() })
      const again = sent['kind'] !== 'observe' && this.random.chance(0.1) ? await keepers.ask(this.facts.id, command) : null
      // Views may differ between the two replies, because time has moved on.
      if (
        again !== null &&
        reply.ok &&
        !String(sent['kind']).startsWith('read-') &&
        JSON.stringify(again) !== JSON.stringify(reply)
      )
        this.fault(`${sent['kind']} was answered twice, differently`)
      return { reply, tries }
    }
    throw new Error(`${sent['kind']} is never answered`)
  }

  async read(): Promise<ResourceView> {
    return (await this.#shown({ kind: 'read-resource' })) as ResourceView
  }

  /** Returns the view in the reply. Null: the command was refused, for the expected field or state. */
  async #shown(command: Record<string, unknown>, expected: Refused = null): Promise<ResourceView | null> {
    const { reply } = await this.ask(command)
    const refused = reply.ok ? null : (reply.error.facts?.['field'] ?? reply.error.code)
    if (refused !== expected) this.fault(`${command['kind']} was refused with ${refused} instead of ${expected}`)
    return reply.ok ? (reply.result as ResourceView) : null
  }

  async #update(answers: Record<string, unknown>): Promise<void> {
    const binding = latestBinding(this.facts)
    const after = answersAfter(this.#template(binding.template), answers, binding.answers)
    const expected = after.refused ?? (isArchived(this.facts) ? 'invalid_state' : null)
    const view = await this.#shown({ kind: 'update-resource', name: null, answers, labels: null }, expected)
    if (view === null) return
    this.#compareAnswers('update', view, after.answers)
    const { updatedAt: at } = await this.subject()
    this.facts.events.push({ ...binding, at, isRebound: false, isDeclared: false, answers: after.answers })
  }

  async #rebind(template: string, answers: Record<string, unknown>): Promise<void> {
    const binding = latestBinding(this.facts)
    const carried = answersCarried(this.#template(binding.template), this.#template(template), binding.answers)
    const after = answersAfter(this.#template(template), answers, carried)
    const expected =
      (template === binding.template ? 'template' : after.refused) ?? (isArchived(this.facts) ? 'invalid_state' : null)
    const view = await this.#shown({ kind: 'rebind-resource', workspaceId: 'w', template, answers }, expected)
    if (view === null) return
    this.#compareAnswers('rebind', view, after.answers)
    const { updatedAt: at } = await this.subject()
    const signalIds = Object.fromEntries(view.signals.map(({ key, id }) => [key, id]))
    this.#compareSignals(binding.signalIds, signalIds, template)
    const rebound = { isRebound: true, isDeclared: false, template, answers: after.answers, signalIds }
    this.facts.events.push({ kind: 'bound', at, ...rebound })
  }

  #template = (name: string) => this.house.revisions.get(name)!

  #compareAnswers(what: string, { answers }: ResourceView, expected: object): void {
    const sorted = (one: object) => JSON.stringify(Object.entries(one).sort())
    if (sorted(answers ?? {}) !== sorted(expected))
      this.fault(`${what} leaves ${JSON.stringify(answers)}, not ${JSON.stringify(expected)}`)
  }

  /**
   * Checks the signals after a rebind. A signal that both revisions declare is kept, and a new signal starts empty. A signal that neither a
   * Template nor a sender declares is removed (v3 4.6).
   */
  #compareSignals(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>, template: string): void {
    const declared = this.#template(template).signals.map(({ key }) => key)
    for (const key of declared) {
      const id = after[key]
      if (id === undefined) this.fault(`${template} declares ${key}, and the Resource lacks it`)
      else if (before[key] !== undefined && before[key] !== id) this.fault(`${key} was ${before[key]} and is ${id}`)
      else if (
        before[key] === undefined &&
        this.facts.events.some(one => one.kind === 'bound' && Object.values(one.signalIds).includes(id))
      )
        this.fault(`${key} begins as ${id}, which was there before`)
    }
    for (const key of Object.keys(after)) {
      if (!declared.includes(key) && !this.#sender.hasDeclared(after[key] as string))
        this.fault(`${template} lacks ${key}, and it stays`)
    }
  }

  async #maintain(minutes: number): Promise<void> {
    const before = this.#running()
    const expected = isArchived(this.facts) ? 'invalid_state' : null
    const view = await this.#shown({ kind: 'set-maintenance', minutes, by: 'Ada' }, expected)
    if (view === null) return
    const { startedAt, endsAt } = view.maintenance as { startedAt: number; endsAt: number }
    const { windows } = this.facts
    if (before !== undefined && startedAt === before.from) before.until = endsAt
    else windows.push({ from: startedAt, until: endsAt })
    if (before !== undefined && startedAt !== before.from && startedAt < before.until) this.fault('a window began within another')
  }

  async #endMaintenance(): Promise<void> {
    const running = this.#running()
    // The maintenance window can end by itself during the command.
    const { reply } = await this.ask({ kind: 'end-maintenance' })
    if (!reply.ok && running !== undefined && this.#running() !== undefined) this.fault('a window could not be ended')
    if (!reply.ok) return
    if (running === undefined) throw new Error('a window was ended that did not run')
    const [window] = await this.house.keepers.store.find('windows', {
      where: { subjectId: this.facts.id, startedAt: running.from },
      limit: 1,
    })
    running.until = window?.cancelledAt ?? running.until
  }

  #running = () => {
    const now = this.house.keepers.now()
    return this.facts.windows.find(({ from, until }) => now >= from && now < until)
  }

  async #acknowledge(): Promise<void> {
    const where = { subjectId: this.facts.id, open: 1 as const }
    const open = await this.house.keepers.store.find('incidents', { where, limit: 10 })
    if (open.length === 0) return
    const { id: incidentId, rule } = this.random.pick(open)
    const { reply } = await this.ask({ kind: 'acknowledge-incident', incidentId, by: 'Ada', via: 'api' })
    if (!reply.ok) return
    const { recorded, acknowledgedAt: at } = reply.result as { recorded: boolean; acknowledgedAt: number }
    if (recorded) this.facts.acknowledgements.push({ rule: rule.key, at })
  }

  async #archive(): Promise<void> {
    const view = await this.#shown({ kind: 'archive-resource' }, isArchived(this.facts) ? 'invalid_state' : null)
    if (view === null) return
    const at = view.archivedAt as number
    this.facts.events.push({ kind: 'archived', at })
    for (const window of this.facts.windows) window.until = Math.min(window.until, at)
  }

  async rows(): Promise<PushedObservationDocument[]> {
    const { id } = this.facts
    return await this.house.keepers.store.find('pushedObservations', {
      where: { id: { gte: `${id}.`, lt: `${id}/` } },
      limit: 10_000,
    })
  }
}
