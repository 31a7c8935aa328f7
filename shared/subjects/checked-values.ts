// The numbers that the checks of a subject find. Pure.
import type { CheckKind, FoundValue } from '#shared/checks/check-kind.ts'
import { findKind, kindOf } from '#shared/checks/registry.ts'
import { reachability } from '#shared/checks/template-parts.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'

/** What the number of a signal is. */
export interface CheckedValue extends FoundValue {
  /** Key of the signal. */
  signal: string
}

interface WithChecks {
  check: StoredCheck | null
  /** Checked signals that the subject has, in the order of its Template. */
  checks?: readonly { signal: string; type: string }[] | undefined
}

/** Returns what each checked signal finds, in the order of the signals. One of a kind that this program does not know is left out. */
export function checkedValues({ check, checks = [] }: WithChecks): CheckedValue[] {
  if (check !== null) return [foundBy(reachability, kindOf(check))]
  return checks.flatMap(({ signal, type }) => {
    const kind = findKind({ kind: type })
    return kind === null ? [] : [foundBy(signal, kind)]
  })
}

const foundBy = (signal: string, { value }: CheckKind): CheckedValue => ({ signal, ...value })
