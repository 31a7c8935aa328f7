// Takes a destination's address out of a text that is going to be kept: receivers like to quote the path they were called by,
// and that path is the secret.

const shortestSecret = 6

/** The text without the address, its host, and any longer part of its path, query or credentials. */
export function redactAddress(text: string, address: string): string {
  let redacted = text
  for (const secret of secretsOf(address)) redacted = redacted.replaceAll(secret, '[redacted]')
  return redacted
}

function secretsOf(address: string): string[] {
  if (!URL.canParse(address)) return address === '' ? [] : [address]
  const url = new URL(address)
  const parts = [...url.pathname.split('/'), ...[...url.searchParams].flat(), url.username, url.password, url.hostname]
  const pieces = [...parts, ...parts.map(decoded)].filter(part => part.length >= shortestSecret)
  const whole = [address, url.href, url.host, url.pathname + url.search, url.pathname].filter(part => part.length > 1)
  // Longest first, so that no piece of a longer secret stays.
  return [...new Set([...whole, ...pieces])].sort((a, b) => b.length - a.length)
}

/** Without percent-encoding; as it is where that is malformed. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
