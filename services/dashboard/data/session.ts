// The signed-in person, the present workspace, and whether the session is still valid.
import { computed, signal } from '@preact/signals'

export type Role = 'viewer' | 'editor' | 'owner'

export interface Workspace {
  id: string
  name: string
  role: Role
}

/** An invitation that the person has neither accepted nor declined. */
export interface Invitation {
  id: string
  /** Name of the workspace. */
  workspace: string
  role: Role
  invited_by: { username: string; display_name: string }
  created_at: string
  expires_at: string
}

export interface Session {
  user: { id: string; username: string; display_name: string; admin: boolean; has_password: boolean }
  workspaces: readonly Workspace[]
  /** Newest first. */
  invitations: readonly Invitation[]
  expires_at: string | null
  /** True if AUTH_DEV is set: every visitor is then an administrator. */
  developer: boolean
}

export const session = signal<Session | null>(null)
export const workspaceId = signal<string | null>(null)
/** True if the server no longer knows the session. No request is then sent until the person signs in again. */
export const isSignedOut = signal(false)

export const workspace = computed<Workspace | null>(
  () => session.value?.workspaces.find(({ id }) => id === workspaceId.value) ?? null,
)

const ranks: readonly Role[] = ['viewer', 'editor', 'owner']

/** Returns true if the person has at least the role `least` in the present workspace. */
export const may = (least: Role): boolean =>
  workspace.value !== null && ranks.indexOf(workspace.value.role) >= ranks.indexOf(least)

export const isAdmin = computed(() => session.value?.user.admin === true)
