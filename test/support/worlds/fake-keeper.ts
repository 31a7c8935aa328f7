// Fake keeper for tests of the services that send commands to a keeper. It applies each command id once to the stored subject document, and
// judges no website. Commands to custom subjects run the real step, whose outbox is dropped.
import { pino } from 'pino'
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { parseCommand } from '#shared/bus/subjects.ts'
import { websiteTemplate } from '#shared/checks/website/website-template.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { PingTaken } from '#shared/contracts/observations/ping.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { Command, CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { AcknowledgementView, WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { type ErrorCode, invariant } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import type { Clock } from '#shared/time/clock.ts'
import { noReports } from '../../../services/keeper/loading/stored-reports.ts'
import { servePreviews } from '../../../services/keeper/preview/serve-previews.ts'
import { step } from '../../../services/keeper/step/step.ts'
import { nothingHeld, type TemplateOf } from '../../../services/keeper/step/types.ts'
import { noTemplates } from '../../keeper/resources/no-templates.ts'
import { storeTags } from './store-tags.ts'

export interface FakeKeeper {
  /** Every received command, including repeated ones. */
  commands: { subjectId: string; command: Command }[]
  /** While set, commands get no reply or are refused with this code. */
  trouble: 'silence' | ErrorCode | null
  /** While set, answers pings in the place of the real step: with how they are taken, with an error, or not at all. */
  takesPing: ((command: CommandOf<'ping'>) => PingTaken['taken'] | { refused: ErrorCode } | 'silence') | null
  /** Resolves once all received commands are applied. */
  close(): Promise<void>
}

export async function startFakeKeeper(bus: Bus, store: Store, clock: Clock): Promise<FakeKeeper> {
  const commands: FakeKeeper['commands'] = []
  const answered = new Map<string, unknown>()
  const subscriptions: Subscription[] = []
  /** Commands that are being applied. */
  const working = new Set<Promise<void>>()
  const keeper: FakeKeeper = {
    commands,
    trouble: null,
    takesPing: null,
    close: async () => {
      await Promise.all(subscriptions.map(subscription => subscription.close()))
      await Promise.all(working)
    },
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
      const answer = (reply: unknown) => {
        answered.set(command.id, reply)
        message.respond(reply)
      }
      if (command.kind === 'ping' && keeper.takesPing !== null) {
        const taken = keeper.takesPing(command)
        if (taken === 'silence') return
        return answer(typeof taken === 'string' ? { ok: true, result: { taken } } : error(taken.refused))
      }
      const reply = async () => {
        if (isOfCustomSubject(command)) return await stepForReal(store, clock, subjectId, command)
        const result = await apply(store, clock, subjectId, command)
        return result === null ? error('not_found') : { ok: true, result }
      }
      const work = withTagsStored(store, clock, subjectId, reply)
        .then(answer)
        .finally(() => working.delete(work))
      working.add(work)
    }),
  )
  const previews = await servePreviews({ bus, clock, logger: pino({ level: 'silent' }) })
  subscriptions.push({ close: () => previews.stop() })
  return keeper
}

const websiteCommands: readonly string[] = ['create-website', 'update-website', 'delete-subject', 'acknowledge-incident']
const isOfCustomSubject = ({ kind }: Command) => !websiteCommands.includes(kind)

/** Runs `work`, and stores the tags of the subject that `work` changed. */
async function withTagsStored<T>(store: Store, clock: Clock, subjectId: string, work: () => Promise<T>): Promise<T> {
  const [before = null] = await store.get('subjects', [subjectId])
  const result = await work()
  const [after = null] = await store.get('subjects', [subjectId])
  if (after !== null) await storeTags(store, before, after, clock.now())
  return result
}

async function stepForReal(store: Store, clock: Clock, subjectId: string, command: Command): Promise<Reply | null> {
  const [present = null] = await store.get('subjects', [subjectId])
  const at = clock.now()
  const revisions = [present, command].flatMap(one =>
    one !== null && 'template' in one && one.template !== null ? [`${one.workspaceId}/${one.template}`] : [],
  )
  const templates = await store.get('templates', [...new Set(revisions)])
  const templateOf: TemplateOf = bound =>
    templates.find(found => found?.id === `${bound.workspaceId}/${bound.template}`)?.template ?? noTemplates(bound)
  const surrounding = {
    now: at,
    held: nothingHeld,
    confirmAfterMs: limits.policy.holdMs,
    closeAfterMs: limits.policy.holdMs,
    templateOf,
    stored: noReports,
  }
  const { subject, pushed, reply } = step(present, { kind: 'command', subjectId, at, command }, surrounding)
  if (pushed) await store.upsert('pushedObservations', pushed)
  if (subject !== null && subject !== present) {
    await store.upsert('subjects', [{ ...subject, rev: subject.rev + 1, writer: 'fake', outbox: [], hasOutbox: 0 }])
  }
  return reply
}

async function apply(
  store: Store,
  clock: Clock,
  subjectId: string,
  command: Command,
): Promise<WebsiteView | AcknowledgementView | { id: string } | null> {
  const [present = null] = await store.get('subjects', [subjectId])
  if (command.kind === 'create-website') {
    const made = subjectDocument(subjectId, command.workspaceId, command.slug, command.name, command.check, clock.now())
    const unreported = { addedAt: clock.now(), slotAt: null, at: null, ok: false, error: null, statusCode: null, totalMs: null }
    const readings = Object.fromEntries(command.check.locations.map(location => [location, unreported]))
    await store.insert('subjects', [{ ...made, readings }])
    return viewOf(made)
  }
  if (present === null || present.deletedAt !== null) return null
  const at = clock.now()
  const changed: SubjectDocument = { ...present, rev: present.rev + 1, updatedAt: at }
  if (command.kind === 'delete-subject') {
    await store.replace('subjects', [{ ...changed, deletedAt: at }])
    return { id: subjectId }
  }
  if (command.kind === 'acknowledge-incident') return acknowledge(store, at, command)
  invariant(command.kind === 'update-website' && present.check !== null, 'the fake keeper knows website commands')
  const { confirm_after, recover_after } = present.check
  const failure_mode = command.check.failure_mode ?? present.check.failure_mode
  const updated = { ...changed, name: command.name, check: { ...command.check, failure_mode, confirm_after, recover_after } }
  await store.replace('subjects', [updated])
  return viewOf(updated)
}

async function acknowledge(
  store: Store,
  at: number,
  { incidentId, by, via }: CommandOf<'acknowledge-incident'>,
): Promise<AcknowledgementView | null> {
  const [incident = null] = await store.get('incidents', [incidentId])
  if (incident === null || incident.open === 0) return null
  const recorded = incident.acknowledgedAt === null
  const acknowledged = recorded ? { ...incident, acknowledgedAt: at, acknowledgedBy: by, acknowledgedVia: via } : incident
  await store.upsert('incidents', [acknowledged])
  const { acknowledgedAt, acknowledgedBy, status, troubleSince, confirmedAt, wellSince, closedAt } = acknowledged
  return {
    incidentId,
    ruleSlug: 'reachability',
    status,
    acknowledgedAt: acknowledgedAt ?? at,
    acknowledgedBy: acknowledgedBy ?? by,
    recorded,
    troubleSince,
    confirmedAt,
    wellSince,
    closedAt,
  }
}

/** Returns a website subject as a keeper stores it at creation. */
export function subjectDocument(
  id: string,
  workspaceId: string,
  slug: string,
  name: string,
  check: StoredCheck,
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
    check,
    templated: null,
    labels: {},
    createdAt: at,
    updatedAt: at,
    archivedAt: null,
    deletedAt: null,
    rules: [],
    readings: {},
    custom: null,
    maintenance: null,
    incidents: 0,
    windows: 0,
    judgedAt: at,
    checkRev: 1,
    checkLocations: check.locations,
    dueAt: null,
    outbox: [],
    hasOutbox: 0,
    idempotency: [],
    faulty: null,
  }
}

function viewOf({ id, rev, workspaceId, slug, name, kind, template, check, createdAt, updatedAt }: SubjectDocument): WebsiteView {
  invariant(check !== null, 'a website has its settings')
  return { id, rev, workspaceId, slug, name, kind, template, check, createdAt, updatedAt }
}
