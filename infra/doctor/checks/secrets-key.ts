// The key with which secrets of checks and destinations are sealed.
import type { Facts } from '../facts.ts'
import { type Finding, fault, splitAdvice, warning, well } from '../finding.ts'

export function checkSecretsKey({ sealing: { isNeeded, hasKey, fault: said } }: Facts): Finding[] {
  if (!isNeeded) return []
  if (said !== null) {
    const { what, remedy } = splitAdvice(said)
    return [fault(what, 'Checks with secrets fail, and messages to destinations with secrets are not sent.', remedy)]
  }
  if (hasKey) return [well('It is there, and nothing of the store contradicts it.')]
  const why = 'Checks can have no secrets, and secrets of destinations are stored as they are.'
  return [
    warning(
      'SECRETS_KEY is not set.',
      why,
      'Set it at every gateway, directory, notifier and prober: `./watchkeeper cluster secrets` makes one (secrets.env).',
    ),
  ]
}
