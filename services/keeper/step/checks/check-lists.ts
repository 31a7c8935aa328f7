// Entries for probers of the checked signals of a Resource: one for each location, with all checks there. Pure.

import { entryOf } from '#shared/checks/registry.ts'
import { type CheckEntry, type CheckList, type ListedCheck, listSchema } from '#shared/contracts/observations/check.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { type BoundCheck, checksOf, usualAnswers } from '#shared/manifest/check-options.ts'
import { sourceAt } from '#shared/subjects/sources.ts'

/** Returns the entry of each location, by its id. `known`: the checked signals of the Resource, of which each check has one. */
export function checkLists(checks: readonly BoundCheck[], known: readonly CheckedSignal[], rev: number): Map<string, CheckList> {
  const lists = new Map<string, CheckList>()
  for (const check of checks) {
    const { suffix = '' } = known.find(one => isOf(one, check)) ?? {}
    for (const location of check.locations) {
      const list = lists.get(location) ?? { schema: listSchema, rev, checks: [] }
      list.checks.push(listed(check, sourceAt(location, suffix)))
      lists.set(location, list)
    }
  }
  return lists
}

/** Whether the checked signal is that of the check: of the same key and type. */
export const isOf = ({ signal, type }: CheckedSignal, check: Pick<BoundCheck, 'signal' | 'kind'>): boolean =>
  signal === check.signal && type === check.kind.key

function listed({ signal, kind, everySeconds, options }: BoundCheck, source: string): ListedCheck {
  return { signal, source, kind: kind.key, intervalMs: everySeconds * 1_000, ...kind.entry(usualAnswers(kind, options)) }
}

/**
 * Returns the entries of a subject by location, as they are since its `checkRev`; empty: it has none. `template`: its published Template;
 * null: it has none, or it cannot be used.
 */
export function entriesOf(subject: SubjectDocument, template: Template | null): Map<string, CheckEntry | CheckList> {
  const { checkRev: rev, checkLocations, check, templated } = subject
  if (rev === null) return new Map()
  if (check !== null) return new Map(checkLocations.map(location => [location, entryOf(check, rev)]))
  if (template === null || templated === null) return new Map()
  return checkLists(checksOf(template, templated.answers), templated.checks ?? [], rev)
}
