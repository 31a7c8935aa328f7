// Converts a policy into the form of responses (reference/custom-subjects 3.6): unset members are omitted, defaults are explicit, and
// durations are normalised.

import { type Static, Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import type { Policy, PolicyInput } from '#shared/contracts/subjects/policy.ts'
import { formatDuration } from '#shared/time/durations.ts'
import { Answered, Kind } from '../../body/result-schema.ts'

const Duration = Type.String({
  pattern: '^((\\d+h)?(\\d+m)?\\d+([.]\\d+)?s|\\d+ms)$',
  description: 'Normalised: 2m0s, 1h30m0s, 1.5s, 250ms, 0s.',
})

const Input = Strict({
  signal: Type.Optional(Type.String()),
  from: Type.Optional(Type.String({ description: 'Another rule: its verdict is the input.' })),
  mode: Type.Optional(Type.Enum(['status', 'latest_value'])),
  compare: Type.Optional(Type.Enum(['<', '>'])),
  threshold: Type.Optional(Type.Number()),
  match: Type.Optional(Type.Record(Type.String(), Type.String())),
  no_data_after: Type.Optional(Duration),
})

const Document = Answered('Policy', {
  inputs: Type.Array(Input),
  decision: Strict({
    state: Type.Literal('down'),
    need: Type.Enum(['any', 'majority', 'all', 'at_least']),
    at_least: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  wait: Strict({ confirm_after: Duration, close_after: Duration }),
})

export const SubjectRule = Answered('SubjectRule', {
  id: Type.String({ description: 'The slug; what another rule cites with `from`.' }),
  name: Type.String(),
  subject_id: Type.String(),
  workspace_id: Type.String(),
  policy_version: Type.Integer({ minimum: 1 }),
  document: Document,
  kind: Kind('subject_rule'),
})

export const policyObject = ({ inputs, need, atLeast, confirmAfterMs, closeAfterMs }: Policy): Static<typeof Document> => ({
  inputs: inputs.map(inputObject),
  decision: { state: 'down', need, ...(atLeast === null ? {} : { at_least: atLeast }) },
  wait: { confirm_after: formatDuration(confirmAfterMs), close_after: formatDuration(closeAfterMs) },
})

const inputObject = ({ signal, from, mode, compare, threshold, match, noDataAfterMs }: PolicyInput) => ({
  ...(signal === null ? {} : { signal }),
  ...(from === null ? {} : { from }),
  ...(mode === null ? {} : { mode }),
  ...(compare === null ? {} : { compare }),
  ...(threshold === null ? {} : { threshold }),
  ...(match === null ? {} : { match }),
  ...(noDataAfterMs === null ? {} : { no_data_after: formatDuration(noDataAfterMs) }),
})
