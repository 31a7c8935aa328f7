// Names that mark a credential (v3 11.1). Every place that hides a value because of its name asks this function: parameters of URLs,
// labels, fields, members of JSON, log lines. Pure.

/** A name that has one of these words as a whole part is the name of a credential. */
const credentialParts = new Set([
  ...['token', 'tokens', 'secret', 'secrets', 'password', 'passwd', 'pwd', 'pw', 'pass', 'passphrase', 'key', 'keys', 'apikey'],
  ...['auth', 'authorization', 'bearer', 'credential', 'credentials', 'cookie', 'session', 'sid', 'signature', 'sig', 'jwt'],
  ...['otp', 'oauth'],
])
const credentialEndings = ['token', 'secret', 'password', 'passwd', 'apikey', 'accesskey', 'sessionid']

/** Returns true if a name marks a credential: `api_token`, `clientsecret` and `Authorization` do, `monkey` does not. */
export const isCredentialName = (name: string): boolean =>
  partsOf(name).some(part => credentialParts.has(part) || credentialEndings.some(ending => part.endsWith(ending)))

/**
 * Returns the parts of a name in lower case. A name is split at changes of case (`XMLToken` is `xml`, `token`) and at every character that
 * is not a letter.
 */
const partsOf = (name: string): string[] =>
  name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/\P{L}+/u)
    .map(part => part.toLowerCase())
