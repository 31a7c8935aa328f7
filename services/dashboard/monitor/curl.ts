// Shell command that reports on a signal. The command reads the key from the environment. Pure.

interface Reported {
  origin: string
  workspace: string
  resource: string
  signal: string
}

/** Quotes a text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export function curlOf({ origin, workspace, resource, signal }: Reported): string {
  const url = `${origin}/api/v3/workspaces/${workspace}/resources/${encodeURIComponent(resource)}/observations`
  const body = JSON.stringify({ signal, state: 'ok' })
  const headers = `-H "Authorization: Bearer $WATCHKEEPER_API_KEY" -H 'Content-Type: application/json'`
  return `curl -sS ${headers} ${quoted(url)} -d ${quoted(body)}`
}
