// A Template in the form of generation 3. No member is omitted, even if it is null. Reference: docs/reference/v3.md, 3.6.
import { Type } from 'typebox'
import { allSystemTemplates } from '#shared/checks/registry.ts'
import type {
  MetaReference,
  SystemRule,
  SystemTemplate,
  Template,
  TemplateField,
  TemplateRule,
} from '#shared/contracts/resources/template.ts'
import { signalsOf } from '#shared/manifest/read-decision.ts'
import { redactedAnswer } from '#shared/secrecy/redacted-answers.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { Answered, OrNull } from '../../body/result-schema.ts'

const Wait = Type.Union([Type.Integer(), Type.Object({ meta: Type.String() })])

/** Returns the Template. `isRedacted`: whether the caller sees its defaults and texts in display form (v3 11.2). */
export function templateObject(template: Template | SystemTemplate, isRedacted: boolean) {
  const { key, version, name, summary, fields, signals, rules } = template
  const isSystem = rules.some(rule => rule.decision === null)
  const shown = isRedacted ? redactedText : same
  return {
    id: `${key}@${version}`,
    key,
    version,
    name,
    summary: shown(summary),
    fields: fields.map(field => fieldObject(field, isRedacted)),
    signals: signals.map(({ key, kind, everySeconds, help }) => ({
      key,
      kind,
      every_seconds: everySeconds,
      help: shown(help),
      states: isSystem ? ['ok', 'problem'] : ['ok', 'problem', 'no_data'],
    })),
    rules: rules.map(rule => ruleObject(rule, template, shown)),
  }
}

const same = (text: string): string => text

function fieldObject(field: TemplateField, isRedacted: boolean) {
  const { key, label, help, type, required, options, min, max } = field
  const usual = isRedacted ? redactedAnswer(field, field.default) : field.default
  return { key, label, help: isRedacted ? redactedText(help) : help, type, required, default: usual, options, min, max }
}

function ruleObject(rule: TemplateRule | SystemRule, { signals }: Template | SystemTemplate, shown: (text: string) => string) {
  const { key, help, action, wait, decision, destination, routes } = rule
  return {
    key,
    signals: decision === null ? signals.map(signal => signal.key) : signalsOf(decision),
    help: shown(help),
    action: action === null ? null : shown(action),
    wait: { confirm_after: seconds(wait.confirmAfter), recover_after: seconds(wait.recoverAfter), ...flappingOf(wait) },
    decision,
    destination,
    routes,
  }
}

const seconds = (wait: number | MetaReference) => (typeof wait === 'number' ? wait : { meta: wait.meta })

/** Only a rule that counts changes has the member `flapping`. */
const flappingOf = ({ flapping }: TemplateRule['wait']) =>
  flapping === undefined ? {} : { flapping: { changes: flapping.changes, within_seconds: flapping.withinSeconds } }

export const TemplateObject = Answered(
  'Template',
  {
    id: Type.String({ description: 'key@version' }),
    key: Type.String(),
    version: Type.Integer(),
    name: Type.String(),
    summary: Type.String(),
    fields: Type.Array(
      Type.Object({
        key: Type.String(),
        label: Type.String(),
        help: Type.String(),
        type: Type.String(),
        required: Type.Boolean(),
        default: Type.Unknown(),
        options: Type.Array(Type.String()),
        min: OrNull(Type.Number()),
        max: OrNull(Type.Number()),
      }),
    ),
    signals: Type.Array(
      Type.Object({
        key: Type.String(),
        kind: Type.Enum(['heartbeat', 'periodic', 'event']),
        every_seconds: OrNull(Type.Integer()),
        help: Type.String(),
        states: Type.Array(Type.Enum(['ok', 'problem', 'no_data'])),
      }),
    ),
    rules: Type.Array(
      Type.Object({
        key: Type.String(),
        signals: Type.Array(Type.String()),
        help: Type.String(),
        action: OrNull(Type.String()),
        wait: Type.Object({
          confirm_after: Wait,
          recover_after: Wait,
          flapping: Type.Optional(Type.Object({ changes: Type.Integer(), within_seconds: Type.Integer() })),
        }),
        decision: Type.Unknown({ description: 'As it was published; null of a system Template.' }),
        destination: OrNull(Type.String()),
        routes: OrNull(Type.Array(Type.Object({ destination: Type.String(), on: Type.Array(Type.String()) }))),
      }),
    ),
  },
  {
    examples: allSystemTemplates().map(template => templateObject(template, false)),
  },
)
