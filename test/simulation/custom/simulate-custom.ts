// One seed of the custom subjects' simulation: a week in the real keeper with injected faults, compared with the oracles. The same seed
// gives the same week.
import { makeChanges, makeDeeds } from '../../keeper/generate.ts'
import { Random } from '../random.ts'
import { checkRecords, checkTold, checkVerdicts, type ToldCount } from './checks.ts'
import { House } from './house.ts'
import { type Blow, blows, latenessMs, renewalMs } from './keepers.ts'

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute
const week = 7 * day
/** Largest number of periods without store or gateways in a week. The clock does not jump over these periods. */
const lackedAtMost = 2

/** Counts of events that happened and were compared. */
export interface CustomCounts extends ToldCount {
  blows: number
  reports: number
  verdicts: number
  incidents: number
}

export interface CustomRun {
  faults: string[]
  counts: CustomCounts
  /** Messages in their order. */
  trace: string[]
}

type Deal = { at: number } & ({ command: Record<string, unknown> } | { blow: Blow })

export async function simulateCustom(seed: number, lengthMs = week): Promise<CustomRun> {
  const house = new House(new Random(seed, 'house'))
  await house.begin()
  const { keepers, world, faults } = house
  const start = keepers.clock.now()
  const deals = makeDeals(seed, house, lengthMs)
  const random = new Random(seed, 'ambushes')
  const struck: number[] = []
  let verdicts = 0
  for (const deal of deals) {
    const ambush = await ambushBefore(house, random, deal.at)
    if (ambush !== null) struck.push(ambush)
    await keepers.clock.passUntil(deal.at)
    if ('blow' in deal) {
      await keepers.clock.live(renewalMs)
      struck.push(keepers.now())
      await keepers.suffer(deal.blow)
    } else await house.send(deal.command)
    await keepers.clock.live(3 * second)
    if (keepers.now() - (struck.at(-1) ?? 0) > 2 * latenessMs) verdicts += await checkVerdicts(house)
  }
  await keepers.clock.passUntil(start + lengthMs + 5 * minute)
  await keepers.clock.live(latenessMs)
  verdicts += await checkVerdicts(house)
  await checkRecords(house)
  const { count, trace } = await checkTold(house, struck)
  const incidents = (await house.subject())?.incidents ?? 0
  const counts = { ...count, blows: struck.length, reports: world.reports.length, verdicts, incidents }
  return { faults, counts, trace }
}

function makeDeals(seed: number, { world, keepers }: House, lengthMs: number): Deal[] {
  const random = new Random(seed, 'blows')
  const deeds = makeDeeds(new Random(seed, 'deeds'), world, lengthMs)
  const changes = makeChanges(new Random(seed, 'changes'), world, deeds, lengthMs)
  const deals: Deal[] = [...deeds, ...changes]
  const start = keepers.clock.now()
  for (
    let at = start + random.integer(minute, 8 * 60 * minute);
    at < start + lengthMs;
    at += random.integer(minute, 8 * 60 * minute)
  )
    deals.push({ at, blow: random.pick(blows) })
  return deals.sort((one, other) => one.at - other.at)
}

/**
 * May inject a fault right before a reminder or silence that is due before the next planned action. The fault is either the failure of a
 * keeper or a long outage of keepers, store or gateways. Returns the instant of the fault; null: none was injected.
 */
async function ambushBefore(house: House, random: Random, before: number): Promise<number | null> {
  const { keepers, outages } = house
  const next = await nextMoment(house)
  if (next < keepers.clock.now() + 2 * minute || next > before - 10 * minute || !random.chance(0.4)) return null
  const kind = kindOfAmbush(house, random)
  // An outage of the store or the gateways is noticed after some seconds.
  const lead = kind === 'store' || kind === 'gateways' ? random.integer(20, 60) : random.integer(0, 6)
  await keepers.clock.passUntil(next - lead * second - renewalMs)
  await keepers.clock.live(renewalMs)
  const from = keepers.now()
  if (kind === 'blow') await keepers.suffer(random.pick(blows))
  else {
    if (kind === 'keepers')
      await keepers.beAway(Math.min(next + random.integer(5 * minute, 9 * 60 * minute), before - 2 * minute))
    else await keepers.lack(kind, Math.min(random.integer(2 * minute, 10 * minute), before - 2 * minute - keepers.clock.now()))
    // Work due at the exact instant of the fault was still done, so the outage begins a millisecond later.
    outages.push({ from: from + 1, until: keepers.now(), lacks: kind })
  }
  return from
}

function kindOfAmbush({ outages }: House, random: Random): 'blow' | House['outages'][number]['lacks'] {
  const kind = random.pick(['blow', 'blow', 'keepers', 'store', 'gateways'] as const)
  const lived = outages.filter(({ lacks }) => lacks !== 'keepers').length
  return kind === 'blow' || kind === 'keepers' || lived < lackedAtMost ? kind : 'blow'
}

/** Returns the instant of the next reminder, or the next instant at which an input can become silent. */
async function nextMoment({ subject }: House): Promise<number> {
  const { rules = [], dueAt = null } = (await subject()) ?? {}
  const moments = [dueAt, ...rules.map(rule => rule.incident?.context.reminderAt ?? null)]
  return Math.min(...moments.filter(at => at !== null))
}
