// A job that a step watches, without bus, store and clock: pings, Observations and the passing of time.
import type { PingTaken } from '#shared/contracts/observations/ping.ts'
import type { ObservedResult } from '#shared/contracts/resources/resource-views.ts'
import type { Command, CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { scheduleView } from '#shared/schedule/schedule-view.ts'
import { PreviewReports } from '../../../services/keeper/preview/preview-reports.ts'
import { step } from '../../../services/keeper/step/step.ts'
import { nothingHeld, type Step, type StepContext, type TemplateOf } from '../../../services/keeper/step/types.ts'
import { noTemplates } from '../resources/no-templates.ts'

export const start = Date.UTC(2026, 0, 5)
export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute

/** Rid of a run. */
export const rid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

type PingOf = Partial<Omit<CommandOf<'ping'>, 'kind' | 'id'>>

export interface JobOptions {
  answers?: Record<string, unknown>
  templateOf?: TemplateOf
  template?: string
  at?: number
}

/** Returns a Resource of `heartbeat-check` with a period of an hour and a grace of five minutes, unless the options say otherwise. */
export function createJob({
  answers = {},
  templateOf = noTemplates,
  template = 'heartbeat-check@1',
  at = start,
}: JobOptions = {}) {
  let subject: SubjectDocument | null = null
  let commands = 0
  const steps: Step[] = []
  const stored = new PreviewReports()
  const contextAt = (now: number, held = nothingHeld): StepContext => ({
    ...{ now, held, confirmAfterMs: 0, closeAfterMs: 0, templateOf, stored },
  })
  const take = (stepped: Step): Step => {
    stored.now = start
    subject = stepped.subject
    if (stepped.change === 'commit' && subject !== null) subject = { ...subject, rev: subject.rev + 1 }
    steps.push(stepped)
    stored.note(stepped)
    return stepped
  }
  const command = (instant: number, sent: object, held = nothingHeld): Step => {
    const input = {
      kind: 'command' as const,
      subjectId: 'job',
      at: instant,
      command: { id: `c${commands++}`, ...sent } as Command,
    }
    return take(step(subject, input, contextAt(instant, held)))
  }
  const job = {
    subject: () => subject as SubjectDocument,
    command,
    ping: (instant: number, sent: PingOf = {}): PingTaken['taken'] => {
      const usual = { action: 'success', exitStatus: null, run: null, method: 'GET', agent: '', from: '', body: null }
      const { reply } = command(instant, { kind: 'ping', signal: 'run', ...usual, value: null, reason: '', ...sent })
      if (reply?.ok !== true) throw new Error(`ping was refused: ${JSON.stringify(reply)}`)
      return (reply.result as PingTaken).taken
    },
    observe: (instant: number, sent: object): ObservedResult => {
      const usual = {
        signal: 'run',
        state: 'ok',
        signalKind: null,
        sentId: null,
        atUs: null,
        value: null,
        reason: '',
        labels: {},
        body: null,
      }
      const { reply } = command(instant, { kind: 'observe', observations: [{ ...usual, ...sent }] })
      if (reply?.ok !== true) throw new Error(`Observation was refused: ${JSON.stringify(reply)}`)
      const [only] = (reply.result as { results: ObservedResult[] }).results
      return only as ObservedResult
    },
    pass: (instant: number, held = nothingHeld): Step =>
      take(step(subject, { kind: 'deadline', subjectId: 'job', at: instant }, contextAt(instant, held))),
    schedule: () => {
      const state = job.subject().templated?.schedules?.['run']
      if (state === undefined) throw new Error('the job has no schedule')
      return state
    },
    /** Returns what people read of the runs. */
    view: (instant: number) => scheduleView(job.schedule(), job.subject().templated?.heard['run'], instant),
    verdict: () => job.subject().rules[0]?.verdict?.verdict ?? null,
    explanation: () => job.subject().rules[0]?.verdict?.explanation ?? null,
    evidence: () => job.subject().rules[0]?.verdict?.evidence.inputs ?? [],
    alerts: () =>
      job.subject().outbox.flatMap(entry => ('collection' in entry && entry.collection === 'alerts' ? [entry.document] : [])),
    rows: () => steps.flatMap(({ pushed = [] }) => pushed),
  }
  const made = { period: 3_600, grace: 300, ...answers }
  const created = command(at, {
    kind: 'create-resource',
    workspaceId: 'w',
    slug: 'backup',
    name: 'backup',
    template,
    answers: made,
    labels: {},
  })
  if (created.reply?.ok !== true) throw new Error(`job was refused: ${JSON.stringify(created.reply)}`)
  return job
}
