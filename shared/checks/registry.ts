// The kinds of checks. A process may add kinds at its start, before it serves anything.
import { numbered } from '#shared/contracts/form.ts'
import { type CheckEntry, checkEntryForm } from '#shared/contracts/observations/check.ts'
import { intervalMs, type StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { CheckField } from './check-field.ts'
import type { CheckKind } from './check-kind.ts'
import { dns } from './dns/dns.ts'
import { http } from './http/http.ts'
import { icmp } from './icmp/icmp.ts'
import { tcp } from './tcp/tcp.ts'
import { tls } from './tls/tls.ts'
import { website } from './website/website.ts'

/** Every kind is a line here. The first one is the kind of the checks that name none. */
const own: readonly [CheckKind, ...CheckKind[]] = [website, http, tls, tcp, dns, icmp]
const [unnamed] = own

const kinds = new Map<string, CheckKind>()
/** Adds a kind, and returns a function that takes it away again, for tests that share the process with others. */
export function addCheckKind(kind: CheckKind): () => void {
  kinds.set(kind.key, kind)
  return () => void kinds.delete(kind.key)
}

/** In the order in which they were added. */
export const checkKinds = (): CheckKind[] => [...kinds.values()]

/** Kinds that new monitors may have, in the same order. */
export const offeredKinds = (): CheckKind[] => checkKinds().filter(({ isSuperseded }) => !isSuperseded)

/** Returns the kind of this key if new monitors may have it; null: there is none. */
export const findOffered = (key: string): CheckKind | null => offeredKinds().find(kind => kind.key === key) ?? null

/** Returns the kind that a stored check or a check entry names; null: this program does not know it. */
export const findKind = ({ kind }: { kind?: string | undefined }): CheckKind | null =>
  kind === undefined ? unnamed : (kinds.get(kind) ?? null)

/** Returns the kind of a stored check. Throws for a kind that this program does not know. */
export function kindOf(check: StoredCheck): CheckKind {
  const found = findKind(check)
  if (found === null) throw new Error(`this program knows no kind of check ${check.kind}: a newer one wrote it`)
  return found
}

/** Returns the member of a stored check that names its kind. */
export const kindMember = (kind: CheckKind): { kind?: string } => (kind === unnamed ? {} : { kind: kind.key })

/** Whether every prober makes checks of the kind with this word, also one that is older than kinds of checks. */
export const isOfEveryProber = (key: string): boolean => key === unnamed.key

/** Fields that all Templates of the kind have. */
export const fieldsOf = ({ fields, watch }: CheckKind): readonly CheckField[] => [...fields, ...watch]

/** Returns the check of a monitor as its entry for probers. */
export const entryOf = (check: StoredCheck, rev: number): CheckEntry =>
  numbered(checkEntryForm, { rev, ...kindOf(check).entry(check), intervalMs: intervalMs(check) })

for (const kind of own) addCheckKind(kind)
