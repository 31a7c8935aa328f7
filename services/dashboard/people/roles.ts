// The roles in a workspace, and words for the rights of a role.
import type { Role } from '../data/session.ts'

export const roles: readonly { value: Role; word: string }[] = [
  { value: 'viewer', word: 'Viewer: reads everything' },
  { value: 'editor', word: 'Editor: also changes monitors, rules and destinations' },
  { value: 'owner', word: 'Owner: also names the workspace and its members' },
]

/** Returns the role that a text names. If the text names no known role, returns the least role. */
export const roleOf = (text: string): Role => roles.find(({ value }) => value === text)?.value ?? 'viewer'
