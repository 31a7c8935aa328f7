// The workspace that a request's path names, for the audit: gateways record it, and readers filter by what follows it. Pure.

const named = /^\/(?:api\/v3|session)\/workspaces\/([^/]+)/

/** The workspace as it stands in the path, percent-encoding included; null: the path names none. */
export const workspaceInPath = (path: string): string | null => named.exec(path)?.[1] ?? null

/** The path behind the workspace; the whole path if it names none. */
export const pathAfterWorkspace = (path: string): string => path.slice(named.exec(path)?.[0].length ?? 0)
