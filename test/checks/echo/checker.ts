// How the kind `echo` is checked: at once, and without a connection.
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { Checker } from '../../../services/prober/checks/checker.ts'

const phases = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 }

export const checkEcho: Checker = (entry, _context, done) => {
  const { text, fails } = (entry as CheckEntry & { options: { text: string; fails: boolean } }).options
  return {
    start: () => done({ ok: !fails, error: fails ? `echo says ${text}` : null, statusCode: null, phases }),
    abandon: () => undefined,
  }
}
