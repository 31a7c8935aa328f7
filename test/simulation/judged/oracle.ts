// Oracle of one monitor: its incidents and messages as reference/judging, reference/incidents and reference/messages define them. Its input
// is the accepted reports, the commands that got a reply, and the clock. It shares no code with the keeper.
//
// The oracle has two layers. The first is the verdict history: the verdict at every instant at which it can change. The second derives
// incidents and messages from this history alone. At one instant, ends of the permitted silence and of grace come first, then ends of
// confirmation and recovery delays, then reports and commands: a delay includes its last instant.
import type { WebsiteCheck } from '#shared/checks/website/website.ts'
import { intervalMs } from '#shared/contracts/subjects/check.ts'

const minute = 60_000
const reminderEvery = 4 * 60 * minute

export interface Told {
  /** The create command first, then every update, in order. `at`: instant from which a command counts. */
  settings: { at: number; check: WebsiteCheck; rev: number }[]
  /** Reports in the stream's order. */
  reports: { at: number; locationId: string; slotAt: number; rev: number; ok: boolean }[]
  confirmAfterMs: number
  closeAfterMs: number
  until: number
}

export type OracleVerdict = 'problem' | 'ok' | 'no_data' | 'not_judged'

export interface VerdictEntry {
  at: number
  verdict: OracleVerdict
  /** `silence`: a location fell silent. `time`: a grace ended. `input`: a report or a command. */
  cause: 'silence' | 'time' | 'input'
}

export interface ExpectedIncident {
  troubleSince: number
  confirmedAt: number | null
  wellSince: number | null
  closedAt: number | null
  condition: 'problem' | 'no_data' | 'ok'
  status: 'pending' | 'problem' | 'no_data' | 'recovering' | 'ok'
  messages: string[]
}

interface Input {
  addedAt: number
  slotAt: number | null
  at: number
  ok: boolean
}

interface Watch {
  check: WebsiteCheck
  /** Revision of the monitor with which its present assignment to probers began. Reports on an older one do not count. Null: none. */
  assignedAtRev: number | null
  inputs: Map<string, Input>
}

/** Returns the verdict at every instant at which it can have changed, in order. */
export function verdictHistory({ settings, reports, until }: Told): VerdictEntry[] {
  const history: VerdictEntry[] = []
  const events = [
    ...reports.map(report => ({ at: report.at, report, setting: null })),
    ...settings.map(setting => ({ at: setting.at, report: null, setting })),
  ].sort((one, other) => one.at - other.at || (one.report === null ? 1 : 0) - (other.report === null ? 1 : 0))
  let watch: Watch | null = null
  let passedAt = 0
  for (const event of [...events, { at: until, report: null, setting: null }]) {
    const at = Math.max(event.at, passedAt)
    if (watch !== null) {
      for (const change of timeChanges(watch, passedAt, at))
        history.push({ at: change.at, verdict: verdictAt(watch, change.at), cause: change.cause })
    }
    passedAt = at
    if (event.setting !== null) watch = assign(watch, event.setting)
    else if (event.report === null || watch === null || !accept(watch, event.report)) continue
    history.push({ at, verdict: verdictAt(watch as Watch, at), cause: 'input' })
  }
  return history
}

function assign(watch: Watch | null, { at, check, rev }: Told['settings'][0]): Watch {
  const inputs = new Map(
    check.locations.map(location => [location, watch?.inputs.get(location) ?? { addedAt: at, slotAt: null, at: 0, ok: false }]),
  )
  const isNew = watch === null || watch.check.url !== check.url || watch.check.locations.join() !== check.locations.join()
  const assignedAtRev = check.locations.length === 0 ? null : isNew ? rev : (watch?.assignedAtRev ?? null)
  return { check, assignedAtRev, inputs }
}

/** Applies a report if it counts: from an assigned location, on the present assignment, with a newer slot. */
function accept(watch: Watch, { at, locationId, slotAt, rev, ok }: Told['reports'][0]): boolean {
  const input = watch.inputs.get(locationId)
  if (input === undefined || watch.assignedAtRev === null || rev < watch.assignedAtRev) return false
  if (input.slotAt !== null && slotAt <= input.slotAt) return false
  Object.assign(input, { slotAt, at, ok })
  return true
}

const silentAfter = ({ check }: Watch) => 3 * intervalMs(check)

/** Returns the instants after `from`, up to and including `to`, at which time alone changes the reading of an input. */
function timeChanges(watch: Watch, from: number, to: number): { at: number; cause: 'silence' | 'time' }[] {
  return [...watch.inputs.values()]
    .map(input => {
      if (input.slotAt === null) return { at: input.addedAt + minute + 1, cause: 'time' as const }
      return { at: input.at + silentAfter(watch) + 1, cause: 'silence' as const }
    })
    .filter(({ at }) => at > from && at <= to)
    .sort((one, other) => one.at - other.at)
}

function verdictAt(watch: Watch, at: number): OracleVerdict {
  const inputs = [...watch.inputs.values()].map(input => {
    if (input.slotAt === null) return { reads: 'unknown', isYoung: at <= input.addedAt + minute }
    if (at - input.at > silentAfter(watch)) return { reads: 'unknown', isYoung: false }
    return { reads: input.ok ? 'ok' : 'problem', isYoung: false }
  })
  const asRead = decide(
    inputs.map(input => input.reads),
    watch.check.failure_mode,
  )
  if (asRead !== 'no_data') return asRead
  const asIfYoungWereWell = decide(
    inputs.map(input => (input.isYoung ? 'ok' : input.reads)),
    watch.check.failure_mode,
  )
  return asIfYoungWereWell === 'ok' ? 'not_judged' : 'no_data'
}

/** Returns the verdict that the four steps of reference/judging 1.4 give. */
function decide(reads: readonly string[], mode: WebsiteCheck['failure_mode']): 'problem' | 'ok' | 'no_data' {
  const n = reads.length
  const k = mode === 'at_least_one' ? 1 : mode === 'all' ? n : Math.floor(n / 2) + 1
  const t = reads.filter(read => read === 'problem').length
  const u = reads.filter(read => read === 'unknown').length
  if (n === 0) return 'no_data'
  if (t >= k) return 'problem'
  if (2 * u >= n) return 'no_data'
  return t + u >= k ? 'no_data' : 'ok'
}

interface Open extends ExpectedIncident {
  badSince: number | null
  /** Instant up to which reminders have been sent or skipped. */
  remindedTo: number
  toldProblem: boolean
}

/** Returns the incidents that a verdict history requires, oldest first, with the messages of each in order. */
export function incidentsOf(history: readonly VerdictEntry[], { confirmAfterMs, closeAfterMs, until }: Told): ExpectedIncident[] {
  const incidents: Open[] = []
  let open: Open | null = null
  let verdict: OracleVerdict = 'not_judged'

  const pass = (to: number): void => {
    while (open !== null) {
      const incident: Open = open
      const isJudged = verdict !== 'not_judged'
      if (isJudged && incident.confirmedAt === null && incident.badSince !== null && incident.badSince + confirmAfterMs <= to) {
        confirm(incident, incident.badSince + confirmAfterMs)
      } else if (isJudged && incident.wellSince !== null && incident.wellSince + closeAfterMs <= to) {
        close(incident)
        open = null
      } else if (incident.confirmedAt !== null && incident.condition === 'problem' && nextReminder(incident) <= to) {
        incident.remindedTo = nextReminder(incident)
        incident.messages.push('reminder')
      } else return
    }
  }
  for (const entry of history) {
    pass(entry.cause === 'input' ? entry.at : entry.at - 1)
    if (entry.verdict !== 'not_judged') {
      if (open === null && entry.verdict !== 'ok') {
        open = opened(entry.at)
        incidents.push(open)
      }
      if (open !== null) turn(open, entry.verdict, entry.at)
    }
    verdict = entry.verdict
    pass(entry.at)
  }
  pass(until)
  return incidents.map(({ badSince: _, remindedTo: __, toldProblem: ___, ...incident }) => incident)
}

const opened = (at: number): Open => ({
  troubleSince: at,
  confirmedAt: null,
  wellSince: null,
  closedAt: null,
  condition: 'problem',
  status: 'pending',
  messages: [],
  badSince: at,
  remindedTo: 0,
  toldProblem: false,
})

function turn(incident: Open, verdict: 'problem' | 'no_data' | 'ok', at: number): void {
  incident.condition = verdict
  if (verdict === 'ok') {
    incident.wellSince ??= at
    incident.badSince = null
    incident.status = 'recovering'
    return
  }
  incident.wellSince = null
  incident.badSince ??= at
  incident.status = incident.confirmedAt === null ? 'pending' : verdict
  if (incident.confirmedAt === null || verdict !== 'problem') return
  incident.remindedTo = Math.max(incident.remindedTo, at)
  if (!incident.toldProblem) incident.messages.push('problem')
  incident.toldProblem = true
}

function confirm(incident: Open, at: number): void {
  incident.confirmedAt = at
  incident.remindedTo = at
  incident.status = incident.condition === 'problem' ? 'problem' : 'no_data'
  incident.toldProblem = incident.condition === 'problem'
  incident.messages.push(incident.condition)
}

function close(incident: Open): void {
  incident.closedAt = incident.wellSince
  incident.status = 'ok'
  if (incident.confirmedAt !== null) incident.messages.push('recovery')
}

/** Returns the instant of the next reminder, every four hours from the confirmation. A reminder due while nothing was wrong is skipped. */
function nextReminder({ confirmedAt, remindedTo }: Open): number {
  const passed = Math.floor((remindedTo - (confirmedAt as number)) / reminderEvery)
  return (confirmedAt as number) + (passed + 1) * reminderEvery
}
