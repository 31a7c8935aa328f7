// How the kind `echo` is checked: at once, and without a connection.
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { Checker } from '../../../services/prober/checks/checker.ts'

const phases = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 }

export const checkEcho: Checker = (entry, _context, done) => {
  const { text, fails, whisper } = (entry as CheckEntry & { options: { text: string; fails: boolean; whisper: string } }).options
  // Shows that the secret came here opened, and nothing else of it.
  const statusCode = whisper === '' ? null : whisper.length
  return {
    start: () => done({ ok: !fails, error: fails ? `echo says ${text}` : null, statusCode, phases }),
    abandon: () => undefined,
  }
}
