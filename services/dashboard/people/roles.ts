// The roles in a workspace, with the rights of each in words.
import type { Role } from '../data/session.ts'

export const roles: readonly { value: Role; word: string }[] = [
  { value: 'viewer', word: 'Viewer: reads everything' },
  { value: 'editor', word: 'Editor: also changes monitors, rules and destinations' },
  { value: 'owner', word: 'Owner: also names the workspace and its members' },
]

/** Returns the role of a text; the least role if the page does not know the text. */
export const roleOf = (text: string): Role => roles.find(({ value }) => value === text)?.value ?? 'viewer'
