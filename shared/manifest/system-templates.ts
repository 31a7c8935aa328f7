// System Templates: those of the kinds of checks and those of senders, read as published manifests are. Reference: docs/reference/v3.md, 3.2 and 3.23.

import { checkAnswers, type UsualDelays } from '#shared/checks/check-answers.ts'
import type { CheckField } from '#shared/checks/check-field.ts'
import type { CheckKind, CheckTemplate, CheckUpgrade } from '#shared/checks/check-kind.ts'
import { checkKinds, fieldsOf } from '#shared/checks/registry.ts'
import { availability, reachability } from '#shared/checks/template-parts.ts'
import { confirmAfter, intervalSeconds, recoverAfter } from '#shared/checks/watch-fields.ts'
import type { AnyTemplate, BuiltInTemplate, Template, TemplateField } from '#shared/contracts/resources/template.ts'
import { intervalMs, type StoredCheck } from '#shared/contracts/subjects/check.ts'
import { second } from '#shared/limits/limits.ts'
import { heartbeatTemplate } from '#shared/schedule/heartbeat-check.ts'
import { readParts } from './read-manifest.ts'

interface OfSystem {
  template: AnyTemplate
  /** Null: it watches what senders report. */
  kind: CheckKind | null
  upgrade: CheckUpgrade | undefined
  fields: readonly CheckField[]
}

const known = new Map<CheckKind, readonly OfSystem[]>()
/** Every system Template that no kind of check brings is a line here. */
const ofSenders = [heartbeatTemplate]

/** In the order of the kinds, those of senders last; the versions of a key ascending. Throws ManifestRefusal for a Template that could not be published. */
export const allSystemTemplates = (): AnyTemplate[] => all().map(({ template }) => template)

const all = (): OfSystem[] => {
  readOfSenders ??= ofSenders.map(stated => readSystem(null, stated))
  return [...checkKinds().flatMap(ofKind), ...readOfSenders]
}

let readOfSenders: readonly OfSystem[] | null = null

function ofKind(kind: CheckKind): readonly OfSystem[] {
  const read = known.get(kind) ?? kind.templates.map(stated => readSystem(kind, stated))
  known.set(kind, read)
  return read
}

function readSystem(
  kind: CheckKind | null,
  { key, version, name, summary, fields: own = [], parts, upgrade }: CheckTemplate,
): OfSystem {
  const fields = [...(kind === null ? [] : fieldsOf(kind)), ...own]
  const base = { key, version, name, summary, fields: fields.map(templateField), isSystem: true as const }
  return { template: { ...base, ...(parts === undefined ? builtIn : readParts(parts, base.fields)) }, kind, fields, upgrade }
}

/** Returns the system Template of a reference: `key@version`, or a key, which means its highest version. Null: there is none. */
export const findSystemTemplate = (reference: string): AnyTemplate | null => find(reference)?.template ?? null

const find = (reference: string): OfSystem | undefined =>
  all().findLast(({ template: { key, version } }) => key === reference || `${key}@${version}` === reference)

/** Returns the kind of the one check that Resources of this Template, `key@version`, have stored; null: they have none. */
export function kindOfTemplate(reference: string): CheckKind | null {
  const found = find(reference)
  return found !== undefined && isBuiltIn(found.template) ? found.kind : null
}

/**
 * Returns the answers by which a monitor of one Template, `key@version`, goes on as one of another; null: it cannot be bound to that.
 * `delays`: those of the installation, for a monitor that names none, s.
 */
export function upgradedAnswers(
  from: string,
  to: AnyTemplate,
  check: StoredCheck,
  delays: UsualDelays,
): Record<string, unknown> | null {
  const { upgrade } = (to.isSystem && find(`${to.key}@${to.version}`)) || {}
  if (upgrade?.from !== from) return null
  const { locations: places, failure_mode, confirm_after, recover_after } = checkAnswers(check, delays)
  const everySeconds = { [intervalSeconds.key]: intervalMs(check) / second }
  return { ...upgrade.answers(check), locations: places, failure_mode, confirm_after, recover_after, ...everySeconds }
}

/** Whether the built-in rule judges Resources of the Template by their stored check. */
export const isBuiltIn = (template: AnyTemplate): template is BuiltInTemplate =>
  template.rules.some(({ decision }) => decision === null)

/** Returns the field of a system Template, with all its bounds; null: the Template has no such field, or is none of the system. */
export function checkFieldOf(
  { key, version, isSystem }: Pick<Template, 'key' | 'version' | 'isSystem'>,
  field: string,
): CheckField | null {
  const fields = isSystem ? find(`${key}@${version}`)?.fields : undefined
  return fields?.find(one => one.key === field) ?? null
}

/** Whether a system Template has the key. A workspace may have its own under it. */
export const isSystemKey = (key: string): boolean => systemKeys().has(key)

export const systemKeys = (): ReadonlySet<string> => new Set(all().map(({ template }) => template.key))

const builtIn: Pick<BuiltInTemplate, 'signals' | 'rules'> = {
  signals: [
    { key: reachability, kind: 'heartbeat', everySeconds: null, help: 'One for each location: reachability@<location id>.' },
  ],
  rules: [
    {
      key: availability,
      action: null,
      help: 'Judged by failure_mode over all locations; no report from half of them is no data.',
      wait: { confirmAfter: { meta: confirmAfter.key }, recoverAfter: { meta: recoverAfter.key } },
      decision: null,
      destination: null,
      routes: null,
    },
  ],
}

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
  // A secret has none, as in published Templates.
  default: type === 'secret' ? null : (usual as TemplateField['default']),
  options: [...options],
  min,
  max,
  secret,
})

// A Template that cannot be read stops the start.
all()
