// One seed of a fault run: watches websites and senders, causes the fault, and compares messages and acknowledged requests with the
// required ones.
import { setTimeout as pause } from 'node:timers/promises'
import type { KeeperClient } from '#shared/bus/clients/clients.ts'
import { second } from '#shared/limits/limits.ts'
import type { Random } from '../simulation/random.ts'
import { drawCast, expectedOf, promiseMs, type Thing } from './cast.ts'
import type { OutsideWorld, Spell } from './outside-world.ts'
import { type Pace, usualPace } from './pace.ts'
import { type Gap, Requests } from './requests.ts'
import { read, type Stage } from './stage.ts'
import { type Comparison, compareTold, isAllTold, type Message } from './told.ts'
import { createReported, createSite, remove } from './watched-things.ts'

/** Plan of one seed under one kind of fault. */
export interface Plan {
  /** Longest permitted time without a report of a `heart` (`cast.ts`), ms. A `heart` normally reports at each interval. */
  noDataMs: number
  /** Default: `usualPace`. */
  pace?: Pace
  /** Approximate duration of the fault, ms. */
  faultMs: number
  /** True: checks continue during the fault. */
  isChecked: boolean
  /**
   * True: no reports are accepted during the fault. A message that would be due during the fault is due at the end of the fault. After the
   * fault, silence is not judged for a while.
   */
  isOff: boolean
  /** False: no sender falls silent (`CastOptions`). */
  hasSilent?: boolean
  /**
   * Longest permitted time without a write, a report of a healthy sender, a check of a website (both beyond the interval), and delay of a
   * message beyond its promise, ms; absent: not limited.
   */
  boundMs?: number
  /** Starts and ends the fault. Resolves after the recovery with the performed actions and the defects of the recovery. */
  strike(cast: readonly Thing[]): Promise<Struck>
}

/** Part of a seed in the life of a stage, which several seeds may use one after the other. */
export interface Turn {
  /** Begins all names of the seed; no other seed of the stage has it. */
  prefix: string
  /** True: ends the services. False: the next seed uses them, and what is watched is deleted. */
  isLast: boolean
}

export interface Struck {
  fault: string
  late?: string[]
}

export interface Outcome extends Comparison, Measured {
  fault: string
  faultMs: number
  /** Acknowledged writes that are missing, and deleted objects that still exist. */
  missing: string[]
  /** Descriptions of the steps that took longer than this kind of fault permits. */
  late: string[]
  /** Number of failed requests, and each distinct error. */
  failedRequests: number
  failures: string[]
}

/**
 * Delay of a due message after which the message counts as lost. On a busy machine reports wait for seconds, which prolongs the
 * confirmation delay.
 */
const lateMs = 60 * second
/** Longest time from the acceptance of a report to its row while the services run, on a busy machine. */
const storedMs = 10 * second
/** After a fault, silence is not judged for at least this time. */
const holdMs = 15 * second

interface Measured {
  /**
   * Longest times from the fault on, ms: without a successful write, without an accepted report of one healthy sender, and without a check of
   * one website.
   */
  writeGapMs: number
  reportGapMs: number
  checkGapMs: number
  /** Largest delay of a problem's message after the instant by which it was due, ms. */
  latestMs: number
}

/** Default: a seed that has the stage for itself. */
const alone: Turn = { prefix: '', isLast: true }

export async function live(stage: Stage, random: Random, plan: Plan, turn: Turn = alone): Promise<Outcome> {
  const { prefix, isLast } = turn
  const pace = plan.pace ?? usualPace
  const faultInMs = random.integer(pace.faultInMs[0] / second, pace.faultInMs[1] / second) * second
  const cast = drawCast(random, { ...plan, pace, faultInMs, hasCareless: plan.isOff })
  for (const thing of cast) thing.name = `${prefix}${thing.name}`
  const ids = await createCast(stage, cast, pace)
  const beganAt = Date.now() + pace.warmMs
  const faultAt = beganAt + faultInMs
  for (const { sort, name, spell } of cast) {
    if (spell === null) continue
    spell.from += beganAt
    spell.to += beganAt
    if (sort === 'site') stage.outside.fail(name, spell)
  }
  const requests = new Requests(stage)
  const senders = cast.filter(({ sort }) => sort !== 'site').map(thing => requests.report(thing))
  const writer = requests.write()
  const { messages } = stage.outside
  messages.length = 0
  const hearts = cast
    .filter(({ sort, spell, everyMs }) => sort === 'heart' && spell === null && everyMs === pace.intervalMs)
    .map(({ name }) => name)
  const gap = () =>
    hearts.map(name => requests.longestGap(name, faultAt)).reduce((one, other) => (other.ms > one.ms ? other : one))
  const course: Course = { faultAt, endedAt: Number.POSITIVE_INFINITY, plan, pace, gap }
  const troubles = endTroubles(cast, messages, course)

  await until(faultAt)
  const { fault, late = [] } = await plan.strike(cast).catch(async error => {
    course.isGivenUp = true
    requests.endWriting()
    requests.end()
    await Promise.all([...senders, writer, troubles])
    throw error
  })
  course.endedAt = Date.now()
  for (const { spell } of cast)
    if (spell?.from === Number.POSITIVE_INFINITY) blipAt(spell, course.endedAt + random.integer(1, 10 * second), pace)
  await troubles
  const expected = expectedOf(cast)
  const giveUpAt = Date.now() + pace.recoveryMs
  while (Date.now() < giveUpAt && !isAllTold(expected, messages)) await pause(second / 4)
  await until(Math.max(Date.now() + 10 * second, heldUntil(course) + pace.lingerMs))
  requests.endWriting()
  await writer
  const measured: Measured = {
    writeGapMs: requests.longestGap('write', faultAt).ms,
    reportGapMs: gap().ms,
    checkGapMs: longestCheckGap(stage.outside, cast, faultAt - pace.intervalMs),
    latestMs: latenessOf(cast, messages, course),
  }
  const missing = [...(await requests.missingMonitors()), ...(await openIncidents(stage, cast))]
  // The messages are copied before the senders end, because messages about the senders' silence follow.
  const told = [...messages]
  requests.end()
  await Promise.all(senders)
  if (isLast) await stage.endServices()
  const missingReports = await requests.missingReports(ids, isLast ? 0 : storedMs)
  if (!isLast) await stage.command(keeper => Promise.all([...ids.values()].map(id => remove(keeper, id))))
  return {
    fault,
    faultMs: course.endedAt - faultAt,
    late: [...late, ...slowerThan(plan.boundMs ?? Number.POSITIVE_INFINITY, measured, pace)],
    ...compareTold(expected, told),
    missing: [...missing, ...missingReports],
    ...measured,
    failedRequests: requests.failed,
    failures: requests.failures,
  }
}

/** Returns the longest time without a check of one website, from `from` until now, ms. */
function longestCheckGap(outside: OutsideWorld, cast: readonly Thing[], from: number): number {
  const now = Date.now()
  const gaps = cast
    .filter(({ sort }) => sort === 'site')
    .flatMap(({ name }) =>
      [...outside.checksOf(name).filter(at => at > from), now].map((at, i, all) => at - (all[i - 1] ?? from)),
    )
  return Math.max(0, ...gaps)
}

/** Returns a text for each measured time that is longer than the bound. Writes and reports have an interval of their own, as checks have. */
function slowerThan(boundMs: number, measured: Measured, { intervalMs }: Pace): string[] {
  const times: [what: string, ms: number][] = [
    ['without a write', measured.writeGapMs - second],
    ['without a report', measured.reportGapMs - intervalMs],
    ['without a check', measured.checkGapMs - intervalMs],
    ['until a message', measured.latestMs],
  ]
  return times.filter(([, ms]) => ms > boundMs).map(([what, ms]) => `${ms} ms ${what}`)
}

function blipAt(spell: Spell, from: number, { blipMs }: Pace): void {
  spell.from = from
  spell.to = from + blipMs
}

interface Course {
  faultAt: number
  /** End of the fault; Infinity: it continues. */
  endedAt: number
  plan: Plan
  pace: Pace
  /** Returns the longest time so far without an accepted report of one `heart` (`cast.ts`) that is not silent. */
  gap(): Gap
  isGivenUp?: boolean
}

/**
 * Returns the instant from which silence is judged again. If reports were not accepted for some time, silence is not judged for the same
 * time afterwards.
 */
function heldUntil({ faultAt, endedAt, plan, gap }: Course): number {
  const { ms, until: back } = gap()
  const offMs = plan.isOff ? endedAt - faultAt : 0
  return Math.max(endedAt + Math.max(holdMs, offMs), back + ms)
}

/**
 * Creates the websites and senders; resolves with their ids by name. All at once: a sender that waited long for the others would count as silent
 * before it can report.
 */
async function createCast(stage: Stage, cast: readonly Thing[], pace: Pace): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  const create = async (keeper: KeeperClient, { sort, name, noDataMs }: Thing) =>
    void ids.set(
      name,
      sort === 'site' ? await createSite(stage, keeper, name, pace) : await createReported(stage, keeper, name, noDataMs, pace),
    )
  await stage.command(keeper => Promise.all(cast.map(thing => create(keeper, thing))))
  return ids
}

/** Ends each problem some time after its message, or when its message is overdue. Resolves when all problems have ended. */
async function endTroubles(cast: readonly Thing[], messages: readonly Message[], course: Course): Promise<void> {
  const open = new Set(cast.filter(({ spell, expected }) => spell !== null && expected.length > 0))
  while (open.size > 0 && !course.isGivenUp) {
    const now = Date.now()
    for (const thing of open) {
      const told = toldOf(thing, messages)
      const endsAt = told ? told.at + thing.lastsMs : dueAt(thing, course) + lateMs
      if (thing.spell === null || now < endsAt) continue
      thing.spell.to = now
      open.delete(thing)
    }
    await pause(second / 4)
  }
}

const toldOf = ({ name, expected }: Thing, messages: readonly Message[]): Message | undefined =>
  messages.find(message => message.name === name && message.kind === expected[0])

/** Returns the instant by which the message of a problem is due, including the delay that the fault causes. */
function dueAt(thing: Thing, course: Course): number {
  const { faultAt, endedAt, plan, pace } = course
  const promise = promiseMs(thing, pace)
  const at = (thing.spell?.from ?? 0) + promise
  if (at < faultAt) return at
  if (thing.sort === 'heart') return Math.max(at, heldUntil(course))
  if (!plan.isOff) return at
  // Without checks, a problem that begins during the fault is detected after the fault.
  const isSeen = thing.sort === 'site' && plan.isChecked
  return Math.max(at, isSeen ? endedAt : endedAt + promise)
}

function latenessOf(cast: readonly Thing[], messages: readonly Message[], course: Course): number {
  const late = cast.flatMap(thing => {
    const told = thing.expected.length === 0 ? undefined : toldOf(thing, messages)
    return told === undefined ? [] : [told.at - dueAt(thing, course)]
  })
  return Math.max(0, ...late)
}

/** Returns the incidents that are still open after the recovery. */
async function openIncidents({ call, workspaceId }: Stage, cast: readonly Thing[]): Promise<string[]> {
  type Incident = { confirmed_at: string | null; monitor_name?: string; subject_id?: string }
  const pages = [`/v2/incidents?workspace_id=${workspaceId}`]
  for (const { sort, name } of cast) if (sort !== 'site') pages.push(`/v2/subjects/${name}/incidents?workspace_id=${workspaceId}`)
  const incidents: Incident[] = []
  for (const page of pages) incidents.push(...(await read<Incident[]>(call, page)))
  const confirmed = incidents.filter(({ confirmed_at: at }) => at !== null)
  return confirmed.map(({ monitor_name: monitor, subject_id: subject }) => `${monitor ?? subject}: its incident is open`)
}

const until = (at: number): Promise<void> => pause(Math.max(0, at - Date.now()))
