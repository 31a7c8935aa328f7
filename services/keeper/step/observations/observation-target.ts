// Signal on which an Observation reports, and the reason to refuse the Observation (docs/reference/v3.md, 7.3 to 7.5). Pure.

import { scheduleKind } from '#shared/contracts/resources/schedule.ts'
import { checkKind, type Template, templateKeyPattern } from '#shared/contracts/resources/template.ts'
import type { SignalState } from '#shared/contracts/subjects/signal.ts'
import type { Reading, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { checkedPairs } from '#shared/subjects/checked-pairs.ts'
import {
  declaredKinds,
  declaredSignalKey,
  isDeclared,
  isPlatformKey,
  type ReportedKind,
  reportedKind,
} from '#shared/subjects/resource-signals.ts'
import { isOfGeneration2 } from '#shared/subjects/subject-view.ts'
import type { Refusal } from '../commands/refusal.ts'
import { invalid } from '../commands/resource-commands.ts'
import { runFault } from '../schedules/run-entry.ts'
import type { StampedObservation } from './observed-row.ts'

interface NamedTarget {
  /** Key of the signal in the ids of its rows. */
  key: string
  slug: string
  kind: ReportedKind
}

/**
 * `template`: rules of a Template read the signal. `authored`: rules of generation 2 read the signal. `declared`: no rule reads the signal.
 * `location`: the signal stands for one location of a check, and probers report on it, too.
 */
export type Target = NamedTarget &
  (
    | { of: 'template' | 'authored'; signal: SignalState }
    /** `isNew`: the Observation declares the signal. */
    | { of: 'declared'; signal: SignalState; isNew: boolean }
    | { of: 'location'; source: string; reading: Reading }
  )

/** `template`: the published Template of the Resource; null: none. `at`: present instant of the keeper, ms. */
export function targetOf(
  subject: SubjectDocument,
  sent: StampedObservation,
  template: Template | null,
  at: number,
): Target | { refused: Refusal } {
  const ofCheck = isPlatformKey(sent.signal) ? targetAt(subject, sent.signal, template) : null
  if (ofCheck !== null) {
    const isAllowed = sent.source === 'api'
    return isAllowed ? ofCheck : { refused: invalid('signal', `An address may not report on '${sent.signal}'`) }
  }
  if (template?.signals.some(({ key, kind }) => key === sent.signal && kind === checkKind)) {
    const message = `Probers check '${sent.signal}': name one of its Locations, '${sent.signal}@<location id>'`
    return { refused: invalid('signal', message) }
  }
  const signal = subject.custom?.signals.find(({ slug }) => slug === sent.signal)
  return signal === undefined ? newTarget(subject, sent, template, at) : knownTarget(signal, template)
}

/** Returns the target whose rows have this key; null: the Resource has no signal with this key. */
export function targetAt(subject: SubjectDocument, key: string, template: Template | null): Target | null {
  const pair = isPlatformKey(key) ? checkedPairs(subject).find(one => one.key === key) : undefined
  const reading = pair && subject.readings[pair.source]
  if (pair !== undefined && reading !== undefined)
    return { of: 'location', key, slug: key, kind: 'heartbeat', source: pair.source, reading }
  const signal = subject.custom?.signals.find(candidate => candidate.key === key)
  return signal === undefined ? null : knownTarget(signal, template)
}

function knownTarget(signal: SignalState, template: Template | null): Target {
  const named = { key: signal.key, slug: signal.slug, kind: reportedKind(signal, template) }
  if (template?.signals.some(({ key }) => key === signal.slug)) return { ...named, of: 'template', signal }
  return isOfGeneration2(signal) ? { ...named, of: 'authored', signal } : { ...named, of: 'declared', signal, isNew: false }
}

/** Returns a target that declares an unknown signal by the Observation's kind. */
function newTarget(
  { custom }: SubjectDocument,
  { signal: slug, signalKind }: StampedObservation,
  template: Template | null,
  at: number,
): Target | { refused: Refusal } {
  if (signalKind === null) return { refused: invalid('signal', `The Resource has no signal '${slug}'`) }
  if (!signalKey.test(slug)) return { refused: invalid('signal', `'${slug}' is no key of a signal: ${templateKeyPattern}`) }
  const declared = custom?.signals.filter(signal => isDeclared(signal, template)) ?? []
  const { declaredSignals } = limits.v3
  if (declared.length >= declaredSignals)
    return { refused: invalid('signal', `At most ${declaredSignals} signals are declared on a Resource`) }
  const key = declaredSignalKey(slug)
  const signal: SignalState = { key, slug, name: slug, kind: declaredKinds[signalKind], meta: '{}', addedAt: at }
  return { of: 'declared', key, slug, kind: signalKind, signal, isNew: true }
}

const signalKey = new RegExp(templateKeyPattern)

/** Returns why the signal refuses the Observation; null: accepted. */
export function refusalOf(
  { of, slug, kind }: Target,
  { signalKind, state, labels }: Pick<StampedObservation, 'signalKind' | 'state' | 'labels'>,
): Refusal | null {
  if (signalKind !== null && signalKind !== kind) return invalid('kind', `The signal '${slug}' is of another kind`)
  if (of === 'location' && state === 'no_data') return invalid('state', `'${slug}' takes no 'no_data'`)
  if (kind === scheduleKind) return runFault({ state, labels })
  return null
}
