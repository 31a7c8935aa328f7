// Rules of a custom subject of generation 2: read as the API reads them, and written as it answers them, so that both compare. Pure.
import { AppError } from '#shared/errors.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { DocumentShape, readPolicy } from '../../services/gateway/v2/subjects/policy-document.ts'
import { policyObject } from '../../services/gateway/v2/subjects/policy-object.ts'
import { faultAt, type Placed } from './document.ts'

export interface SubjectRule {
  key: string
  name: string
  /** As the API answers it: durations normalised, defaults written out, unset members absent. */
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

/** In an order in which each comes behind those that it reads. Throws FileFault: a wrong document, or rules that read each other in a circle. */
export function readRules(
  source: Placed,
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

function readDocument(source: Placed, place: string, sent: object, isEvent: (signal: string) => boolean): PolicyDocument {
  const refusal = firstRefusal(DocumentShape, sent)
  if (refusal !== null) throw faultAt(source, `${place}.${refusal.field}`, refusal.message)
  try {
    return policyObject(readPolicy(sent as DocumentShape, isEvent))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // The API's own place comes first in its sentence: `inputs[0].match is for …`.
    const [, at = '', fault = error.details] = /^(\S+) (.*)$/s.exec(error.details) ?? []
    const inside = at === 'document' ? '' : `.${at.replaceAll('[', '.').replaceAll(']', '')}`
    throw faultAt(source, `${place}${inside}`, fault)
  }
}

/** Each rule behind those that it reads; null: some read each other in a circle. */
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
