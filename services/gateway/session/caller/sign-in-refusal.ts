// Refusals of a failed sign-in. A refusal never reveals whether an account exists.
import type { SessionIdentity, SignInOutcome } from '#shared/contracts/ask/ask-people.ts'
import { SessionError } from './session-error.ts'

type Refused = Exclude<SignInOutcome, { outcome: 'signed-in' }>

/** Returns the identity of the person who signed in. Throws wrong_credentials, disabled or rate_limited. */
export function requireSignedIn(outcome: SignInOutcome): SessionIdentity {
  if (outcome.outcome === 'signed-in') return outcome.identity
  throw refusalOf(outcome)
}

export function refusalOf(refused: Refused): SessionError {
  if (refused.outcome === 'wait')
    return new SessionError('rate_limited', 'Too many attempts', refused.message, refused.retryAfterMs)
  if (refused.outcome === 'disabled') return new SessionError('disabled', 'Account disabled', refused.message)
  return new SessionError('wrong_credentials', 'Wrong username or password', refused.message)
}
