// Choice of the workspace. A cookie names the workspace whose data the gateway embeds in the next page. The cookie grants no rights.
import { batch } from '@preact/signals'
import { Refusal, read } from './api.ts'
import { type Session, session, workspaceId } from './session.ts'

/** Name of the cookie. The gateway reads the cookie in `services/gateway/session/caller/session-cookie.ts`. */
const cookieName = 'watchkeeper-workspace'
const yearSeconds = 365 * 24 * 3_600

/** Stores the present workspace in the cookie, for the next page. */
export function rememberWorkspace(): void {
  const id = workspaceId.peek()
  if (id === null) return
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox before 140
  document.cookie = `${cookieName}=${encodeURIComponent(id)}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax${secure}`
}

/** Shows another workspace of which the person is a member. */
export function chooseWorkspace(id: string): void {
  if (!session.peek()?.workspaces.some(one => one.id === id)) return
  workspaceId.value = id
  rememberWorkspace()
}

/**
 * Shows the workspace of the object on the page, unless it is shown already. A link may come from a message or from another person, and so
 * lead to an object of any workspace of this person.
 */
export function enterWorkspaceOf(object: { workspace_id: string }): void {
  if (object.workspace_id !== workspaceId.peek()) chooseWorkspace(object.workspace_id)
}

/**
 * Reads the person and the memberships again. A person who had no workspace sees the first new one. Rejects with a Refusal.
 */
export async function reloadSession(): Promise<void> {
  const found = await read<Session>('/session')
  // At once, so that no page is drawn for a person who has a workspace but sees none.
  batch(() => {
    session.value = found
    if (workspaceId.peek() === null) workspaceId.value = found.workspaces[0]?.id ?? null
  })
  rememberWorkspace()
}

/**
 * Like `reloadSession`, but never rejects with a Refusal. A refusal with status 401 sets `isSignedOut`; any other refusal changes nothing.
 */
export async function renewSession(): Promise<void> {
  try {
    await reloadSession()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
