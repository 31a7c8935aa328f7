// The kinds of checks, and the system Templates that follow from them. A process may add kinds at its start, before it serves anything.
import { numbered } from '#shared/contracts/form.ts'
import { type CheckEntry, checkEntryForm } from '#shared/contracts/observations/check.ts'
import type { SystemTemplate, TemplateField } from '#shared/contracts/resources/template.ts'
import { intervalMs, type StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { CheckField } from './check-field.ts'
import type { CheckKind } from './check-kind.ts'
import { dns } from './dns/dns.ts'
import { http } from './http/http.ts'
import { icmp } from './icmp/icmp.ts'
import { tcp } from './tcp/tcp.ts'
import { tls } from './tls/tls.ts'
import { confirmAfter, recoverAfter } from './watch-fields.ts'
import { website } from './website/website.ts'

/** Every kind is a line here. The first one is the kind of the checks that name none. */
const own: readonly [CheckKind, ...CheckKind[]] = [website, http, tls, tcp, dns, icmp]
const [unnamed] = own

const kinds = new Map<string, CheckKind>()
/** By reference, `key@version`. */
const templates = new Map<string, { template: SystemTemplate; kind: CheckKind }>()

/** Adds a kind, and returns a function that takes it away again, for tests that share the process with others. */
export function addCheckKind(kind: CheckKind): () => void {
  const references = kind.templates.map(({ key, version }) => `${key}@${version}`)
  kinds.set(kind.key, kind)
  for (const [i, stated] of kind.templates.entries()) {
    templates.set(references[i] as string, { template: { ...stated, ...declaredBy(fieldsOf(kind)) }, kind })
  }
  return () => {
    kinds.delete(kind.key)
    for (const reference of references) templates.delete(reference)
  }
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

/** Fields of the Templates with a check of this kind. */
export const fieldsOf = ({ fields, watch }: CheckKind): readonly CheckField[] => [...fields, ...watch]

/** Returns the check of a monitor as its entry for probers. */
export const entryOf = (check: StoredCheck, rev: number): CheckEntry =>
  numbered(checkEntryForm, { rev, ...kindOf(check).entry(check), intervalMs: intervalMs(check) })

/** Returns the system Template of a reference: `key@version`, or a key, which means its highest version. Null: there is none. */
export function findSystemTemplate(reference: string): SystemTemplate | null {
  if (reference.includes('@')) return templates.get(reference)?.template ?? null
  return allSystemTemplates().findLast(({ key }) => key === reference) ?? null
}

/** Returns the kind of check that the Template of this reference, `key@version`, makes; null: it is no system Template. */
export const kindOfTemplate = (reference: string): CheckKind | null => templates.get(reference)?.kind ?? null

/** Returns the field of a system Template; null: the Template has no such field, or is none of the system. */
export function checkFieldOf(templateKey: string, field: string): CheckField | null {
  const found = findSystemTemplate(templateKey)
  const kind = found && kindOfTemplate(`${found.key}@${found.version}`)
  return (kind && fieldsOf(kind).find(({ key }) => key === field)) ?? null
}

export const isSystemKey = (key: string): boolean => systemKeys().has(key)

export const systemKeys = (): ReadonlySet<string> => new Set(allSystemTemplates().map(({ key }) => key))

/** In the order in which they were added, the versions of a key ascending. */
export const allSystemTemplates = (): SystemTemplate[] => [...templates.values()].map(({ template }) => template)

const declaredBy = (fields: readonly CheckField[]): Pick<SystemTemplate, 'fields' | 'signals' | 'rules'> => ({
  fields: fields.map(templateField),
  signals: [
    { key: 'reachability', kind: 'heartbeat', everySeconds: null, help: 'One for each location: reachability@<location id>.' },
  ],
  rules: [
    {
      key: 'availability',
      action: null,
      help: 'Judged by failure_mode over all locations; no report from half of them is no data.',
      wait: { confirmAfter: { meta: confirmAfter.key }, recoverAfter: { meta: recoverAfter.key } },
      decision: null,
      destination: null,
      routes: null,
    },
  ],
})

/** Returns what a Template states of a field. */
const templateField = ({
  key,
  label,
  help,
  type,
  required,
  default: usual,
  options,
  min,
  max,
  secret,
}: CheckField): TemplateField => ({
  key,
  label,
  help,
  type,
  required,
  default: usual as TemplateField['default'],
  options: [...options],
  min,
  max,
  secret,
})

for (const kind of own) addCheckKind(kind)
