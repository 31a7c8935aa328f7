// Kinds of objects in configuration files, with the members that each kind accepts. The bounds of the members are the same as in the API.
import { type Static, type TObject, Type } from 'typebox'
import { channelTypes } from '#shared/channels/registry.ts'
import { isWebsiteTemplate } from '#shared/checks/website/website-template.ts'
import { Manifest } from '#shared/contracts/resources/template.ts'
import { limits } from '#shared/limits/limits.ts'

/** `plain: 'line'` forbids control characters. With `trimmed`, the length does not count leading and trailing white space. */
const Name = Type.String({ minLength: 1, maxLength: 100, plain: 'line', trimmed: true })
const resourceKey = '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$'
const ResourceKey = Type.String({ pattern: resourceKey })
const subjectKey = '^[\\p{L}\\p{Nd}]+(-[\\p{L}\\p{Nd}]+)*$'
/** Key that generation 2 derives from a subject's name. If another subject has this key, generation 2 adds a suffix. */
const SubjectKey = Type.String({
  pattern: subjectKey,
  maxLength: limits.directory.slugCharacters + 8,
})
/** Key of a monitor. If generation 1 or 2 created the monitor, the key is a slug, which may contain letters of any script. */
const MonitorKey = Type.String({ pattern: `${resourceKey}|${subjectKey}`, maxLength: 128 })
const Anything = Type.Object({}, { additionalProperties: true })
const closed = { additionalProperties: false } as const

export const DestinationFile = Type.Object(
  {
    kind: Type.Literal('Destination'),
    name: Name,
    type: Type.Enum(channelTypes()),
    channel: Type.Optional(Type.String({ maxLength: limits.destination.channelCharacters, plain: 'line' })),
    enabled: Type.Optional(Type.Boolean()),
    send_on_open: Type.Optional(Type.Boolean()),
    default: Type.Optional(Type.Boolean()),
    settings: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  closed,
)

/**
 * A Template. A Template without `version` becomes the next version if its content differs from the highest version. The reader of
 * manifests checks the other members.
 */
export const TemplateFile = Type.Object(
  { kind: Type.Literal('Template'), ...Manifest.properties, version: Type.Optional(Manifest.properties.version) },
  closed,
)

const marks = { meta: Type.Optional(Anything), labels: Type.Optional(Anything) }

export const ResourceFile = Type.Object(
  {
    kind: Type.Literal('Resource'),
    key: ResourceKey,
    name: Name,
    template: Type.String({ minLength: 1, maxLength: 100 }),
    ...marks,
  },
  closed,
)
export const MonitorFile = Type.Object({ kind: Type.Literal('Monitor'), key: MonitorKey, name: Name, ...marks }, closed)

const SignalPart = Type.Object(
  { key: SubjectKey, name: Name, kind: Type.Enum(['heartbeat', 'event']), meta: Type.Optional(Anything) },
  closed,
)
const RulePart = Type.Object({ key: SubjectKey, name: Name, document: Anything }, closed)
export const SubjectFile = Type.Object(
  {
    kind: Type.Literal('Subject'),
    key: SubjectKey,
    name: Name,
    labels: Type.Optional(Anything),
    signals: Type.Optional(Type.Array(SignalPart, { maxItems: 100 })),
    rules: Type.Optional(Type.Array(RulePart, { maxItems: 100 })),
  },
  closed,
)

export const DeliveryTableFile = Type.Object(
  {
    kind: Type.Literal('DeliveryTable'),
    subject: MonitorKey,
    rows: Type.Array(
      Type.Object(
        { destination: Name, on: Type.Array(Type.Enum(['problem', 'no_data', 'recovery']), { minItems: 1, maxItems: 3 }) },
        closed,
      ),
      { minItems: 1, maxItems: limits.destination.perWorkspace },
    ),
  },
  closed,
)

export type DestinationFile = Static<typeof DestinationFile>
export type SubjectFile = Static<typeof SubjectFile>
export type DeliveryTableFile = Static<typeof DeliveryTableFile>

/** Schema of each kind of object. */
export const kinds: Readonly<Record<string, TObject>> = {
  Destination: DestinationFile,
  Template: TemplateFile,
  Resource: ResourceFile,
  Monitor: MonitorFile,
  Subject: SubjectFile,
  DeliveryTable: DeliveryTableFile,
}

/** Returns the kind of the file of a Resource of this Template, `key@version`; null: of a custom subject. */
export function fileKindOf(template: string | null): 'Subject' | 'Monitor' | 'Resource' {
  if (template === null) return 'Subject'
  return isWebsiteTemplate(template) ? 'Monitor' : 'Resource'
}
