// A policy as it is answered (spec D 1, Policies as answered): what is unset is absent, defaults are written out, durations normalised.
import type { Policy, PolicyInput } from '#shared/contracts/policy.ts'
import { formatDuration } from '#shared/durations.ts'

export const policyObject = ({ inputs, need, atLeast, confirmAfterMs, closeAfterMs }: Policy) => ({
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
