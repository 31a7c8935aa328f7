// Cause of an incident, from the evidence of its judgements. Pure.
import type { IncidentCause, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { inputsOf } from '#shared/contracts/subjects/policy.ts'
import type { RuleState } from '#shared/contracts/subjects/subject.ts'
import type { Evidence, EvidenceInput, Verdict } from '#shared/contracts/subjects/verdict.ts'

type Judged = { verdict: Verdict; explanation: string; evidence: Evidence }
type NamedCause = IncidentCause & { input: string }

/**
 * Returns the cause after a judgement of the rule. `rule.verdict` and `rule.incident` are those from before the judgement; `rules` are all
 * rules of the subject, because a rule of generation 2 may read another rule. Returns the known cause itself if it stays.
 */
export function causeAfter(rules: readonly RuleState[], rule: RuleState, judged: Judged): IncidentCause | null {
  const before = rule.verdict?.evidence.inputs ?? []
  return nextCause(knownOf(rule), namedIn(rules, rule, judged.evidence.inputs, new Set()), before, judged)
}

/** Returns the known cause. An incident that opened before causes were stored has the one that the last judgement names. */
function knownOf({ incident, verdict, policy }: RuleState): IncidentCause | null {
  if (incident === null || incident.cause !== undefined) return incident?.cause ?? null
  return verdict && causeOf(verdict, policy.language === 'reachability')
}

/** Returns the cause that the evidence of one judgement alone names; null: the judgement found nothing wrong. */
export const causeOf = (judged: Judged, isLocation: boolean): IncidentCause | null =>
  nextCause(
    null,
    judged.evidence.inputs.flatMap(input => named(input, isLocation)),
    [],
    judged,
  )

/**
 * Returns the cause of a stored incident. If the incident was stored before causes were, derives it from the last evidence. Null: the
 * incident has recovered since, or nothing named a cause.
 */
export function storedCause(
  { cause, condition, explanation, evidence }: IncidentDocument,
  isLocation: boolean,
): IncidentCause | null {
  return cause === undefined ? causeOf({ verdict: condition, explanation, evidence }, isLocation) : cause
}

function nextCause(
  known: IncidentCause | null,
  wrong: readonly NamedCause[],
  before: readonly EvidenceInput[],
  { verdict, explanation, evidence }: Judged,
): IncidentCause | null {
  if (verdict !== 'problem' && verdict !== 'no_data') return known
  const failing = verdict === 'problem' ? wrong.filter(one => !one.isSilence) : []
  if (failing.length > 0) {
    const appeared = failing.filter(one => !before.some(input => isSame(input, one)))
    return newest(appeared) ?? stillThere(known, failing) ?? newest(failing)
  }
  const isNoData = verdict === 'no_data'
  if (known !== null && !known.isSilence && (isNoData || known.input !== null)) return known
  const silent = wrong.filter(one => one.isSilence)
  if (silent.length > 0 && (isNoData || silent.length === evidence.inputs.length))
    return stillThere(known, silent) ?? newest(silent)
  if (known !== null && known.isSilence === isNoData && (isNoData || known.reason === explanation)) return known
  return { input: null, isLocation: false, reason: explanation, at: null, isSilence: isNoData }
}

const isSame = ({ input, reason, value }: EvidenceInput, one: NamedCause): boolean =>
  value === 'problem' && input === one.input && reason === one.reason

const stillThere = (known: IncidentCause | null, all: readonly NamedCause[]): IncidentCause | null =>
  known !== null && all.some(({ input, reason }) => input === known.input && reason === known.reason) ? known : null

/** Returns the one with the newest report; the first of several. */
const newest = (all: readonly NamedCause[]): NamedCause | null =>
  all.reduce<NamedCause | null>((best, one) => (best === null || (one.at ?? 0) > (best.at ?? 0) ? one : best), null)

function named({ input, value, reason, at }: EvidenceInput, isLocation: boolean): NamedCause[] {
  return value === 'ok' || reason === null ? [] : [{ input, isLocation, reason, at, isSilence: value === 'unknown' }]
}

/** Returns the inputs that fail or are silent. In the place of a cited rule, returns those of the cited rule's last judgement. */
function namedIn(
  rules: readonly RuleState[],
  rule: RuleState,
  inputs: readonly EvidenceInput[],
  seen: Set<string>,
): NamedCause[] {
  seen.add(rule.slug)
  const isLocation = rule.policy.language === 'reachability'
  const sources = inputsOf(rule.policy)
  return inputs.flatMap((input, i) => {
    const from = sources[i]?.from ?? null
    const cited = from === null ? undefined : rules.find(({ slug }) => slug === from)
    if (cited === undefined || input.value === 'ok' || seen.has(cited.slug)) return named(input, isLocation)
    const below = namedIn(rules, cited, cited.verdict?.evidence.inputs ?? [], seen)
    const fitting = below.filter(({ isSilence }) => isSilence === (input.value === 'unknown'))
    return fitting.length > 0 ? fitting : named(input, isLocation)
  })
}
