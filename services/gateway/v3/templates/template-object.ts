// A Template in the form of generation 3. No member is omitted, even if it is null. Reference: docs/reference/v3.md, 3.6.
import { Type } from 'typebox'
import { firstRuns, type SignalSchedule, scheduleKind } from '#shared/contracts/resources/schedule.ts'
import {
  type AnyTemplate,
  type BuiltInRule,
  checkKind,
  type MetaReference,
  signalKinds,
  type TemplateField,
  type TemplateRule,
  type TemplateSignal,
} from '#shared/contracts/resources/template.ts'
import { signalsOf } from '#shared/manifest/read-decision.ts'
import { allSystemTemplates, isBuiltIn } from '#shared/manifest/system-templates.ts'
import { redactedAnswer } from '#shared/secrecy/redacted-answers.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { Answered, OrNull } from '../../body/result-schema.ts'
import { RuleRoute, ruleRoute } from './route-of-rule.ts'

const Reference = Type.Object({ meta: Type.String() })
const Wait = Type.Union([Type.Integer(), Reference])

/** Returns the Template. `isRedacted`: whether the caller sees its defaults and texts in display form (v3 11.2). */
export function templateObject(template: AnyTemplate, isRedacted: boolean) {
  const { key, version, name, summary, fields, signals, rules } = template
  const shown = isRedacted ? redactedText : same
  return {
    id: `${key}@${version}`,
    key,
    version,
    name,
    summary: shown(summary),
    fields: fields.map(field => fieldObject(field, isRedacted)),
    signals: signals.map(signal => signalObject(signal, isBuiltIn(template), shown)),
    rules: rules.map(rule => ruleObject(rule, template, shown)),
    // The one with a built-in rule is older than this member.
    ...(template.isSystem && !isBuiltIn(template) ? { system: true as const } : {}),
  }
}

const same = (text: string): string => text

/** A check has the members of its publication beside those of every signal. `every` is there if a field states the seconds. */
function signalObject(signal: TemplateSignal, isOfPlatform: boolean, shown: (text: string) => string) {
  const { key, kind, everySeconds, help } = signal
  const every = typeof everySeconds === 'number' ? everySeconds : null
  const states = isOfPlatform || kind === checkKind ? ['ok', 'problem'] : ['ok', 'problem', 'no_data']
  const object = { key, kind, every_seconds: every, help: shown(help), states }
  if (signal.kind === scheduleKind) return { ...object, schedule: scheduleObject(signal.schedule) }
  if (signal.kind !== checkKind) return object
  const { check, locations, agreement } = signal
  const options = Object.entries(check).map(([name, option]) => [name, typeof option === 'string' ? shown(option) : option])
  return {
    ...object,
    ...(typeof everySeconds === 'object' && everySeconds !== null ? { every: everySeconds } : {}),
    ...{ check: Object.fromEntries(options), locations, agreement },
  }
}

const scheduleObject = ({ periodSeconds, cron, zone, graceSeconds, first }: SignalSchedule) => ({
  ...{ period_seconds: periodSeconds, cron, zone, grace_seconds: graceSeconds, first },
})

function fieldObject(field: TemplateField, isRedacted: boolean) {
  const { key, label, help, type, required, options, min, max } = field
  const usual = isRedacted ? redactedAnswer(field, field.default) : field.default
  return { key, label, help: isRedacted ? redactedText(help) : help, type, required, default: usual, options, min, max }
}

function ruleObject(rule: TemplateRule | BuiltInRule, { signals }: AnyTemplate, shown: (text: string) => string) {
  const { key, help, action, wait, decision, unknown, destination, routes } = rule
  return {
    key,
    signals: decision === null ? signals.map(signal => signal.key) : signalsOf(decision),
    help: shown(help),
    action: action === null ? null : shown(action),
    wait: { confirm_after: seconds(wait.confirmAfter), recover_after: seconds(wait.recoverAfter), ...flappingOf(wait) },
    decision,
    ...(unknown === undefined ? {} : { unknown }),
    destination,
    routes: routes === null ? null : routes.map(ruleRoute),
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
        kind: Type.Enum([...signalKinds]),
        every_seconds: OrNull(Type.Integer({ description: 'Null of an event, and of a check whose seconds a field states.' })),
        help: Type.String(),
        states: Type.Array(Type.Enum(['ok', 'problem', 'no_data'])),
        every: Type.Optional(Type.Object({ meta: Type.String() }, { description: 'The field that states the seconds.' })),
        check: Type.Optional(
          Type.Object(
            { type: Type.String() },
            { additionalProperties: true, description: 'Of a check: its type and its options.' },
          ),
        ),
        schedule: Type.Optional(
          Type.Object(
            {
              period_seconds: OrNull(Type.Union([Type.Integer(), Reference])),
              cron: OrNull(Type.Union([Type.String(), Reference])),
              zone: OrNull(Type.Union([Type.String(), Reference])),
              grace_seconds: Type.Union([Type.Integer(), Reference]),
              first: Type.Union([Type.Enum([...firstRuns]), Reference]),
            },
            { description: 'Of a scheduled signal: when its runs are expected.' },
          ),
        ),
        locations: Type.Optional(Type.Object({ meta: Type.String() })),
        agreement: Type.Optional(Type.Union([Type.String(), Type.Object({ meta: Type.String() })])),
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
        decision: Type.Unknown({ description: 'As it was published; null of a built-in rule.' }),
        unknown: Type.Optional(Type.Literal('no_data', { description: 'Only of a rule whose unknown result is no data.' })),
        destination: OrNull(Type.String()),
        routes: OrNull(Type.Array(RuleRoute)),
      }),
    ),
    system: Type.Optional(Type.Literal(true, { description: 'Only of a system Template whose rules are no built-in ones.' })),
  },
  {
    examples: allSystemTemplates().map(template => templateObject(template, false)),
  },
)
