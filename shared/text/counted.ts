// Counts with their nouns, for sentences to people.
import type { WorkspaceContents } from '#shared/contracts/ask/ask-people.ts'

/** `1 subject`, `2 subjects`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Returns the contents of a workspace, such as `2 subjects and 1 member`. Leaves out nouns whose count is 0. */
export function countedContents(contents: Omit<WorkspaceContents, 'id' | 'name'>): string {
  const { subjects, destinations, transformations, templates, members } = contents
  const counts: [count: number, noun: string][] = [
    [subjects, 'subject'],
    [destinations, 'destination'],
    [transformations, 'transformation'],
    [templates, 'Template revision'],
    [members, 'member'],
  ]
  const present = counts.filter(([count]) => count > 0).map(([count, noun]) => counted(count, noun))
  const last = present.pop() ?? 'nothing'
  return present.length === 0 ? last : `${present.join(', ')} and ${last}`
}
