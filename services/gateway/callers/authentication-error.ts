// Reasons why a request has no valid caller. Each dialect sends an error code of its own for each of these reasons.
import { AppError } from '#shared/errors.ts'

export type AuthenticationReason = 'missing' | 'malformed' | 'invalid' | 'disabled'

const texts: Record<AuthenticationReason, [message: string, details: string]> = {
  missing: ['Missing Authorization header', 'Authorization header is required'],
  malformed: ['Malformed Authorization header', 'Authorization header must have the form: Bearer <token>'],
  invalid: ['Invalid token', 'The token is unknown, deleted or expired'],
  disabled: ['User is disabled', "The key's owner is disabled"],
}

export class AuthenticationError extends AppError {
  readonly reason: AuthenticationReason

  constructor(reason: AuthenticationReason) {
    const [message, details] = texts[reason]
    super('unauthenticated', message, { details })
    this.name = 'AuthenticationError'
    this.reason = reason
  }
}
