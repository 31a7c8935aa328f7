// Evidence of a transition in the form of generation 3. The evidence is bounded and contains no credentials. Reference:
// docs/reference/v3.md, 4.10 and 11.2.
import { Type } from 'typebox'
import type { DecisionInput, EvidenceInput, Evidence as RecordedEvidence } from '#shared/contracts/subjects/verdict.ts'
import { limits } from '#shared/limits/limits.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { cut } from '#shared/text/plain-text.ts'
import { timestamp, timestampOfMicroseconds } from '../../body/instants.ts'
import { Answered, Instant, OrNull } from '../../body/result-schema.ts'

const more = {
  counted: Type.Optional(
    Type.Object(
      { matching: Type.Integer(), required: Type.Integer(), within_seconds: Type.Integer() },
      { description: 'Of a comparison that counts.' },
    ),
  ),
  baseline: Type.Optional(
    Type.Object(
      { days: Type.Integer(), required: Type.Integer(), samples: Type.Integer(), median: OrNull(Type.Number()) },
      { description: 'Of a comparison with a baseline.' },
    ),
  ),
}
const Signal = Type.String()

export const Evidence = Answered('Evidence', {
  inputs: Type.Array(
    Type.Union([
      Answered('EvidenceReading', {
        signal: Signal,
        status: Type.Enum(['problem', 'ok']),
        value: Type.Optional(Type.Number()),
        at: OrNull(Instant),
        reason: Type.Optional(Type.String()),
        ...more,
      }),
      Answered('EvidenceUnresolved', { signal: Signal, unresolved: Type.String(), ...more }),
    ]),
    { examples: [[{ signal: 'beat', status: 'problem', at: '2026-01-05T12:02:00.000Z', reason: 'disk full' }]] },
  ),
  omitted: Type.Integer({ minimum: 0, examples: [0] }),
  truncated: Type.Boolean({ examples: [false] }),
})

const { inputs: inputsMost, textCharacters } = limits.notifier.evidence

/** Returns the evidence. `isOfLocations`: the inputs in the evidence are the locations of a website monitor. */
export function evidenceObject({ inputs, omitted, truncated }: RecordedEvidence, isOfLocations: boolean) {
  const kept = inputs.slice(0, inputsMost)
  const isCut = ({ reason }: EvidenceInput) => [...redactedText(reason ?? '')].length > textCharacters
  return {
    inputs: kept.map(input => (input.reading ? readingOf(input.reading) : inputOf(input, isOfLocations ? 'reachability@' : ''))),
    omitted: omitted + inputs.length - kept.length,
    truncated: truncated || kept.length < inputs.length || kept.some(isCut),
  }
}

const plain = (text: string) => cut(redactedText(text), textCharacters)

function readingOf({ signal, status, value, atUs, reason, unresolved, counted, baseline }: DecisionInput) {
  const also = { ...(counted ? { counted } : {}), ...(baseline ? { baseline } : {}) }
  if (status === undefined) return { signal, unresolved: plain(unresolved ?? 'never reported'), ...also }
  return {
    signal,
    status,
    ...(value === undefined ? {} : { value }),
    at: atUs === undefined ? null : timestampOfMicroseconds(atUs),
    ...(reason === undefined ? {} : { reason: plain(reason) }),
    ...also,
  }
}

/** Returns an input of website monitoring or of generation 2. */
function inputOf({ input, value, at, reason }: EvidenceInput, prefix: string) {
  const signal = prefix + input
  if (value === 'unknown')
    return { signal, unresolved: plain((reason ?? 'never reported').replace(/^nothing reported since /, 'silent since ')) }
  return { signal, status: value, at: at === null ? null : timestamp(at), ...(reason === null ? {} : { reason: plain(reason) }) }
}
