// The reason of a verdict in words for people: silence with its start and the expected interval, the failing reading, else the explanation
// of the rule. Pure.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { duration, sentence } from '../data/format.ts'
import { plainWords, silentSince, utcTime } from './silence.ts'

type Rule = MonitorDetail['rules'][number]
type Evidence = NonNullable<Rule['evidence']>

/** Facts about the signals of a monitor. */
export interface Known {
  /** How often a signal is expected to report, s, by signal; null or absent: nobody knows. */
  expects: Readonly<Record<string, number | null>>
  /** Name of a signal for people: for a check the name of its location. */
  nameOf(signal: string): string
  /** ms */
  now: number
}

/** Returns the instants of the last reports of the signals that are silent, ms, by signal. */
export function silentSignals(rules: readonly Pick<Rule, 'evidence'>[]): Map<string, number> {
  const silent = new Map<string, number>()
  for (const { evidence } of rules)
    for (const { signal, unresolved } of inputsOf(evidence)) {
      const since = silentSince(unresolved)
      if (since !== null) silent.set(signal, since)
    }
  return silent
}

/** Returns the sentence about a rule's verdict; null: the rule was not judged yet. */
export function ruleWords({ verdict, explanation, evidence }: Pick<Rule, 'verdict' | 'explanation' | 'evidence'>, known: Known) {
  if (explanation === null) return null
  const inputs = inputsOf(evidence)
  const unread = inputs.filter(({ unresolved }) => unresolved !== null)
  const isOne = inputs.length === 1
  const isQuiet = unread.length === inputs.length || verdict === 'no_data' || verdict === 'not_judged'
  if (unread.length > 0 && isQuiet) return unread.map(input => sentence(unreadWords(input, isOne, known))).join(' ')
  // The one with the newest reading, as an incident's cause is chosen.
  const [failing] = inputs
    .filter(({ status, reason }) => status === 'problem' && reason !== null)
    .sort((one, other) => other.at - one.at)
  if (verdict !== 'problem' || failing === undefined) return sentence(plainWords(explanation, known.now))
  const first = sentence(`${failing.reason} (${known.nameOf(failing.signal)})`)
  return isOne ? first : `${first} ${sentence(plainWords(explanation, known.now))}`
}

/**
 * Returns the sentences about the open incident of a rule, its cause first. While the rule is ok again, they say what was wrong. For a
 * silence, they also say when a report was expected.
 */
export function incidentWords(rule: Pick<Rule, 'verdict' | 'explanation' | 'evidence' | 'incident'>, known: Known) {
  const cause = rule.incident?.cause ?? null
  const words = ruleWords(rule, known)
  if (cause === null) return words
  const said = plainWords(cause, known.now)
  if (rule.verdict === 'ok') return sentence(`Was: ${said}`)
  const inputs = inputsOf(rule.evidence)
  const isUnread = ({ unresolved }: Input) => unresolved !== null && cause.startsWith(unresolved)
  if (words !== null && (silentSince(cause) !== null || inputs.some(isUnread))) return words
  const explained = rule.verdict === 'problem' ? sentence(plainWords(rule.explanation ?? '', known.now)) : words
  const isAllSaid = explained === sentence(said) || (rule.verdict === 'problem' && inputs.length === 1)
  return isAllSaid || explained === null ? sentence(said) : `${sentence(said)} ${explained}`
}

interface Input {
  signal: string
  /** Instant of its reading, ms; 0: it has none. */
  at: number
  status: string | null
  unresolved: string | null
  reason: string | null
}

function inputsOf(evidence: Evidence | null): Input[] {
  const inputs = (evidence?.['inputs'] ?? []) as Readonly<Record<string, unknown>>[]
  const textIn = (value: unknown) => (typeof value === 'string' ? value : null)
  return inputs.map(({ signal, at, status, unresolved, reason }) => ({
    signal: String(signal),
    at: Date.parse(String(at)) || 0,
    status: textIn(status),
    unresolved: textIn(unresolved),
    reason: textIn(reason),
  }))
}

function unreadWords({ signal, unresolved }: Input, isOne: boolean, { expects, nameOf, now }: Known): string {
  const name = nameOf(signal)
  const of = isOne ? '' : ` of ${name}`
  const since = silentSince(unresolved)
  if (since !== null) {
    const every = expects[signal] ?? null
    return `No report${of} since ${utcTime(since, now)}${every === null ? '' : `, expected every ${duration(every * 1_000)}`}`
  }
  if (unresolved === 'never reported') return isOne ? 'Waiting for its first report' : `${name} waits for its first report`
  return `${name}: ${unresolved}`
}
