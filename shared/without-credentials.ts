// Addresses as they may be shown: user name and password never leave the system.

/** The URL without its user name and password; what is no URL comes back empty. */
export function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return ''
  const parsed = new URL(url)
  if (parsed.username === '' && parsed.password === '') return url
  parsed.username = ''
  parsed.password = ''
  return parsed.href
}
