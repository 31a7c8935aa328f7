// Checks of a simulated custom subject: its rules agree with the naive evaluator, its messages with the oracle, its records with the store,
// and acknowledged requests are stored.

import { limits } from '#shared/limits/limits.ts'
import { replayIncident } from '../../../infra/replay/replay-incident.ts'
import { naiveVerdict, policyAt } from '../../judging/naive.ts'
import { type ToldMessage, tellingOracle } from '../../keeper/telling-oracle.ts'
import { isToldToAll } from '../judged/told-to-all.ts'
import type { House } from './house.ts'
import { latenessMs } from './keepers.ts'

const second = 1_000
const minute = 60 * second
/**
 * Largest permitted time between an expected and a sent message: delay of a take-over, plus the error of a clock that is being corrected.
 */
const toleranceMs = 90 * second
/** Possible lengths of the time after an injected fault in which keepers notice no silence, ms. The oracle runs once for each length. */
const blindMs = [0, 10 * second, 20 * second, 30 * second, latenessMs]
/** The keepers' clock is off by 12 s at most: one percent for twenty minutes (keepers.ts). */
const clockOffMs = 13 * second

export interface ToldCount {
  /**
   * Number of rules with messages, and number of sent messages. Each sent message must be expected by at least one variant, that is, by one
   * run of the oracle.
   */
  rules: number
  told: number
  /**
   * Number of messages that all variants of the oracle require. The variants differ in the time at which silence is noticed after an
   * injected fault. Each of these messages must have been sent.
   */
  demanded: number
  reminders: number
  /** Reminders sent right after a fault of a keeper. */
  remindersInBlows: number
  /** Number of periods without a keeper in which a reminder was due. */
  away: number
}

/**
 * Compares the present verdict of every rule with the naive evaluator. Skips a rule whose verdict changed by time alone in the last two
 * seconds. Returns the number of compared rules.
 */
export async function checkVerdicts(house: House): Promise<number> {
  const now = house.keepers.now()
  const subject = await house.subject()
  let compared = 0
  for (const slug of Object.keys(house.world.rules)) {
    if (policyAt(house.world, slug, now) === null) continue
    const expected = naiveVerdict(house.world, slug, now)
    if (naiveVerdict(house.world, slug, now - 2 * second) !== expected) continue
    const said = subject?.rules.find(candidate => candidate.slug === slug)?.verdict?.verdict
    const blind = absencesOf(house).map(({ heldFrom, heldTo }) => ({ from: heldFrom, until: heldTo + latenessMs }))
    const held = naiveVerdict({ ...house.world, blind }, slug, now)
    if (said !== expected && said !== held)
      house.faults.push(`at ${house.clockOf(now)} ${slug} says ${said}, the naive evaluator ${expected}`)
    compared += 1
  }
  return compared
}

export async function checkRecords({ keepers: { store }, subjectId, stored, gone, faults }: House): Promise<void> {
  const incidents = await store.find('incidents', { where: { subjectId }, limit: 10_000 })
  const open = incidents.filter(incident => incident.open === 1).map(incident => incident.ruleKey)
  if (new Set(open).size !== open.length) faults.push('a rule has two open incidents')
  for (const incident of incidents) {
    const where = { incidentId: incident.id }
    const history = await store.find('history', { where, sort: [['sequence', 'asc']], limit: 10_000 })
    for (const fault of replayIncident(incident, history).faults) faults.push(`replay of ${incident.id}: ${fault}`)
    const alerts = await store.find('alerts', { where, sort: [['number', 'asc']], limit: 10_000 })
    if (alerts.some((alert, i) => alert.number !== i + 1)) faults.push(`alerts of ${incident.id} have a gap`)
  }
  const rows = await store.get('pushedObservations', [...stored.keys()])
  for (const [i, [id, { signal, status }]] of [...stored].entries()) {
    const row = rows[i] ?? null
    const kept = row === null ? null : row.ok === 1 ? 'ok' : 'problem'
    const wanted = gone.has(signal) ? null : status
    if (kept !== wanted) faults.push(`the acknowledged observation ${id} is ${kept} instead of ${wanted}`)
  }
}

/**
 * The length of the delay after a fault is not known exactly, so the expected messages are computed for several delays (variants). Checks
 * that each message sent is expected by at least one variant, and that a message which all variants expect was sent once.
 */
export async function checkTold(house: House, blowsAt: readonly number[]): Promise<{ count: ToldCount; trace: string[] }> {
  const until = house.keepers.now() - latenessMs
  const told = await messagesOf(house)
  const count: ToldCount = {
    rules: 0,
    told: 0,
    demanded: 0,
    reminders: 0,
    remindersInBlows: 0,
    away: house.outages.length,
  }
  const arrivals = house.world.reports.map(({ arrivedAt }) => arrivedAt)
  const windowsMoved = house.life.windows.flatMap(({ from, until }) => [from, until])
  for (const rule of Object.keys(house.world.rules)) {
    const mine = told.filter(message => message.rule === rule && message.at <= until)
    const judgedAt = [...arrivals, ...windowsMoved, ...(await judgedOfOthers(house, rule))].sort((one, other) => one - other)
    const variants = (house.outages.length > 0 ? ways : waysOfBlows).flatMap(way =>
      blindMs.map(ms => variantOf(house, { blowsAt, rule, until, judgedAt }, { ms, ...way })),
    )
    const isCertain = (one: ToldMessage) => variants.every(variant => countLike(variant, one) === 1) && !isAtLeaving(house, one)
    const demanded = (variants[0] ?? []).filter(isCertain)
    for (const one of mine)
      if (
        !variants.some(variant => countLike(variant, one) > 0) &&
        !isAtLeaving(house, one) &&
        !isTakenAlong(house, variants, one)
      )
        house.faults.push(`told, and should not have been: ${line(house, one)}`)
    for (const one of demanded) {
      const times = countLike(mine, one)
      if (times !== 1) house.faults.push(`should have been told once, and was ${times} times: ${line(house, one)}`)
    }
    const reminders = mine.filter(({ kind }) => kind === 'reminder')
    count.rules += mine.length > 0 ? 1 : 0
    count.told += mine.length
    count.demanded += demanded.length
    count.reminders += reminders.length
    count.remindersInBlows += reminders.filter(({ at }) => blowsAt.some(blow => at >= blow && at < blow + latenessMs)).length
  }
  return { count, trace: told.map(one => line(house, one)) }
}

interface Absence {
  from: number
  until: number
  lacks: House['outages'][number]['lacks']
  /**
   * Start of the first outage of a chain. In a chain, each outage starts while silence alerts are still held back after the previous
   * outage.
   */
  heldFrom: number
  /** End of the time in which silence alerts are held back after this outage. */
  heldTo: number
}

/**
 * Returns the outages, each with the time in which silence is held back after it. This time is the length of the outage, or of its chain up
 * to its end, but in a chain at most a minute, or the rest of the hold and three times the outage; an hour at most (ADR 22).
 */
function absencesOf({ outages }: House): Absence[] {
  const { silenceHoldOffMs, silenceHoldOffMaxMs } = limits.keeper
  const absences: Absence[] = []
  for (const { from, until, lacks } of outages) {
    const before = absences.at(-1)
    const isHeld = before !== undefined && from < before.heldTo
    const heldFrom = isHeld ? before.heldFrom : from
    const mostMs = isHeld ? Math.max(minute, before.heldTo - from + 3 * (until - from)) : Number.POSITIVE_INFINITY
    const owedMs = Math.min(until - heldFrom, mostMs)
    const heldTo = until + (owedMs <= silenceHoldOffMs ? 0 : Math.min(silenceHoldOffMaxMs, owedMs))
    absences.push({ from, until, lacks, heldFrom, heldTo })
  }
  return absences
}

/**
 * Returns whether the message was due when the keepers ended. The comparison is loose, because the keepers' clock can differ a little from
 * the clock of the world.
 */
const isAtLeaving = (house: House, { at }: ToldMessage): boolean =>
  absencesOf(house).some(({ from }) => Math.abs(from - at) <= clockOffMs)

/** Returns whether the message was due when the keepers ended, and was sent when a keeper ran again. */
function isTakenAlong(house: House, variants: readonly ToldMessage[][], { kind, at }: ToldMessage): boolean {
  const leavings = absencesOf(house).filter(({ until, heldTo }) =>
    [until, heldTo].some(instant => Math.abs(instant - at) <= toleranceMs),
  )
  const isDue = (due: ToldMessage) =>
    due.kind === kind && leavings.some(({ from }) => due.at <= from && from - due.at <= clockOffMs)
  return variants.some(variant => variant.some(isDue))
}

/**
 * Returns the instants at which all rules of the subject were judged because an incident of another rule changed or a delay of that
 * incident ended. No record exists of a recovery delay that ended during a provisional ok. Records of a silence that began while silence
 * was held back are omitted: they have the instant of the silence, but the silence was judged only when silence counted again (ADR 22).
 */
async function judgedOfOthers(house: House, rule: string): Promise<number[]> {
  const { keepers, subjectId } = house
  const absences = absencesOf(house)
  const key = (await keepers.store.get('subjects', [subjectId]))[0]?.rules.find(({ slug }) => slug === rule)?.key
  const incidents = await keepers.store.find('incidents', { where: { subjectId }, limit: 10_000 })
  const instants: number[] = []
  for (const { id, ruleKey } of incidents) {
    if (ruleKey === key) continue
    const where = { incidentId: id }
    const history = await keepers.store.find('history', { where, sort: [['sequence', 'asc']], limit: 10_000 })
    let isSilent = false
    for (const [i, { event, deadlineAt }] of history.entries()) {
      if (event.type.endsWith('.judged')) isSilent = event.type === 'no_data.judged'
      if (isSilent && absences.some(({ from, heldTo }) => event.at >= from && event.at < heldTo)) continue
      instants.push(event.at)
      if (deadlineAt !== null && deadlineAt <= (history[i + 1]?.event.at ?? 0)) instants.push(deadlineAt)
    }
  }
  return instants
}

interface Lateness {
  /** Time after an injected fault in which no silence is noticed, ms. */
  ms: number
  /** Member of `Absence` that ends the time in which no silence is noticed after the outage. */
  blindTo: 'until' | 'heldTo'
  /** Member of `Absence` with the instant at which reports from the outage are judged. */
  toldAt: 'until' | 'heldTo'
  silentSince?: 'its own instant' | 'what was judged last'
  takesOld?: boolean
  /** Time from the start of the outage until keepers notice it, ms. */
  unnoticedMs?: number
  /**
   * True: a keeper without the store decides the earliest deadline at the instant of that deadline, and stores the decision when the store
   * is back.
   */
  decidesWithoutStore?: boolean
}

/** Variant in which no silence is noticed until the hold after an outage ends. */
const heldBack = { blindTo: 'heldTo', toldAt: 'until' } as const
/** Variant: silence counts from the instant at which it began. */
const asOfItsInstant = { blindTo: 'until', toldAt: 'heldTo' } as const
/**
 * Variant: silence counts from the instant at which it began, even if everything else has recovered since, or from the last judgement if
 * that is later.
 */
const ownInstant = { ...heldBack, silentSince: 'its own instant' } as const
const judgedLast = { ...heldBack, silentSince: 'what was judged last' } as const
/** Variant: reports from the outage are read, whatever their age. */
const oldReports = { ...heldBack, takesOld: true } as const
/** Variant: an outage of the store or a gateway is noticed some seconds late. */
const noticedLate = { ...heldBack, unnoticedMs: clockOffMs } as const
const withoutStore = { ...noticedLate, decidesWithoutStore: true } as const
const ways: readonly Omit<Lateness, 'ms'>[] = [
  heldBack,
  ownInstant,
  judgedLast,
  oldReports,
  asOfItsInstant,
  noticedLate,
  withoutStore,
]
const waysOfBlows: typeof ways = [heldBack, oldReports]

/**
 * Returns the messages that the oracle requires in one variant (`Lateness`). Reports from a time without a keeper are judged when
 * a keeper runs again. A reminder that is more than a minute late when a keeper runs again is skipped.
 */
function variantOf(
  house: House,
  { blowsAt, rule, until, judgedAt }: { blowsAt: readonly number[]; rule: string; until: number; judgedAt: readonly number[] },
  { ms, blindTo, toldAt, silentSince, takesOld = false, unnoticedMs = 0, decidesWithoutStore = false }: Lateness,
): ToldMessage[] {
  const { world, life } = house
  const absences = absencesOf(house)
  const blind = blowsAt.map(at => {
    const absence = absences.find(({ from }) => from === at + 1)
    const from = absence !== undefined && blindTo === 'heldTo' ? absence.heldFrom : at
    return { from: from + unnoticedMs, until: (absence?.[blindTo] ?? at) + ms, takesOld }
  })
  const isDeciding = ({ lacks }: Absence) => lacks === 'gateways' || (lacks === 'store' && decidesWithoutStore)
  const away = absences.flatMap(absence =>
    isDeciding(absence) ? [] : [{ from: absence.from, until: absence.until - minute + 2 * ms }],
  )
  const since = silentSince && { judgedAt: silentSince === 'its own instant' ? [] : judgedAt }
  const skipping = { ...life, away, ...since }
  return tellingOracle({ ...world, blind }, skipping, rule, until).map(message => {
    const meanwhile = absences.find(one => message.at >= one.from && message.at < one[toldAt])
    const isTold = meanwhile === undefined || (isDeciding(meanwhile) && toldAt === 'until')
    return isTold ? message : { ...message, at: meanwhile[toldAt] }
  })
}

const countLike = (messages: readonly ToldMessage[], { kind, at }: ToldMessage) =>
  messages.filter(other => other.kind === kind && Math.abs(other.at - at) <= toleranceMs).length

const line = (house: House, { rule, kind, at }: ToldMessage) => `${house.clockOf(at)} ${rule} ${kind}`

async function messagesOf({ keepers: { store }, subjectId }: House): Promise<ToldMessage[]> {
  const alerts = await store.find('alerts', { where: { subjectId }, limit: 10_000 })
  return alerts
    .filter(isToldToAll)
    .map(({ incidentId, kind, held, reminder, decidedAt, facts }) => ({
      rule: facts.ruleKey,
      incident: incidentId,
      kind: held === null ? (reminder ? 'reminder' : kind) : `held ${kind}`,
      at: decidedAt,
    }))
    .sort((one, other) => one.at - other.at)
}
