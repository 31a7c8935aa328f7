// The workspace in a request's path, for the audit: gateways record the workspace, and readers filter by the rest of the path. Pure.

const named = /^\/(?:api\/v3|session(?:\/v[23])?)\/workspaces\/([^/]+)/

/** Returns the workspace as written in the path, still percent-encoded; null: the path contains no workspace. */
export const workspaceInPath = (path: string): string | null => named.exec(path)?.[1] ?? null

/** Returns the path after the workspace; the whole path if it contains no workspace. */
export const pathAfterWorkspace = (path: string): string => path.slice(named.exec(path)?.[0].length ?? 0)
