// Oracle of the messages of one rule. It computes the messages from the rule's history as reference/incidents 2, 3 and reference/messages 2
// define. It has no state machine and no deadline. It finds the instants of possible changes by brute force.
import type { Verdict } from '#shared/contracts/subjects/verdict.ts'
import { type NaiveWorld, naiveVerdict, policyAt } from '../judging/naive.ts'

export interface ToldMessage {
  rule: string
  incident: string
  kind: string
  at: number
}

export interface Life {
  windows: { from: number; until: number }[]
  /** Acknowledgements. Each acknowledgement refers to the incident of `rule` that was open at the instant `at`. */
  acknowledgements: { rule: string; at: number }[]
  /**
   * Periods in which no keeper ran; absent: a keeper always ran. A reminder due in such a period is never sent. Any other message is sent
   * when the period is over.
   */
  away?: { from: number; until: number }[]
  /**
   * Instants at which something other than a silence caused a judgement, in order. If the keeper notices a silence late, the silence counts
   * from its beginning, but from no earlier than the last judgement before it was noticed. If `judgedAt` is absent, the silence counts from
   * the instant at which it was noticed.
   */
  judgedAt?: readonly number[]
}

/** Time in which the rule has the same verdict under one policy. */
interface Spell {
  from: number
  until: number
  /** Instant from which the hold counts this period. */
  since: number
  says: Verdict
  /**
   * True for an `ok` that holds only because an unnoticed silence does not count: this `ok` closes no incident. True also for a `no_data`
   * that an unread report may contradict: this `no_data` confirms no incident.
   */
  isDoubtful: boolean
  confirmAfterMs: number
  closeAfterMs: number
}

const reminderMs = 4 * 3_600_000

/** Returns the messages of all incidents of a rule up to `until`, in order. The incident of a deleted rule closes without a message. */
export function tellingOracle(world: NaiveWorld, life: Life, rule: string, until: number): ToldMessage[] {
  const deletedAt = world.saved.find(one => one.rule === rule && one.policy === null)?.at ?? until
  const end = Math.min(until, deletedAt)
  const told: ToldMessage[] = []
  const tell = (kind: string, at: number) => told.push({ rule, incident: '', kind, at })
  const isMuted = (at: number) => life.windows.some(window => at >= window.from && at < window.until)
  const isMissed = (at: number) => life.away?.some(away => at >= away.from && at < away.until) ?? false
  const spells = countedSince(life.judgedAt, spellsOf(world, rule, end))
  for (const incident of incidentsOf(spells, end)) {
    const confirmation = confirmationOf(incident.spells)
    if (confirmation === null || confirmation.toldAt > end) continue
    const from = incident.spells[0]?.from ?? 0
    const acknowledgedAt = life.acknowledgements
      .filter(one => one.rule === rule && one.at >= from && one.at <= (incident.closedAt ?? end))
      .reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY)
    tellIncident(incident, confirmation, { isMuted, isMissed, tell, until: end, acknowledgedAt })
  }
  return told
}

interface Incident {
  spells: Spell[]
  /** Instant of the close: end of the recovery delay, or the first certain ok after that; null: still open. */
  closedAt: number | null
}

/**
 * Returns the incidents. An incident lasts from the first judgement that is not ok until the rule has been ok for the whole recovery delay.
 */
function incidentsOf(spells: Spell[], until: number): Incident[] {
  const incidents: Incident[] = []
  let open: Incident | null = null
  let wellSince: number | null = null
  for (const spell of spells) {
    // A period that is not judged opens no incident.
    if (open === null && !isBad(spell)) continue
    open ??= { spells: [], closedAt: null }
    open.spells.push(spell)
    if (isBad(spell)) wellSince = null
    if (spell.says !== 'ok') continue
    wellSince ??= spell.from
    if (spell.isDoubtful) continue
    const closesAt = Math.max(wellSince + spell.closeAfterMs, spell.from)
    if (closesAt > until || closesAt >= spell.until) continue
    incidents.push({ ...open, closedAt: closesAt })
    open = null
    wellSince = null
  }
  if (open !== null) incidents.push(open)
  return incidents
}

const isBad = ({ says }: Spell) => says === 'problem' || says === 'no_data'

interface Confirmation {
  /** Exact end of the hold. Reminders are counted from this instant. */
  confirmedAt: number
  /** First instant at which the hold has ended and the rule is judged as not ok. */
  toldAt: number
}

/**
 * Sums up the time in which the verdict is `problem` or `no_data`, up to the end of the hold inclusive. An `ok` restarts the sum. Time that
 * is not judged confirms nothing.
 */
function confirmationOf(spells: Spell[]): Confirmation | null {
  let badSince: number | null = null
  for (const spell of spells) {
    if (spell.says === 'ok') badSince = null
    if (!isBad(spell)) continue
    badSince ??= spell.since
    if (spell.isDoubtful) continue
    const confirmedAt = badSince + spell.confirmAfterMs
    const toldAt = Math.max(confirmedAt, spell.from)
    if (toldAt < spell.until) return { confirmedAt, toldAt }
  }
  return null
}

interface Telling {
  isMuted(at: number): boolean
  isMissed(at: number): boolean
  tell(kind: string, at: number): void
  until: number
  acknowledgedAt: number
}

function tellIncident({ spells, closedAt }: Incident, { confirmedAt, toldAt }: Confirmation, telling: Telling): void {
  const { isMuted, isMissed, tell, until, acknowledgedAt } = telling
  let announced: 'nothing' | 'no_data' | 'problem' = 'nothing'
  // A message that was withheld at the confirmation is sent when the next reminder is due. Until then, another problem causes no further
  // message.
  let heldProblem = false
  const announce = (kind: 'problem' | 'no_data', at: number) => {
    tell(isMuted(at) ? `held ${kind}` : kind, at)
    heldProblem = isMuted(at) ? heldProblem || (kind === 'problem' && announced === 'nothing') : false
    if (!isMuted(at)) announced = kind
  }
  let condition: Verdict = 'ok'
  for (const { says, from, until: end } of spells) {
    if (end <= toldAt) continue
    const isJudged = says !== 'not_judged'
    const before = condition
    if (isJudged) condition = says
    if (condition === 'ok') continue
    if (isJudged && toldAt >= from) announce(says as 'problem' | 'no_data', toldAt)
    else if (says === 'problem' && before !== 'problem' && announced !== 'problem' && !heldProblem) announce('problem', from)
    const last = Math.min(end - 1, until)
    for (let at = confirmedAt + reminderMs; at <= last; at += reminderMs) {
      // At the instant at which a period begins, the judgement comes first, so a reminder due at that instant is skipped.
      if (isJudged ? at <= Math.max(from, toldAt) : at < from) continue
      if (isMuted(at) || isMissed(at) || at > acknowledgedAt) continue
      if (condition === 'problem') tell(announced === 'problem' ? 'reminder' : 'problem', at)
      else if (announced === 'nothing') tell('no_data', at)
      else continue
      announced = condition === 'problem' ? 'problem' : 'no_data'
      heldProblem = false
    }
  }
  if (closedAt !== null) tell('recovery', closedAt)
}

/** Returns the verdicts of the rule over time, each with its delays. */
function spellsOf(world: NaiveWorld, rule: string, until: number): Spell[] {
  const spells: Spell[] = []
  for (const at of instantsOf(world, until)) {
    const policy = policyAt(world, rule, at)
    if (policy === null) break
    const { confirmAfterMs, closeAfterMs } = policy
    const says = naiveVerdict(world, rule, at)
    const isDoubtful = isDoubtfulAt(world, rule, at, says)
    const before = spells.at(-1)
    const isSame =
      before?.says === says &&
      before.isDoubtful === isDoubtful &&
      before.confirmAfterMs === confirmAfterMs &&
      before.closeAfterMs === closeAfterMs
    if (isSame) continue
    if (before !== undefined) before.until = at
    spells.push({ from: at, since: at, until: Number.POSITIVE_INFINITY, says, isDoubtful, confirmAfterMs, closeAfterMs })
  }
  return spells
}

/** Returns whether an `ok` would change if every unnoticed silence counted, or a `no_data` if no unnoticed silence counted. */
function isDoubtfulAt(world: NaiveWorld, rule: string, at: number, says: Verdict): boolean {
  if (world.blind === undefined) return false
  if (says === 'ok') return naiveVerdict({ ...world, blind: [] }, rule, at) !== 'ok'
  const isBlind = world.blind.some(one => at >= one.from && at < one.until)
  const deaf = [{ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }]
  return says === 'no_data' && isBlind && naiveVerdict({ ...world, blind: deaf }, rule, at) !== 'no_data'
}

/** Returns the same periods, but a silence that was noticed late counts from within the provisional ok before it (see `Life.judgedAt`). */
function countedSince(judgedAt: Life['judgedAt'], spells: Spell[]): Spell[] {
  if (judgedAt === undefined) return spells
  return spells.map((spell, i) => {
    const before = spells[i - 1]
    if (spell.says !== 'no_data' || !before?.isDoubtful) return spell
    return { ...spell, since: Math.max(before.from, judgedAt.findLast(at => at < spell.from) ?? 0) }
  })
}

/** Returns every instant at which a report arrives, a rule is saved, or an input could fall silent or its grace could end. */
function instantsOf(world: NaiveWorld, until: number): number[] {
  const silences = new Set([300_000])
  for (const policy of [...Object.values(world.rules), ...world.saved.map(one => one.policy)])
    for (const input of policy?.inputs ?? []) if (input.noDataAfterMs !== null) silences.add(input.noDataAfterMs)
  const instants = new Set<number>()
  for (const at of [world.addedAt, ...world.saved.map(one => one.at)]) {
    instants.add(at)
    for (const silence of silences) instants.add(at + silence + 1)
  }
  for (const { from, until: at } of world.blind ?? []) instants.add(from).add(at)
  for (const report of world.reports) {
    instants.add(report.arrivedAt)
    for (const silence of silences) instants.add(Math.max(report.observedAt + silence + 1, report.arrivedAt))
  }
  return [...instants].filter(at => at <= until).sort((one, other) => one - other)
}
