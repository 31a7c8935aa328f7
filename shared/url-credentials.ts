// The credentials that a URL may carry, as HTTP sends them.

/** What stands behind `Basic ` in an Authorization header, from user name and password of a URL; null where it has neither. */
export function basicCredentials({ username, password }: Pick<URL, 'username' | 'password'>): string | null {
  if (username === '' && password === '') return null
  return Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`).toString('base64')
}

/** Without percent-encoding; as it is where that is malformed. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
