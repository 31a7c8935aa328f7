// Plan of a seed, made before its run begins: subjects, states of the websites, actions of people, faults.

import type { WebsiteCheck } from '#shared/checks/website/website.ts'
import type { FailureMode } from '#shared/contracts/subjects/check.ts'
import { hour, minute, second } from '#shared/limits/limits.ts'
import { websiteCheck } from '../support/checks.ts'
import { Random } from './random.ts'

/**
 * `steady`: reports come in time, and everything that a keeper needs can fail. `silent`: reports are missing, and no keeper is replaced.
 * `long`: a day with reminders and few faults. In these three profiles the oracle is exact. `rough`: all faults at once, late reports,
 * broken connections, a recreated stream; the oracle permits the differences listed in `compare.ts`.
 */
export type Profile = 'steady' | 'silent' | 'long' | 'rough'

export interface Spell {
  untilMs: number
  state: 'ok' | 'failing' | 'silent'
}

export interface Site {
  subjectId: string
  name: string
  createAtMs: number
  check: WebsiteCheck
  /** States of the website by location, in order of time. */
  spells: Record<string, Spell[]>
}

export type Deed =
  | { kind: 'update'; atMs: number; site: number; locations: string[]; failureMode: FailureMode | null; url: string }
  | { kind: 'delete'; atMs: number; site: number }

export type FaultKind =
  | 'crash'
  | 'crash in a call'
  | 'stop'
  | 'join'
  | 'freeze'
  | 'cut keeper'
  | 'cut all'
  | 'flaky store'
  | 'slow store'
  | 'store gone'
  | 'gateways gone'
  | 'flaky bus'
  | 'slow bus'
  | 'lost replies'
  | 'slow feed'
  | 'late reports'
  | 'doubled reports'
  | 'poison'
  | 'stream recreated'
  | 'stream truncated'
  | 'stepped clock'
  | 'no leader'
  | 'deaf feeds'
  | 'suspend'

export interface Fault {
  kind: FaultKind
  atMs: number
  forMs: number
  /**
   * `which`: keeper or location of the fault. The other fields are the strength of the fault. Each kind of fault uses these fields in its
   * own way.
   */
  which: number
  share: number
}

export interface Plan {
  seed: number
  profile: Profile
  keepers: number
  locations: string[]
  sites: Site[]
  deeds: Deed[]
  faults: Fault[]
  /** Time from the start until all faults have ended. Afterwards every website passes (or fails) for `calmMs`. */
  activeMs: number
  calmMs: number
  /** Time from the start at which the level is raised, from which check entries are in pages; null: never. */
  flatAtMs: number | null
  ending: 'ok' | 'failing'
  holds: { confirmAfterMs: number; closeAfterMs: number }
}

const faultsOf: Record<Profile, FaultKind[]> = {
  steady: [
    'crash',
    'crash in a call',
    'stop',
    'join',
    'freeze',
    'cut keeper',
    'flaky store',
    'slow store',
    'store gone',
    'flaky bus',
    'slow bus',
    'lost replies',
    'doubled reports',
    'poison',
  ],
  silent: ['flaky store', 'slow store', 'lost replies', 'doubled reports', 'poison'],
  long: ['crash', 'freeze', 'flaky store', 'doubled reports'],
  rough: [
    'crash',
    'crash in a call',
    'stop',
    'join',
    'freeze',
    'cut keeper',
    'cut all',
    'flaky store',
    'slow store',
    'store gone',
    'flaky bus',
    'slow bus',
    'lost replies',
    'slow feed',
    'late reports',
    'doubled reports',
    'poison',
    'stream recreated',
    'stream truncated',
    'stepped clock',
  ],
}

/**
 * Faults that follow from the death of a bus server. In a steady world the stream itself keeps its leader, so that reports come in time.
 */
const electionsOf: Record<Profile, FaultKind[]> = {
  steady: ['no leader'],
  silent: [],
  long: ['no leader'],
  rough: ['no leader', 'deaf feeds'],
}

export function planOf(seed: number): Plan {
  const random = new Random(seed, 'plan')
  const profile = random.chance(0.05) ? 'long' : random.pick(['steady', 'steady', 'silent', 'rough', 'rough'] as const)
  const isLong = profile === 'long'
  const activeMs = isLong ? random.integer(5, 10) * hour : random.integer(8, 18) * minute
  const ending = random.chance(0.25) ? 'failing' : 'ok'
  const locations = Array.from({ length: isLong ? 1 : random.integer(1, 3) }, () => random.id(4))
  const site = () => siteOf(random, { profile, locations, activeMs, ending })
  const sites = Array.from({ length: isLong ? 1 : random.integer(1, 4) }, site)
  const deeds = isLong ? [] : deedsOf(random, sites, activeMs)
  const keepers = isLong ? random.integer(1, 2) : random.integer(1, 3)
  const faults = random.chance(0.1) ? [] : planFaults(random, profile, activeMs, deeds)
  const outages = faults.length > 0 ? longOutages(seed, activeMs) : []
  return {
    seed,
    profile,
    keepers,
    locations,
    sites,
    deeds,
    faults: [...faults, ...planElections(seed, profile, activeMs, faults), ...outages, ...planSuspends(seed, activeMs)],
    activeMs,
    calmMs: isLong ? 40 * minute : 7 * minute,
    flatAtMs: flatAt(seed, activeMs),
    ending,
    holds: { confirmAfterMs: 2 * minute, closeAfterMs: random.pick([2 * minute, 2 * minute, 30 * second]) },
  }
}

/** Drawn by itself, so that the rest of a seed's plan stays as it was. */
function flatAt(seed: number, activeMs: number): number | null {
  const random = new Random(seed, 'level')
  return random.pick([0, 0, random.integer(0, activeMs), random.integer(0, activeMs), null])
}

function siteOf(
  random: Random,
  { profile, locations, activeMs, ending }: Pick<Plan, 'profile' | 'locations' | 'activeMs' | 'ending'>,
): Site {
  const chosen = locations.filter(() => random.chance(0.75))
  const check = websiteCheck({
    url: 'http://example.test/',
    content_type: '',
    locations: chosen.length > 0 ? chosen : locations.slice(0, 1),
    interval_value: profile === 'long' ? random.pick([5, 10]) : 1,
    failure_mode: random.pick(['at_least_one', 'majority', 'all'] as const),
    confirm_after: random.pick([null, null, null, 0, 45]),
    recover_after: random.pick([null, null, null, 0, 45]),
  })
  const shared = spellsOf(random, profile, activeMs, ending)
  const isShared = random.chance(0.5)
  const spells = Object.fromEntries(
    locations.map(location => [location, isShared ? shared : spellsOf(random, profile, activeMs, ending)]),
  )
  return {
    subjectId: random.id(10),
    name: random.pick(['Shop', 'Shop', 'Blog']),
    createAtMs: random.integer(20, 60) * second,
    check,
    spells,
  }
}

/**
 * Returns the states of a website at one location over time. A state lasts about as long as an interval, a confirmation delay or a recovery
 * delay.
 */
function spellsOf(random: Random, profile: Profile, activeMs: number, ending: Plan['ending']): Spell[] {
  const scale = profile === 'long' ? 20 : 1
  const canBeSilent = profile === 'silent' || profile === 'rough'
  const spells: Spell[] = []
  let at = 0
  while (at < activeMs) {
    const state = random.pick(
      canBeSilent ? (['ok', 'ok', 'failing', 'failing', 'silent'] as const) : (['ok', 'failing'] as const),
    )
    const longest = state === 'silent' ? 8 * minute : 5 * minute
    at += random.integer(20 * second, longest) * scale
    spells.push({ untilMs: Math.min(at, activeMs), state })
  }
  return [...spells, { untilMs: Number.POSITIVE_INFINITY, state: ending }]
}

function deedsOf(random: Random, sites: readonly Site[], activeMs: number): Deed[] {
  return Array.from({ length: random.integer(0, 4) }, (): Deed => {
    const site = random.integer(0, sites.length - 1)
    const atMs = random.integer(90 * second, activeMs - 30 * second)
    if (random.chance(0.3)) return { kind: 'delete', atMs, site }
    const all = Object.keys(sites[site]!.spells)
    const chosen = all.filter(() => random.chance(0.6))
    return {
      kind: 'update',
      atMs,
      site,
      locations: chosen.length > 0 || random.chance(0.2) ? chosen : all,
      failureMode: random.pick([null, 'at_least_one', 'majority', 'all'] as const),
      url: random.pick(['http://example.test/', 'http://example.test/', 'http://example.test/other']),
    }
  }).sort((one, other) => one.atMs - other.atMs)
}

/**
 * Returns outages of store or gateways of up to ten minutes, longer than most permitted silences and delays, from a random stream of their
 * own.
 */
function longOutages(seed: number, activeMs: number): Fault[] {
  const random = new Random(seed, 'long outages')
  return (['store gone', 'gateways gone'] as const).flatMap(kind => {
    const forMs = random.integer(30, 600) * second
    const atMs = random.integer(minute, activeMs - minute)
    return random.chance(0.3) ? [{ kind, atMs, forMs, which: 0, share: 0 }] : []
  })
}

/** Plans suspends of the machine, or steps of its clock forward, in one of five worlds. */
function planSuspends(seed: number, activeMs: number): Fault[] {
  const random = new Random(seed, 'suspends')
  if (random.chance(0.8)) return []
  return Array.from({ length: random.integer(1, 2) }, (): Fault => {
    const atMs = random.integer(minute, activeMs - minute)
    const forMs = random.pick([3, 20, 90, 600, 3_600]) * random.integer(500, 1_000)
    return { kind: 'suspend', atMs, forMs, which: 0, share: 0 }
  })
}

/** Plans faults in groups, so that a later fault hits work that an earlier fault interrupted. */
function planFaults(random: Random, profile: Profile, activeMs: number, deeds: readonly Deed[]): Fault[] {
  const isLong = profile === 'long'
  const chosen = faultsOf[profile].filter(() => random.chance(0.5))
  const kinds = chosen.length > 0 ? chosen : faultsOf[profile]
  const faults = Array.from({ length: random.integer(1, isLong ? 3 : 6) }, () => {
    const anyAtMs = random.integer(10 * second, activeMs - 70 * second)
    // Four of ten groups of faults begin within seconds of a change by a person.
    const stormAtMs =
      deeds.length > 0 && random.chance(0.4) ? Math.min(random.pick(deeds).atMs - second, activeMs - 70 * second) : anyAtMs
    return Array.from({ length: random.integer(1, isLong ? 2 : 4) }, (): Fault => {
      const forMs = random.pick([2, 8, 15, 30, isLong ? 30 : 55]) * random.integer(500, 1_000)
      const atMs = stormAtMs + random.integer(0, 8) * random.integer(0, 1_000)
      return { kind: random.pick(kinds), atMs, forMs, which: random.integer(0, 5), share: random.next() }
    })
  })
  return faults.flat().sort((one, other) => one.atMs - other.atMs)
}

/**
 * Plans elections of leaders, from a random stream of their own, so that the rest of a seed's run is unchanged. Except in the profile
 * `rough`, an election begins and ends at least a minute before or after any other fault. Otherwise both together would delay reports until
 * inputs fall silent.
 */
function planElections(seed: number, profile: Profile, activeMs: number, others: readonly Fault[]): Fault[] {
  const random = new Random(seed, 'elections')
  const kinds = electionsOf[profile]
  if (kinds.length === 0 || random.chance(0.5)) return []
  const faults = Array.from({ length: random.integer(1, 4) }, (): Fault => {
    const atMs = random.integer(10 * second, activeMs - 70 * second)
    return {
      kind: random.pick(kinds),
      atMs,
      forMs: random.integer(1, 20) * second,
      which: random.integer(0, 31),
      share: random.next(),
    }
  })
  const isAlone = (one: Fault) =>
    [...others, ...faults].every(
      other => other === one || one.atMs > other.atMs + other.forMs + minute || other.atMs > one.atMs + one.forMs + minute,
    )
  return profile === 'rough' ? faults : faults.filter(isAlone)
}
