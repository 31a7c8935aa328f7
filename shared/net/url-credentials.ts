// Credentials in a URL, and their form in an HTTP header.

/** Returns the text after `Basic ` in an Authorization header, made from user name and password of a URL; null: the URL has neither. */
export function basicCredentials({ username, password }: Pick<URL, 'username' | 'password'>): string | null {
  if (username === '' && password === '') return null
  return Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`).toString('base64')
}

/** Returns the text without percent-encoding, or unchanged if the encoding is malformed. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
