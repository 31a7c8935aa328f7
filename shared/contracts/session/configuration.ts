// Configuration as files, as generation 3 answers it: the steps of a plan, the files of an export, and the faults of files.
import { type Static, Type } from 'typebox'
import { Component, Nullable } from '#shared/contracts/common.ts'

/** What a step does, or has done, to its object. */
export const configurationResults = ['made', 'changed', 'left', 'deleted', 'archived'] as const

const Place = {
  file: Type.String({ examples: ['fleet/all.yaml'] }),
  line: Type.Integer({ description: 'From 1 on.', examples: [7] }),
}

const AppliedStep = Component('ConfigurationStep', {
  result: Type.Enum([...configurationResults]),
  kind: Type.String({ examples: ['Resource'] }),
  name: Type.String({ description: 'Key, `key@version` of a Template, or name of a destination.', examples: ['backup-db1'] }),
  what: Type.String({ description: 'Names of the members that change, or another remark.', examples: ['meta.hold'] }),
  changes: Type.Optional(
    Type.Array(Type.Object({ member: Type.String(), old: Type.Unknown(), new: Type.Unknown() }), {
      description: 'Of Resources and destinations, without secrets. Null: absent.',
      examples: [[{ member: 'meta.hold', old: 1200, new: 900 }]],
    }),
  ),
  file: Type.Optional(Place.file),
  line: Type.Optional(Place.line),
})

export type ConfigurationStep = Static<typeof AppliedStep>

export const AppliedConfiguration = Component('AppliedConfiguration', {
  state: Type.Enum(['planned', 'applied', 'unfinished', 'failed'], {
    description: '`unfinished`: send the same request again to go on. `failed`: a step was refused; those in `steps` stay.',
    examples: ['applied'],
  }),
  steps: Type.Array(AppliedStep, {
    description: 'Of the whole plan if it is `planned`, else those that are done, in that order.',
  }),
  counts: Type.Object(Object.fromEntries(configurationResults.map(verb => [verb, Type.Integer()])), {
    description: 'Of `steps`.',
    examples: [{ made: 0, changed: 1, left: 0, deleted: 0, archived: 0 }],
  }),
  remaining: Type.Integer({ description: 'Steps that are not done.', examples: [0] }),
  failed: Nullable(
    Type.Object(
      {
        kind: Type.String(),
        name: Type.String(),
        message: Type.String(),
        file: Nullable(Place.file),
        line: Nullable(Place.line),
        may_repeat: Type.Boolean({ description: 'The same request may succeed, without a correction.' }),
      },
      { examples: [null] },
    ),
  ),
})
export type AppliedConfiguration = Static<typeof AppliedConfiguration>

export const ExportedConfiguration = Component('ExportedConfiguration', {
  files: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      examples: [{ 'destinations.yaml': 'kind: Destination\nname: On call\ntype: slack\n' }],
    }),
  ),
  document: Type.Optional(
    Type.String({
      description: 'All files as one text, if `form=document` was sent.',
      examples: ['kind: Destination\nname: On call\ntype: slack\n'],
    }),
  ),
  objects: Type.Integer({ examples: [1] }),
  omitted: Type.Array(Type.String(), {
    description: 'Sentences about what is left out.',
    examples: [['URLs of destinations are left out: apply reads them from the environment.']],
  }),
})
export type ExportedConfiguration = Static<typeof ExportedConfiguration>

/** A fault of a file, as the refusal shows it. */
export interface ConfigurationFault {
  file: string
  line: number | null
  column: number | null
  /** Dotted path of the faulty member, or `line:column` of a syntax error; empty: the whole object or file. */
  place: string
  object: string | null
  message: string
  /** Variable whose value would mend the fault, and what this value is. */
  variable?: string
  value?: string
}
