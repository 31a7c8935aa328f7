// Converts a rule's document, as clients send it (reference/custom-subjects 3.3), into the stored policy. The subject's keeper checks
// references to other rules and signals. Every refusal names the path of the faulty member, such as `inputs[2].match`.

import { type Static, Type } from 'typebox'
import type { Policy, PolicyInput } from '#shared/contracts/subjects/policy.ts'
import { refusal } from '#shared/errors.ts'
import { day, limits } from '#shared/limits/limits.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import { longestSlug } from '#shared/text/slug.ts'
import { utf8Bytes } from '#shared/text/utf8-bytes.ts'
import { parseDuration } from '#shared/time/durations.ts'
import { Maybe, marks, requireMember } from '../../body/field-values.ts'
import { MatchedLabels } from './labels.ts'

const Duration = Type.String({ description: 'Go style: 90s, 2m, 1h30m; in whole milliseconds, at most 365 days.' })

const wrong = (sentence: string) => (place: string) => ({ message: 'Invalid rule document', details: `${place} ${sentence}` })

/**
 * Mark of members whose valid values depend on other members. Functions below check these members, in the order in which they stand in the
 * document.
 */
const apart = marks({ apart: true })

/** An input. A member with an empty text, an empty object or null counts as unset (reference/custom-subjects 3.5). */
const Input = Type.Object(
  {
    signal: Maybe(Type.String()),
    from: Maybe(Type.String()),
    mode: Maybe(Type.String({ enum: ['status', 'latest_value', ''] })),
    compare: Maybe(Type.String({ enum: ['<', '>', ''] })),
    threshold: Maybe(Type.Number()),
    match: Maybe(MatchedLabels),
    no_data_after: Maybe(Duration),
  },
  apart,
)
type Input = Static<typeof Input>

const needs = ['any', 'majority', 'all', 'at_least'] as const
const noNeed = wrong(`must be one of ${needs.join(', ')}`)

const Decision = Type.Object(
  {
    state: Maybe(Type.String({ enum: ['down'], ...marks({ refusal: wrong('must be down') }) })),
    need: Type.Enum(needs, { type: 'string', ...marks({ missing: noNeed, refusal: noNeed }) }),
    at_least: Maybe(Type.Number({ multipleOf: 1 })),
  },
  marks({ apart: true, missing: place => noNeed(`${place}.need`) }),
)
const Wait = Type.Object({ confirm_after: Maybe(Duration), close_after: Maybe(Duration) }, apart)
const Inputs = Type.Array(Input, {
  maxItems: limits.policy.inputs,
  ...marks({ missing: wrong('is required'), refusal: wrong(`holds at most ${limits.policy.inputs} inputs`) }),
})

/** Schema that checks only JSON types. Unknown fields are refused by the functions below, with their own texts. */
export const DocumentShape = Type.Object(
  { inputs: Inputs, decision: Decision, wait: Maybe(Wait) },
  marks({ apart: true, missing: { message: 'Validation failed', details: "Field 'document' is required" } }),
)
export type DocumentShape = Static<typeof DocumentShape>

/**
 * Returns the policy. `isEvent(signal)`: whether the subject's signal with the slug `signal` reports events. Throws validation: `Invalid
 * input mode` or `Invalid rule document`.
 */
export function readPolicy(document: DocumentShape, isEvent: (signal: string) => boolean): Policy {
  requireKnown(document, DocumentShape.properties, '')
  requireMember(DocumentShape, document, 'inputs')
  const inputs = document.inputs.map((input, i) => readInput(input, `inputs[${i}]`, isEvent))
  requireMember(DocumentShape, document, 'decision')
  const policy = { inputs, ...readDecision(document.decision, inputs.length), ...readWait(document.wait ?? {}) }
  if (utf8Bytes(JSON.stringify(policy)) <= limits.policy.bytes) return policy
  throw invalid('document', `is larger than ${limits.policy.bytes} bytes`)
}

function readInput(sent: Input, path: string, isEvent: (signal: string) => boolean): PolicyInput {
  requireKnown(sent, Input.properties, path)
  const signal = cited(sent.signal)
  const from = cited(sent.from)
  if ((signal === null) === (from === null)) throw invalid(path, 'sets exactly one of signal and from')
  const mode = readMode(sent.mode || null, from !== null, path)
  const noDataAfterMs = readDuration(sent.no_data_after || null, `${path}.no_data_after`)
  return {
    signal,
    from,
    mode,
    ...readComparison(sent, mode, path),
    match: readMatch(sent.match, from !== null, path),
    noDataAfterMs: signal === null || isEvent(signal) ? null : noDataAfterMs || null,
  }
}

/**
 * Cuts a slug in a document to one character more than the longest slug may have. A text that was cut equals no slug, so the keeper refuses
 * it as unknown.
 */
const cited = (slug: string | null | undefined): string | null => firstCharacters(slug ?? '', longestSlug + 1) || null

function readMode(mode: string | null, isFrom: boolean, path: string): PolicyInput['mode'] {
  if (isFrom && mode === null) return null
  if (isFrom) throw invalidMode(path, 'must not be set: the verdict of a rule is read as it is')
  if (mode === 'status' || mode === 'latest_value') return mode
  throw invalidMode(path, 'must be status or latest_value')
}

/**
 * In the mode `latest_value`, `threshold: 0` is a threshold. In other modes, `threshold: 0` counts as unset (reference/custom-subjects
 * 3.5).
 */
function readComparison(
  { compare, threshold }: Input,
  mode: PolicyInput['mode'],
  path: string,
): Pick<PolicyInput, 'compare' | 'threshold'> {
  if (mode !== 'latest_value') {
    if (compare) throw invalid(`${path}.compare`, 'is for mode latest_value alone')
    if (threshold) throw invalid(`${path}.threshold`, 'is for mode latest_value alone')
    return { compare: null, threshold: null }
  }
  if (compare !== '<' && compare !== '>') throw invalid(`${path}.compare`, 'must be < or >')
  if (threshold === null || threshold === undefined) throw invalid(`${path}.threshold`, 'is required by mode latest_value')
  return { compare, threshold }
}

function readMatch(match: Input['match'], isFrom: boolean, path: string): PolicyInput['match'] {
  if (Object.keys(match ?? {}).length === 0) return null
  if (isFrom) throw invalid(`${path}.match`, 'is for signals alone: a rule has no labels')
  requireMember(Input, { match }, 'match', path)
  return match ?? null
}

/** If `need` is not `at_least`, `at_least: 0` counts as unset (reference/custom-subjects 3.5). */
function readDecision(sent: Static<typeof Decision>, n: number): Pick<Policy, 'need' | 'atLeast'> {
  requireKnown(sent, Decision.properties, 'decision')
  requireMember(Decision, sent, 'state', 'decision')
  requireMember(Decision, sent, 'need', 'decision')
  const { need, at_least: atLeast } = sent
  if (need !== 'at_least') {
    if (atLeast) throw invalid('decision.at_least', 'is for need at_least alone')
    return { need, atLeast: null }
  }
  if (typeof atLeast === 'number' && Number.isInteger(atLeast) && atLeast >= 1 && atLeast <= n) return { need, atLeast }
  throw invalid('decision.at_least', 'must be a whole number from 1 to the number of inputs')
}

function readWait(sent: Static<typeof Wait>): Pick<Policy, 'confirmAfterMs' | 'closeAfterMs'> {
  requireKnown(sent, Wait.properties, 'wait')
  return {
    confirmAfterMs: readDuration(sent.confirm_after ?? null, 'wait.confirm_after') ?? limits.policy.holdMs,
    closeAfterMs: readDuration(sent.close_after ?? null, 'wait.close_after') ?? limits.policy.holdMs,
  }
}

function readDuration(text: string | null, path: string): number | null {
  if (text === null) return null
  const ms = parseDuration(text)
  if (ms !== null && ms <= limits.policy.durationMs) return ms
  const days = limits.policy.durationMs / day
  throw invalid(path, `must be a duration such as 2m or 1h30m, in whole milliseconds, of at most ${days} days`)
}

function requireKnown(sent: object, known: object, path: string): void {
  const unknown = Object.keys(sent).find(field => !Object.hasOwn(known, field))
  if (unknown === undefined) return
  throw invalid([...(path === '' ? [] : [path]), firstCharacters(unknown, 64)].join('.'), 'is no field of a rule document')
}

const invalid = (path: string, sentence: string) => refusal('validation', 'Invalid rule document', `${path} ${sentence}`, path)

const invalidMode = (path: string, sentence: string) =>
  refusal('validation', 'Invalid input mode', `${path}.mode ${sentence}`, `${path}.mode`)
