// Settings, by the same validation that a start uses.
import type { Facts } from '../facts.ts'
import { type Finding, fault, splitAdvice, warning, well } from '../finding.ts'

export function checkSettings({ settings: { fault: sentence, values, mode } }: Facts): Finding[] {
  if (sentence !== null) {
    const { what, remedy } = splitAdvice(sentence)
    return [fault(what, 'With these settings the program does not start.', remedy || 'Correct this setting.')]
  }
  if (values === null || mode === null) return []
  const findings: Finding[] = []
  const isCluster = values.MONGODB_URL !== '' && values.NATS_URL !== ''
  if (isCluster && mode.services.includes('gateway') && values.SQIDS_SALT === '') {
    findings.push(
      warning(
        'SQIDS_SALT is not set.',
        'Gateways and notifiers with different salts show different ids for one Incident.',
        'Set SQIDS_SALT to the same text at every process.',
      ),
    )
  }
  return findings.length > 0 ? findings : [well(`A start accepts them; this process runs ${mode.services.join(', ')}.`)]
}
