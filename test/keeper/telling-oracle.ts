// What people are told of one rule, computed from its history as spec B and D say it in words: no machine, no deadline, no state that
// is carried along but what the words name. The instants at which anything can change are found by brute force.
import { type NaiveWorld, naiveVerdict } from '../judging/naive.ts'

export interface ToldMessage {
  rule: string
  incident: string
  kind: string
  at: number
}

export interface Life {
  windows: { from: number; until: number }[]
  /** When somebody took note of the rule's incident that was open then. */
  acknowledgements: { rule: string; at: number }[]
}

interface Spell {
  from: number
  until: number
  says: 'problem' | 'no_data' | 'ok'
}

const reminderMs = 4 * 3_600_000

/** The messages of all incidents of a rule up to `until`, in their order. */
export function tellingOracle(world: NaiveWorld, life: Life, rule: string, until: number): ToldMessage[] {
  const policy = world.rules[rule]
  if (policy === undefined) return []
  const told: ToldMessage[] = []
  const tell = (kind: string, at: number) => told.push({ rule, incident: '', kind, at })
  const isMuted = (at: number) => life.windows.some(window => at >= window.from && at < window.until)
  for (const incident of incidentsOf(spellsOf(world, rule, until), policy.closeAfterMs, until)) {
    const confirmedAt = confirmationOf(incident.spells, policy.confirmAfterMs)
    if (confirmedAt === null || confirmedAt > until) continue
    const from = incident.spells[0]?.from ?? 0
    const acknowledgedAt = life.acknowledgements
      .filter(one => one.rule === rule && one.at >= from && one.at <= (incident.closedAt ?? until))
      .reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY)
    tellIncident(incident, confirmedAt, { isMuted, tell, until, acknowledgedAt })
  }
  return told
}

interface Incident {
  spells: Spell[]
  /** When it closed as people see it happen: the end of the close hold; null: still open. */
  closedAt: number | null
}

/** An incident goes from the first judgement that is not ok to the end of continuous ok for the close hold. */
function incidentsOf(spells: Spell[], closeAfterMs: number, until: number): Incident[] {
  const incidents: Incident[] = []
  let open: Incident | null = null
  for (const spell of spells) {
    if (open === null && spell.says === 'ok') continue
    open ??= { spells: [], closedAt: null }
    open.spells.push(spell)
    const closesAt = spell.from + closeAfterMs
    const holds = closesAt <= until && closesAt < spell.until
    if (spell.says !== 'ok' || !holds) continue
    incidents.push({ ...open, closedAt: closesAt })
    open = null
  }
  if (open !== null) incidents.push(open)
  return incidents
}

/** Continuous non-ok time, whatever its condition; ok resets it; a hold's end belongs to it. */
function confirmationOf(spells: Spell[], confirmAfterMs: number): number | null {
  let badSince: number | null = null
  for (const { says, from, until } of spells) {
    if (says === 'ok') badSince = null
    else badSince ??= from
    if (badSince !== null && badSince + confirmAfterMs < until) return Math.max(badSince + confirmAfterMs, badSince)
  }
  return null
}

interface Telling {
  isMuted(at: number): boolean
  tell(kind: string, at: number): void
  until: number
  acknowledgedAt: number
}

function tellIncident({ spells, closedAt }: Incident, confirmedAt: number, telling: Telling): void {
  const { isMuted, tell, until, acknowledgedAt } = telling
  let announced: 'nothing' | 'no_data' | 'problem' = 'nothing'
  // What was held is told at a reminder's instant; that it fails once more is no new message.
  let heldProblem = false
  const announce = (kind: 'problem' | 'no_data', at: number) => {
    tell(isMuted(at) ? `held ${kind}` : kind, at)
    if (!isMuted(at)) announced = kind
    heldProblem = isMuted(at) ? heldProblem || kind === 'problem' : false
  }
  for (const { says, from, until: end } of spells) {
    if (end <= confirmedAt || says === 'ok') continue
    if (confirmedAt >= from) announce(says, confirmedAt)
    else if (says === 'problem' && announced !== 'problem' && !heldProblem) announce('problem', from)
    const last = Math.min(end - 1, until)
    for (let at = confirmedAt + reminderMs; at <= last; at += reminderMs) {
      // The instant at which a spell begins belongs to what the judgement there said; its reminder is already passed over.
      if (at <= Math.max(from, confirmedAt) || isMuted(at) || at > acknowledgedAt) continue
      if (says === 'problem') tell(announced === 'problem' ? 'reminder' : 'problem', at)
      else if (announced === 'nothing') tell('no_data', at)
      else continue
      announced = says === 'problem' ? 'problem' : announced === 'nothing' ? 'no_data' : announced
      heldProblem = false
    }
  }
  if (closedAt !== null) tell('recovery', closedAt)
}

/** What the rule says over time; a time in which it is not judged says what was said before. */
function spellsOf(world: NaiveWorld, rule: string, until: number): Spell[] {
  const spells: Spell[] = []
  for (const at of instantsOf(world, until)) {
    const verdict = naiveVerdict(world, rule, at)
    const before = spells[spells.length - 1]
    if (verdict === 'not_judged' || before?.says === verdict) continue
    if (before !== undefined) before.until = at
    spells.push({ from: at, until: Number.POSITIVE_INFINITY, says: verdict })
  }
  return spells
}

/** Every instant at which a report arrives, or any input could fall silent or grow up. */
function instantsOf(world: NaiveWorld, until: number): number[] {
  const silences = new Set([300_000])
  for (const policy of Object.values(world.rules))
    for (const input of policy.inputs) if (input.noDataAfterMs !== null) silences.add(input.noDataAfterMs)
  const instants = new Set([world.addedAt])
  for (const silence of silences) instants.add(world.addedAt + silence + 1)
  for (const report of world.reports) {
    instants.add(report.arrivedAt)
    for (const silence of silences) instants.add(Math.max(report.observedAt + silence + 1, report.arrivedAt))
  }
  return [...instants].filter(at => at <= until).sort((one, other) => one - other)
}
