// Commands that create, change and remove the signals of a subject (reference/custom-subjects 2). Pure.

import type { CustomState, RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { isOfGeneration2, ruleView, signalsOf, signalView, viewFits } from '#shared/subjects/subject-view.ts'
import { slugOf } from '#shared/text/slug.ts'
import { addToOutbox } from '../change.ts'
import type { Handler } from '../types.ts'
import { invalidName, refused, refusedField, tooLarge } from './refusal.ts'

/** Custom part of a subject without signals. */
export const nothingCustom: CustomState = {
  signals: [],
  signalsMade: 0,
  rulesMade: 0,
  stampedUs: 0,
  observed: {},
}

export const createSignal: Handler<'create-signal'> = (subject, command, at) => {
  const slug = slugOf(command.name)
  if (slug === '') return invalidName
  const custom = subject.custom ?? nothingCustom
  // The slug may also be taken by a signal that a sender of generation 3 declared.
  if ([...signalsOf(subject), ...custom.signals].some(signal => signal.slug === slug))
    return refusedField('name', 'Signal name taken', `The subject has a signal "${slug}" already`)
  if (custom.signals.filter(isOfGeneration2).length >= limits.subject.signals)
    return refused('invalid_state', 'Too many signals', `A subject has at most ${limits.subject.signals} signals`)
  const number = custom.signalsMade + 1
  const signal = { key: `s${number}`, slug, name: command.name, kind: command.signalKind, meta: command.meta, addedAt: at }
  const next: SubjectDocument = {
    ...subject,
    kind: 'custom',
    updatedAt: at,
    custom: { ...custom, signals: [...custom.signals, signal], signalsMade: number },
  }
  return viewFits(next) ? { subject: next, result: signalView(signal) } : tooLarge
}

/** Updates name and meta. Kind and slug never change. */
export const updateSignal: Handler<'update-signal'> = (subject, command, at) => {
  const found = findSignal(subject, command.signal)
  if ('refused' in found) return found
  if (slugOf(command.name) === '') return invalidName
  const { custom, signal } = found
  const changed = { ...signal, name: command.name, meta: command.meta }
  const signals = custom.signals.map(other => (other.key === signal.key ? changed : other))
  const next = { ...subject, updatedAt: at, custom: { ...custom, signals } }
  return viewFits(next) ? { subject: next, result: signalView(changed) } : tooLarge
}

/**
 * Deletes a signal. Its observations are removed afterwards, in slices. If a rule reads the signal, the deletion is refused for this reason
 * before all other checks, also for the platform's own signal (reference/custom-subjects 2.8).
 */
export const deleteSignal: Handler<'delete-signal'> = (subject, command, at) => {
  const isRead = (rule: RuleState) => ruleView(subject, rule).policy.inputs.some(input => input.signal === command.signal)
  const reader = subject.rules.find(isRead)
  if (reader !== undefined)
    return refused('forbidden', 'Signal is still used by a rule', `The rule "${reader.slug}" reads this signal`)
  const found = findSignal(subject, command.signal)
  if ('refused' in found) return found
  const { custom, signal } = found
  const signals = custom.signals.filter(other => other.key !== signal.key)
  const next = { ...subject, updatedAt: at, custom: { ...custom, signals } }
  return {
    subject: addToOutbox(next, { mode: 'remove-signal', signalKey: signal.key }),
    result: { slug: signal.slug },
  }
}

function findSignal(subject: SubjectDocument, slug: string) {
  const custom = subject.custom ?? nothingCustom
  const signal = custom.signals.filter(isOfGeneration2).find(candidate => candidate.slug === slug)
  if (signal !== undefined) return { custom, signal }
  return signalsOf(subject).some(candidate => candidate.slug === slug)
    ? refused('forbidden', 'Signal is managed by Website monitoring', 'This signal is maintained by Website monitoring')
    : refused('not_found', 'Signal not found', 'Signal does not exist or access denied')
}
