// One generated custom subject with the senders and people that send commands to its keepers. Senders retry until a reply comes; people
// acknowledge incidents and plan maintenance. Each command that was carried out is recorded for the oracle, with the instant that the reply
// names.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { Policy } from '#shared/contracts/subjects/policy.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { pushedObservationId } from '#shared/text/ids.ts'
import type { NaiveWorld } from '../../judging/naive.ts'
import { makeWorld } from '../../keeper/generate.ts'
import type { Life } from '../../keeper/telling-oracle.ts'
import type { Random } from '../random.ts'
import { expectedRefusal } from './expected-refusal.ts'
import { Keepers } from './keepers.ts'

/**
 * Kinds of commands whose repetition may get a different reply. A repeated acknowledgement concerns the incident that is open at the
 * repetition. Two replies to a report are never equal.
 */
const unlike = new Set(['report-observation', 'acknowledge-incident'])

export class House {
  readonly keepers: Keepers
  readonly subjectId: string
  readonly life: Life = { windows: [], acknowledgements: [] }
  /** Times in which reports could not be accepted, in order. */
  readonly outages: { from: number; until: number; lacks: 'keepers' | 'store' | 'gateways' }[] = []
  readonly gone = new Set<string>()
  /** Status of each acknowledged observation, by the id of its row. */
  readonly stored = new Map<string, { signal: string; status: string }>()
  readonly faults: string[] = []
  world!: NaiveWorld
  readonly #random: Random
  #commands = 0

  /** `keepers` null: the subject starts its own keepers. */
  constructor(random: Random, keepers: Keepers | null = null) {
    this.#random = random
    this.subjectId = random.id(10)
    this.keepers = keepers ?? new Keepers(random)
  }

  async begin(): Promise<void> {
    await this.keepers.start()
    await this.make()
  }

  /** Creates the subject, its signals and its rules in running keepers. */
  async make(): Promise<void> {
    this.world = makeWorld(this.#random, this.keepers.now())
    await this.send({ kind: 'create-subject', workspaceId: 'w', slug: 'shop', name: 'Shop' })
    for (const [name, kind] of Object.entries(this.world.signals))
      await this.send({ kind: 'create-signal', name, signalKind: `custom_${kind}`, meta: '{}', convert: false })
    for (const [name, policy] of Object.entries(this.world.rules))
      await this.send({ kind: 'create-rule', name, policy, convert: false })
    this.world.addedAt = this.keepers.now()
  }

  readonly subject = async (): Promise<SubjectDocument | null> =>
    (await this.keepers.store.get('subjects', [this.subjectId]))[0] ?? null

  /** Formats an instant as days and time since the beginning. */
  clockOf(at: number): string {
    const passed = new Date(Math.max(0, at - this.world.addedAt))
    return `day ${passed.getUTCDate()} ${passed.toISOString().slice(11, 23)}`
  }

  /** Sends a command as a sender does: with the same id until a reply comes, and sometimes again after the reply. */
  async send(sent: Record<string, unknown>): Promise<void> {
    const command = await this.#named({ id: `c${++this.#commands}`, ...sent })
    const expectedBefore = expectedRefusal(this, command, this.keepers.now())
    const reply = await this.#ask(command)
    this.#compareRefusal(command, reply, expectedBefore)
    if (reply.ok) await this.#note(command, reply.result as Record<string, unknown>)
    if (!this.#random.chance(0.1)) return
    const again = await this.#ask(command)
    // The second reply to an accepted command must equal the first. Refusals are not stored, so their second reply can differ.
    if (reply.ok && !unlike.has(command['kind'] as string) && JSON.stringify(again) !== JSON.stringify(reply))
      this.faults.push(`${command['kind']} was answered twice, differently`)
  }

  async #ask(command: Record<string, unknown>): Promise<Reply> {
    for (let tries = 0; tries < 200; tries++) {
      const reply = await this.keepers.ask(this.subjectId, command)
      if (reply !== null) return reply
      await this.keepers.clock.live(500)
    }
    throw new Error(`${command['kind']} is never answered`)
  }

  /** Checks the outcome of a command. Accepts either outcome if the expected outcome changed between the sending and the reply. */
  #compareRefusal(command: Record<string, unknown>, reply: Reply, expectedBefore: string | null): void {
    if (command['kind'] === 'acknowledge-incident') return
    const expected = expectedRefusal(this, command, this.keepers.now())
    const refused = reply.ok ? null : reply.error.message
    if (expected === expectedBefore && refused !== expected)
      this.faults.push(`${command['kind']} was refused with ${refused} instead of ${expected}`)
  }

  async #named(command: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (command['kind'] !== 'acknowledge-incident') return command
    const rule = (await this.subject())?.rules.find(candidate => candidate.slug === command['rule'])
    const incidentId = rule?.incident?.context.incidentId ?? 'none'
    return { ...command, incidentId, by: 'Ann', via: 'api' }
  }

  async #note(command: Record<string, unknown>, result: Record<string, unknown>): Promise<void> {
    const rule = command['rule'] as string
    const { windows, acknowledgements } = this.life
    const window = windows.at(-1)
    switch (command['kind']) {
      case 'report-observation':
        return this.#noteReport(command, result)
      case 'acknowledge-incident':
        if (result['recorded'] === true) acknowledgements.push({ rule, at: result['acknowledgedAt'] as number })
        return
      case 'start-maintenance':
        windows.push({ from: result['startedAt'] as number, until: result['endsAt'] as number })
        return
      case 'move-maintenance':
        if (window) window.until = result['endsAt'] as number
        return
      case 'cancel-maintenance':
        if (window) window.until = result['cancelledAt'] as number
        return
      case 'delete-signal':
        this.gone.add(command['signal'] as string)
        return
      case 'replace-rule':
      case 'delete-rule': {
        const at = (await this.subject())?.updatedAt ?? 0
        const policy = command['kind'] === 'delete-rule' ? null : (command['policy'] as Policy)
        this.world.saved.push({ rule, at, policy })
      }
    }
  }

  #noteReport(command: Record<string, unknown>, result: Record<string, unknown>): void {
    const { signal, status, value } = command as { signal: string; status: string; value: number | null }
    const labels = command['labels'] as Record<string, string>
    const observedAtUs = result['observedAtUs'] as number
    const signalKey = `s${Object.keys(this.world.signals).indexOf(signal) + 1}`
    this.stored.set(pushedObservationId(this.subjectId, signalKey, labels, observedAtUs), { signal, status })
    if (result['accepted'] !== true) return
    const arrivedAt = Math.floor((result['receivedAtUs'] as number) / 1_000)
    const observedAt = Math.floor(observedAtUs / 1_000)
    this.world.reports.push({ signal, observedAt, arrivedAt, ok: status === 'ok', value, labels })
  }
}
