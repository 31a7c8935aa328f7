// A keeper for tests of what stands before it: applies website commands to the store in the shape of a subject document, once per
// command id, and judges nothing.
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { parseCommand } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import type { Command, SubjectView } from '#shared/contracts/command.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { type WebsiteMeta, websiteTemplate } from '#shared/contracts/website.ts'
import { type ErrorCode, invariant } from '#shared/errors.ts'
import { partitionOf } from '#shared/hash.ts'
import type { Store } from '#shared/store/port.ts'

export interface FakeKeeper {
  /** Every command taken, repeats included. */
  commands: { subjectId: string; command: Command }[]
  /** While set, commands are swallowed (no answer) or refused with this code. */
  trouble: 'silence' | ErrorCode | null
  close(): Promise<void>
}

export async function startFakeKeeper(bus: Bus, store: Store, clock: Clock): Promise<FakeKeeper> {
  const commands: FakeKeeper['commands'] = []
  const answered = new Map<string, unknown>()
  const subscriptions: Subscription[] = []
  const keeper: FakeKeeper = {
    commands,
    trouble: null,
    close: async () => void (await Promise.all(subscriptions.map(subscription => subscription.close()))),
  }
  subscriptions.push(
    await bus.subscribe('cmd.*.*', message => {
      const subjectId = parseCommand(message.subject)?.subjectId
      invariant(subjectId !== undefined, 'a command names a subject of its partition')
      const command = message.body as Command
      commands.push({ subjectId, command })
      if (keeper.trouble === 'silence') return
      const error = (code: ErrorCode) => ({ ok: false, error: { code, message: 'secret inside', details: 'secret inside' } })
      if (keeper.trouble !== null) return message.respond(error(keeper.trouble))
      if (answered.has(command.id)) return message.respond(answered.get(command.id))
      void apply(store, clock, subjectId, command).then(result => {
        const reply = result === null ? error('not_found') : { ok: true, result }
        answered.set(command.id, reply)
        message.respond(reply)
      })
    }),
  )
  return keeper
}

async function apply(
  store: Store,
  clock: Clock,
  subjectId: string,
  command: Command,
): Promise<SubjectView | { id: string } | null> {
  const [present = null] = await store.get('subjects', [subjectId])
  if (command.kind === 'create-website') {
    const made = subjectDocument(subjectId, command.workspaceId, command.slug, command.name, command.meta, clock.now())
    await store.insert('subjects', [made])
    return viewOf(made)
  }
  if (present === null || present.deletedAt !== null) return null
  const at = clock.now()
  const changed: SubjectDocument = { ...present, rev: present.rev + 1, updatedAt: at }
  if (command.kind === 'delete-subject') {
    await store.replace('subjects', [{ ...changed, deletedAt: at }])
    return { id: subjectId }
  }
  invariant(command.kind === 'update-website', 'the fake keeper knows website commands')
  const { confirm_after, recover_after } = present.meta
  const failure_mode = command.meta.failure_mode ?? present.meta.failure_mode
  const updated = { ...changed, name: command.name, meta: { ...command.meta, failure_mode, confirm_after, recover_after } }
  await store.replace('subjects', [updated])
  return viewOf(updated)
}

/** A website subject as a keeper stores it when it was just created. */
export function subjectDocument(
  id: string,
  workspaceId: string,
  slug: string,
  name: string,
  meta: WebsiteMeta,
  at: number,
): SubjectDocument {
  return {
    id,
    rev: 1,
    writer: 'fake',
    partition: partitionOf(id),
    workspaceId,
    slug,
    name,
    kind: 'website',
    template: websiteTemplate,
    meta,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    rules: [],
    readings: {},
    incidents: 0,
    judgedAt: at,
    checkRev: 1,
    checkLocations: meta.locations,
    dueAt: null,
    pending: [],
    hasPending: 0,
    receipts: [],
    faulty: null,
  }
}

function viewOf({ id, rev, workspaceId, slug, name, kind, template, meta, createdAt, updatedAt }: SubjectDocument): SubjectView {
  return { id, rev, workspaceId, slug, name, kind, template, meta, createdAt, updatedAt }
}
