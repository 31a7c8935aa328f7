// Rules of a custom subject of generation 2. A rule is converted into the form that the API returns, so that the rule in the file can be
// compared with the rule in the workspace. Pure.
import { AppError } from '#shared/errors.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { DocumentShape, readPolicy } from '../v2/subjects/policy-document.ts'
import { policyObject } from '../v2/subjects/policy-object.ts'
import { faultAt, type PlacedObject } from './document.ts'

export interface SubjectRule {
  key: string
  name: string
  /** Document in the form of the API's responses: durations normalised, defaults explicit, unset members absent. */
  document: PolicyDocument
}

export interface PolicyDocument {
  inputs: { signal?: string; from?: string; [member: string]: unknown }[]
  [member: string]: unknown
}

interface SentRule {
  key: string
  name: string
  document: object
}

/**
 * Returns the rules in reading order: a rule follows the rules that it reads. Throws FileFault for a wrong document, or for rules that read
 * each other in a circle.
 */
export function readRules(
  source: PlacedObject,
  sent: readonly SentRule[],
  signals: readonly { key: string; kind: string }[],
): SubjectRule[] {
  const events = new Set(signals.filter(({ kind }) => kind === 'event').map(({ key }) => key))
  const rules = sent.map(({ key, name, document }, i) => {
    const place = `rules.${i}.document`
    return { key, name: name.trim(), document: readDocument(source, place, document, key => events.has(key)) }
  })
  const ordered = inReadingOrder(rules)
  if (ordered !== null) return ordered
  throw faultAt(source, 'rules', 'rules must not read each other in a circle')
}

function readDocument(source: PlacedObject, place: string, sent: object, isEvent: (signal: string) => boolean): PolicyDocument {
  const refusal = firstRefusal(DocumentShape, sent)
  if (refusal !== null) throw faultAt(source, `${place}.${refusal.field}`, refusal.message)
  try {
    return policyObject(readPolicy(sent as DocumentShape, isEvent))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // The API's message about a fault starts with the path of the faulty member, such as `inputs[0].match is for …`.
    const [, at = '', fault = error.details] = /^(\S+) (.*)$/s.exec(error.details) ?? []
    const inside = at === 'document' ? '' : `.${at.replaceAll('[', '.').replaceAll(']', '')}`
    throw faultAt(source, `${place}${inside}`, fault)
  }
}

/** Returns the rules in reading order: a rule follows the rules that it reads. Null: some rules read each other in a circle. */
export function inReadingOrder(rules: readonly SubjectRule[]): SubjectRule[] | null {
  const known = new Set(rules.map(({ key }) => key))
  const placed = new Set<string>()
  const ordered: SubjectRule[] = []
  while (ordered.length < rules.length) {
    const next = rules.filter(rule => !placed.has(rule.key) && citedRules(rule).every(key => placed.has(key) || !known.has(key)))
    if (next.length === 0) return null
    for (const rule of next) placed.add(rule.key)
    ordered.push(...next)
  }
  return ordered
}

const citedRules = ({ document }: SubjectRule): string[] => document.inputs.flatMap(({ from }) => from ?? [])
