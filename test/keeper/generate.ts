// Generated custom subjects: their signals and rules, and the acts of senders and people. The same seed gives the same subjects and acts.
import type { Command } from '#shared/contracts/subjects/command.ts'
import type { Policy, PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { NaiveWorld } from '../judging/naive.ts'
import type { Random } from '../simulation/random.ts'

const minute = 60_000
const hour = 60 * minute

export interface Deed {
  at: number
  command: Record<string, unknown> & { kind: Command['kind'] }
}

export const unset: PolicyInput = {
  signal: null,
  from: null,
  mode: null,
  compare: null,
  threshold: null,
  match: null,
  noDataAfterMs: null,
}

/** Returns one to three signals and one to three rules over these signals, in force from `start` on. */
export function makeWorld(random: Random, start: number): NaiveWorld {
  const signals: NaiveWorld['signals'] = {}
  for (let i = 1; i <= random.integer(1, 3); i++) signals[`signal-${i}`] = random.chance(0.7) ? 'heartbeat' : 'event'
  const rules: Record<string, Policy> = {}
  for (let i = 1; i <= random.integer(1, 3); i++)
    rules[`rule-${i}`] = makePolicy(random, Object.keys(signals), Object.keys(rules))
  return { signals, rules, reports: [], addedAt: start, saved: [] }
}

function makePolicy(random: Random, signals: string[], rules: string[]): Policy {
  const inputs: PolicyInput[] = []
  for (let i = random.integer(1, 4); i > 0; i--) {
    if (rules.length > 0 && random.chance(0.3)) inputs.push({ ...unset, from: random.pick(rules) })
    else inputs.push(signalInput(random, random.pick(signals)))
  }
  const need = random.pick(['any', 'majority', 'all', 'at_least'] as const)
  return {
    inputs,
    need,
    atLeast: need === 'at_least' ? random.integer(1, inputs.length) : null,
    confirmAfterMs: random.pick([0, minute, 2 * minute, 30 * minute]),
    closeAfterMs: random.pick([0, 2 * minute, 20 * minute]),
  }
}

function signalInput(random: Random, signal: string): PolicyInput {
  const isValue = random.chance(0.3)
  return {
    ...unset,
    signal,
    mode: isValue ? 'latest_value' : 'status',
    compare: isValue ? random.pick(['<', '>'] as const) : null,
    threshold: isValue ? random.integer(0, 10) : null,
    match: random.pick([null, null, { zone: 'a' }, { zone: '*' }, { zone: 'b', tier: '*' }]),
    noDataAfterMs: random.pick([null, minute, 10 * minute, 3 * hour]),
  }
}

/**
 * Returns reports, windows and acknowledgements within `lengthMs` of the world's start, in the order of time. A signal's reports pass for a
 * while, fail for a while or are missing for a while; some are late, and some have an instant in the future.
 */
export function makeDeeds(random: Random, world: NaiveWorld, lengthMs: number): Deed[] {
  const start = world.addedAt
  const deeds: Deed[] = []
  for (const signal of Object.keys(world.signals)) {
    let at = start + random.integer(0, 10 * minute)
    while (at < start + lengthMs) {
      const spell = random.pick(['calm', 'failing', 'silent', 'mixed', 'calm'])
      const end = at + random.integer(5 * minute, 20 * hour)
      const pause = random.pick([10 * minute, 40 * minute, 2 * hour, 5 * hour])
      for (; at < end && spell !== 'silent'; at += Math.max(1, Math.round(pause * (0.5 + random.next()))))
        deeds.push({ at, command: makeReport(random, signal, spell, at) })
      at = Math.max(at, end)
    }
  }
  for (let i = random.integer(0, 30); i > 0; i--) {
    const rule = random.pick(Object.keys(world.rules))
    deeds.push({ at: start + random.integer(0, lengthMs), command: { kind: 'acknowledge-incident', rule } })
  }
  for (let i = random.integer(0, 8); i > 0; i--) {
    const at = start + random.integer(0, lengthMs)
    deeds.push({ at, command: { kind: 'start-maintenance', endsAt: at + random.integer(minute, 12 * hour), by: 'Ann' } })
    if (random.chance(0.3)) deeds.push({ at: at + random.integer(1, 6 * hour), command: { kind: 'cancel-maintenance' } })
  }
  return deeds.filter(deed => deed.at < start + lengthMs).sort((one, other) => one.at - other.at)
}

/**
 * Returns changes by people in addition to `deeds`: a window's end is moved, a report is sent again with another status, a rule is replaced
 * or deleted, a signal is deleted. The keeper refuses some of these changes. A deleted signal or rule is never created again under its
 * name: otherwise the naive evaluator would have to keep rows as the keeper does. Rules read only earlier rules, so no rule reads itself
 * through others.
 */
export function makeChanges(random: Random, world: NaiveWorld, deeds: Deed[], lengthMs: number): Deed[] {
  const start = world.addedAt
  const changes: Deed[] = []
  const rules = Object.keys(world.rules)
  const signals = Object.keys(world.signals)
  for (const { at, command } of deeds) {
    if (command.kind === 'start-maintenance' && random.chance(0.6)) {
      const movedAt = at + random.integer(1, 3 * hour)
      const endsAt = movedAt + random.integer(minute, 12 * hour)
      changes.push({ at: movedAt, command: { kind: 'move-maintenance', endsAt } })
    }
    if (command.kind === 'report-observation' && random.chance(0.05)) {
      const isOk = command['status'] !== 'ok'
      const again = { ...command, status: isOk ? 'ok' : 'problem', value: isOk ? 5 : 12, error: isOk ? '' : 'boom' }
      changes.push({ at: at + random.integer(1, random.pick([minute, hour])), command: again })
    }
  }
  for (let i = random.integer(0, 4); i > 0; i--) {
    const place = random.integer(0, rules.length - 1)
    const name = rules[place] as string
    const policy = makePolicy(random, signals, rules.slice(0, place))
    const at = start + random.integer(hour, lengthMs)
    changes.push({ at, command: { kind: 'replace-rule', rule: name, name, policy } })
  }
  if (random.chance(0.3))
    changes.push({ at: start + random.integer(hour, lengthMs), command: { kind: 'delete-rule', rule: random.pick(rules) } })
  if (random.chance(0.5))
    changes.push({ at: start + random.integer(hour, lengthMs), command: { kind: 'delete-signal', signal: random.pick(signals) } })
  return changes.filter(change => change.at < start + lengthMs)
}

function makeReport(random: Random, signal: string, spell: string, at: number): Deed['command'] {
  const ok = spell === 'calm' ? true : spell === 'failing' ? random.chance(0.05) : random.chance(0.5)
  const shift = random.chance(0.1) ? random.integer(-20 * minute, 2 * minute) : 0
  const labels = random.pick([{}, { zone: 'a' }, { zone: 'b' }, { zone: 'b', tier: 'x' }] as Record<string, string>[])
  const value = random.chance(0.8) ? (ok ? 5 : random.integer(-2, 14)) : null
  const status = ok ? 'ok' : 'problem'
  return {
    kind: 'report-observation',
    signal,
    observedAtUs: (at + shift) * 1_000,
    status,
    value,
    error: ok ? '' : 'boom',
    labels,
  }
}
