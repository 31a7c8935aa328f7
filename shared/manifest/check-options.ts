// Checks of a Resource: the checked signals of its Template with the options that literals and answers give. Pure. Reference:
// docs/reference/v3.md, 3.21.
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { faultOf } from '#shared/checks/field-values.ts'
import { findOffered } from '#shared/checks/registry.ts'
import {
  type Answers,
  type CheckSignal,
  checkKind,
  type MetaReference,
  type Template,
  type TemplateSignal,
} from '#shared/contracts/resources/template.ts'
import { type Agreement, agreements } from '#shared/contracts/subjects/checked-signal.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { refuse } from './manifest-refusal.ts'

/** Largest number of pairs of a checked signal and a location of a Resource. */
const pairsMax = 64
const everySecondsRange = [10, 86_400] as const

export const isReference = (value: unknown): value is MetaReference =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'meta' in value

const synonym = 'at_least_one'

export const isAgreement = (word: unknown): boolean => word === synonym || agreements.some(agreement => agreement === word)

/** A checked signal with everything that its answers say. */
export interface BoundCheck {
  signal: string
  kind: CheckKind
  everySeconds: number
  locations: string[]
  agreement: Agreement
  /** Options by key; one that neither Template nor answers state is absent. */
  options: Readonly<Record<string, unknown>>
  /** Keys of the fields that the options read. */
  reads: string[]
}

export const checkSignalsOf = ({ signals }: Pick<Template, 'signals'>): CheckSignal[] =>
  signals.filter((signal: TemplateSignal): signal is CheckSignal => signal.kind === checkKind)

/** Returns the checks of a Resource with these answers, in the order of the Template. Throws for a kind that this program does not know. */
export const checksOf = (template: Pick<Template, 'signals'>, answers: Answers): BoundCheck[] =>
  checkSignalsOf(template).map(signal => bind(signal, answers))

function bind(
  { key, check: { type, ...options }, everySeconds, locations, agreement }: CheckSignal,
  answers: Answers,
): BoundCheck {
  const kind = findOffered(type)
  if (kind === null) throw new Error(`this program knows no kind of check ${type}: a newer one wrote it`)
  const given = Object.entries(options).flatMap(([name, option]) => {
    const value = answered(option, answers)
    return value === null ? [] : [[name, value] as const]
  })
  return {
    ...{ signal: key, kind, everySeconds: answered(everySeconds, answers) as number },
    ...{ locations: [...(answered(locations, answers) as string[])], agreement: agreementOf(answered(agreement, answers)) },
    options: Object.fromEntries(given),
    reads: Object.values(options).flatMap(option => (isReference(option) ? [option.meta] : [])),
  }
}

/** Returns the value itself, or the answer to the field that it names; null: there is none. */
const answered = (value: unknown, answers: Answers): unknown =>
  isReference(value) ? (ownMember(answers, value.meta) ?? null) : value

const agreementOf = (word: unknown): Agreement => (word === synonym ? 'any' : (word as Agreement))

/** Returns the options with the defaults of the kind for those that are absent. */
export const usualAnswers = (kind: CheckKind, options: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...Object.fromEntries(kind.fields.map(({ key, default: usual }) => [key, usual])),
  ...options,
})

/** Throws ManifestRefusal with the key of the first field whose answer the checks of the Template refuse. The fields accept all answers. */
export function requireCheckable(template: Pick<Template, 'signals'>, answers: Answers): void {
  let pairs = 0
  for (const signal of checkSignalsOf(template)) {
    const { kind, everySeconds, locations, options } = bind(signal, answers)
    for (const option of kind.fields) requireOption(option.key, signal, kind, options)
    requireTogether(signal, kind, options)
    const [least, most] = everySecondsRange
    if (isReference(signal.everySeconds) && (everySeconds < least || everySeconds > most))
      throw refuse(
        signal.everySeconds.meta,
        `Field '${signal.everySeconds.meta}' is an interval: it must be ${least} to ${most} seconds`,
      )
    pairs += locations.length
    if (pairs > pairsMax)
      throw refuse(signal.locations.meta, `A Resource is checked by at most ${pairsMax} pairs of a signal and a Location`)
  }
}

function requireOption(key: string, { check }: CheckSignal, kind: CheckKind, options: Readonly<Record<string, unknown>>): void {
  const option = kind.fields.find(field => field.key === key)
  const stated = check[key]
  if (option === undefined || !isReference(stated) || options[key] === undefined) return
  const fault = faultOf(option, options[key])
  if (fault !== null) throw refuse(stated.meta, `Field '${stated.meta}' ${fault}`)
}

/** Throws for options that do not fit each other. The field of the option at fault is named, or else the first field that an option reads. */
function requireTogether({ check }: CheckSignal, kind: CheckKind, options: Readonly<Record<string, unknown>>): void {
  const refused = kind.refuse?.(usualAnswers(kind, options)) ?? null
  if (refused === null) return
  const stated = check[refused.key]
  const read = Object.values(check).find(isReference)
  const field = isReference(stated) ? stated.meta : (read?.meta ?? refused.key)
  throw refuse(field, `Option '${refused.key}' of the check ${refused.fault}`)
}
