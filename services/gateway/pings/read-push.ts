// Reader of a ping in the manner of Uptime Kuma: `/api/push/<token>?status=&msg=&ping=`. Pure. Reference: docs/reference/v3.md, 17.9.
import { pushTokenPattern } from '#shared/contracts/observations/ping.ts'
import { reasonOf } from '../v3/observations/observations.ts'
import { lastOf, type SentPing, type SentQuery } from './read-ping.ts'

export interface SentPush extends SentPing {
  /** What the sender says of the run: seconds; null: nothing. */
  value: number | null
  /** Empty: the sender says nothing. */
  reason: string
}

const tokenForm = new RegExp(pushTokenPattern)
/** Longest duration, ms: a year. */
const longestMs = 31_536_000_000

/** Null: the token has a form that no token has. `token`: what follows `/api/push/`, percent-decoded. */
export function readPush(token: string, query: SentQuery): SentPush | null {
  if (!tokenForm.test(token)) return null
  const status = lastOf(query['status']) || 'up'
  return {
    name: { pushToken: token },
    action: status === 'up' ? 'success' : 'fail',
    ...{ exitStatus: null, run: null, fault: null, mayCreate: false },
    value: secondsOf(lastOf(query['ping']) ?? ''),
    reason: reasonOf(lastOf(query['msg']) ?? ''),
  }
}

/** Returns the seconds of a number of ms, rounded to 3 decimals; null: the text is no such number. */
function secondsOf(text: string): number | null {
  const ms = text.trim() === '' ? Number.NaN : Number(text)
  return ms >= 0 && ms <= longestMs ? Math.round(ms) / 1_000 : null
}
