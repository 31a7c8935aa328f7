// Secrets of the settings, in each form in which an error of a library could quote them.
import { settingGroups } from '../runtime/all-settings.ts'

/** Shorter texts are words of sentences rather than secrets. */
const leastCharacters = 4

/** Returns the secrets, the longest first. */
export function secretsOf(environment: Record<string, string | undefined>): string[] {
  const found = new Set<string>()
  for (const { declared } of settingGroups) {
    for (const [name, { secret = false }] of Object.entries(declared)) {
      const value = environment[name] ?? ''
      if (!secret || value === '') continue
      for (const part of [value, ...value.split(',').flatMap(partsOf)]) if (part.length >= leastCharacters) found.add(part)
    }
  }
  return [...found].toSorted((one, other) => other.length - one.length)
}

/** An address has user, password or token before its host; the hosts may be shown. */
function partsOf(text: string): string[] {
  const [, login] = /^(?:[\w+]+:\/\/)?([^@/]*)@/.exec(text) ?? []
  if (login === undefined) return text.includes('://') ? [] : [text.trim()]
  const [user = '', ...password] = login.split(':')
  const secrets = password.length > 0 ? [password.join(':')] : [user]
  return [`${login}@`, ...secrets.flatMap(secret => [secret, decoded(secret)])]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
