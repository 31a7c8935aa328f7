// What a message says of a job that must have run, copied when the alert is decided. Pure. Reference: docs/reference/v3.md, 17.14.
import type { JobFacts } from '#shared/contracts/incidents/alert.ts'
import type { ScheduleState } from '#shared/contracts/observations/schedule-state.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Evidence } from '#shared/contracts/subjects/verdict.ts'
import { scheduledSignalsOf } from '#shared/manifest/read-schedule.ts'
import { isHeartbeatCheck, quotesOutput } from '#shared/schedule/heartbeat-check.ts'
import { missedWords } from '#shared/schedule/missed-words.ts'
import { scheduleOf } from '#shared/schedule/schedule.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { ownMember } from '#shared/text/own-member.ts'

/** Returns the facts of a Resource of the system Template of jobs; null: it is of another. */
export function jobFacts(
  { template: reference, templated }: SubjectDocument,
  template: Template,
  evidence: Evidence,
): JobFacts | null {
  const [signal] = scheduledSignalsOf(template)
  const state = ownMember(templated?.schedules ?? {}, signal?.key ?? '')
  if (!template.isSystem || !isHeartbeatCheck(reference) || templated === null || signal === undefined || state === undefined)
    return null
  const newest = ownMember(templated.heard, signal.key)?.recent[0] ?? null
  const { exitStatus, expectedAt, running, success, graceMs } = state
  const status = exitStatus === null ? '' : `exit status ${exitStatus}`
  const said = newest?.reason ?? ''
  const line = said.startsWith(status) ? said.slice(status.length).replace(/^: /, '') : said
  return {
    state: stateIn(evidence, newest?.state === 'ok' ? state : null),
    ...{ expectedAt, startedAt: running === null ? null : msOf(running.atUs), graceMs, exitStatus },
    zone: scheduleOf(signal, templated.answers).zone,
    line: line === '' || !quotesOutput(templated.answers) ? null : redactedText(line),
    success: success && { at: msOf(success.atUs), seconds: success.seconds },
  }
}

const msOf = (atUs: number): number => Math.floor(atUs / 1_000)

/** `ended`: the schedule, if the newest end is a success. */
function stateIn({ inputs }: Evidence, ended: ScheduleState | null): JobFacts['state'] {
  const unresolved = inputs.map(({ reading }) => reading?.unresolved ?? '')
  if (unresolved.some(text => text.startsWith(missedWords.expected))) return 'missed'
  if (unresolved.some(text => text.startsWith(missedWords.started))) return 'unfinished'
  if (inputs.some(({ value }) => value === 'problem')) return 'failed'
  return ended === null ? 'anew' : 'reports'
}
