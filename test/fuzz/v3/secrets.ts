// Secrets that the fuzz plants, and the callers who may read each secret. Some secrets cannot be read by anybody once they are stored: a
// token of a key or an address, the URL of a destination, the password of an account, and credentials in a URL within a sender's reason.
// Reference: docs/reference/v3.md, 8.1, 10.1, 11.2 and 16.1.
import type { Caller } from './people.ts'

const marks = {
  data: 'planted5dataSecret',
  password: 'planted5urlPassword',
  parameter: 'planted5urlParameter',
  label: 'planted5labelSecret',
  reason: 'planted5reasonSecret',
  destination: 'planted5destinationPath',
  account: 'planted5accountPassword',
}

/** Values with a secret in them. */
export const plant = {
  data: marks.data,
  websiteUrl: `http://user:${marks.password}@127.0.0.1:1/?api_key=${marks.parameter}`,
  label: marks.label,
  reason: `no answer of http://me:${marks.reason}@db.example/?token=${marks.reason} at all`,
  destination: marks.destination,
  account: marks.account,
}

/** Secrets that only editors and owners with a full key may read. */
const ofWriters: readonly string[] = [marks.data, marks.password, marks.parameter, marks.label]
const ofNobody: readonly string[] = [marks.reason, marks.destination, marks.account]

/** Returns the secrets in a response to `caller` that are not in the request. `shown`: tokens that this response may contain. */
export function leaks(
  text: string,
  { sent, caller, tokens }: { sent: string; caller: Caller; tokens: readonly string[] },
): string[] {
  const isWriter = caller.actions === null && (caller.role === 'editor' || caller.role === 'owner')
  const hidden = [...ofNobody, ...(isWriter ? [] : ofWriters), ...tokens]
  return hidden.filter(secret => text.includes(secret) && !sent.includes(secret)).map(secret => `shows ${secret}`)
}
