// How each kind of check is made. What the kinds are is in shared/checks. A process may add kinds at its start, before its first check.
import type { Abilities } from '#shared/checks/abilities.ts'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { dns } from '#shared/checks/dns/dns.ts'
import { http } from '#shared/checks/http/http.ts'
import { icmp } from '#shared/checks/icmp/icmp.ts'
import { findKind } from '#shared/checks/registry.ts'
import { tcp } from '#shared/checks/tcp/tcp.ts'
import { tls } from '#shared/checks/tls/tls.ts'
import { website } from '#shared/checks/website/website.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import { holdsSealed } from '#shared/secrecy/sealed-form.ts'
import { type CheckContext, type Checker, type CheckOutcome, noPhases, type RunningCheck } from './checker.ts'
import { checkDns } from './dns/dns.ts'
import { checkHttp, checkWebsite } from './http/http.ts'
import { whyNoPings } from './icmp/ability.ts'
import { checkPing } from './icmp/icmp.ts'
import { checkTcp } from './tcp/tcp.ts'
import { checkTls } from './tls/tls.ts'

/** Every kind is a line here. */
const checkers = new Map<string, Checker>([
  [website.key, checkWebsite],
  [http.key, checkHttp],
  [tls.key, checkTls],
  [tcp.key, checkTcp],
  [dns.key, checkDns],
  [icmp.key, checkPing],
])

/** Why this process cannot make checks of a kind, a sentence; null: it can. Kinds that need no right of the system are not here. */
const inabilities: ReadonlyMap<string, () => string | null> = new Map([[icmp.key, () => whyNoPings()]])

/** Returns the kinds of checks that this process knows, as its presence says it. */
export const findAbilities = (): Abilities =>
  Object.fromEntries([...checkers.keys()].map(kind => [kind, inabilities.get(kind)?.() ?? null]))

/** Adds how a kind is checked, and returns a function that takes it away again. */
export function addChecker(kind: string, checker: Checker): () => void {
  checkers.set(kind, checker)
  return () => void checkers.delete(kind)
}

/** Whether this prober knows the kind of the entry, and the entry has what the kind needs. */
export function isKnownEntry(entry: CheckEntry): boolean {
  const kind = findKind(entry)
  return kind !== null && checkers.has(kind.key) && kind.isEntry(entry)
}

/** Returns a check of a known entry. */
export function checkOf(entry: CheckEntry, context: CheckContext, done: (outcome: CheckOutcome) => void): RunningCheck {
  const kind = findKind(entry)
  const checker = kind && checkers.get(kind.key)
  if (!checker) throw new Error(`this prober knows no kind of check ${entry.kind}`)
  const unable = (sentence: string) => ({ start: () => done(unableOutcome(sentence)), abandon: () => undefined })
  if (entry.kind !== undefined && holdsSealed(entry)) return unable('a secret of this check can not be opened here')
  const unknown = unknownOption(entry, kind)
  if (unknown !== undefined) return unable(`this prober is older than the option ${unknown} of this check`)
  return checker(entry, context, done)
}

/** Returns an option that a keeper of a newer version has written: without it the check would pass where it must not. */
function unknownOption(entry: CheckEntry, { fields }: CheckKind): string | undefined {
  const { options } = entry as { options?: unknown }
  if (typeof options !== 'object' || options === null) return undefined
  return Object.keys(options).find(key => !fields.some(field => field.key === key))
}

/** Whether failed checks of the entry carry what the server answered. */
export const keepsAnswers = (entry: CheckEntry): boolean => findKind(entry)?.keepsAnswers === true

const unableOutcome = (error: string): CheckOutcome => ({
  ...{ ok: false, cannot: true, error, statusCode: null, value: null },
  phases: noPhases,
})
