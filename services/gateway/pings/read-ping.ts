// Reader of a ping's path and query. Pure. Reference: docs/reference/v3.md, 17.1 to 17.3.
import { type PingAction, pingKeyPattern, pingSlugPattern } from '#shared/contracts/observations/ping.ts'
import { isUuid } from '#shared/text/uuid.ts'

/** What a ping names: an address, a push token, or the key of a Resource in the workspace of a ping key. */
export type PingName = { id: string } | { pushToken: string } | { key: string; slug: string }

export interface SentPing {
  name: PingName
  action: PingAction
  /** Null: the path has none, or one that is over 255. */
  exitStatus: number | null
  /** Id of the run, in lower case; null: none was sent. */
  run: string | null
  /** Fault of the ping, reported only to senders who know an address. */
  fault: 'badUrl' | 'badRun' | null
  /** Whether the ping may make the Resource. */
  mayCreate: boolean
}

/** Query as the framework parses it: of a repeated parameter, all values. */
export type SentQuery = Readonly<Record<string, string | readonly string[] | undefined>>

const slugForm = new RegExp(pingSlugPattern)
const keyForm = new RegExp(pingKeyPattern)
const exitStatusMax = 255

/**
 * Returns the ping. `badUrl`: its path names a Resource in a form that no key has. `unknown`: there is no such path. `path`: what follows
 * `/ping/`, percent-decoded.
 */
export function readPing(path: string, query: SentQuery): SentPing | 'badUrl' | 'unknown' {
  const parts = path.split('/')
  const [first = '', second = ''] = parts
  if (isUuid(first)) {
    const isPlain = parts.length === 1 || (parts.length === 2 && second === '')
    const tail = isPlain ? noTail : parts.length === 2 ? readTail(second) : null
    return tail === null ? 'unknown' : { name: { id: first.toLowerCase() }, ...ping(tail, query), mayCreate: false }
  }
  if (parts.length < 2 || parts.length > 3 || second === '') return 'unknown'
  if (!slugForm.test(second)) return 'badUrl'
  const tail = parts.length === 2 ? noTail : readTail(parts[2] as string)
  if (tail === null || !keyForm.test(first)) return 'unknown'
  return { name: { key: first, slug: second }, ...ping(tail, query), mayCreate: lastOf(query['create']) === '1' }
}

interface Tail {
  action: PingAction
  /** Null: the tail is no number. */
  exitStatus: number | null
}

const noTail: Tail = { action: 'success', exitStatus: null }

/** Null: there is no such tail. */
function readTail(text: string): Tail | null {
  const word = text.toLowerCase()
  if (word === 'start' || word === 'fail' || word === 'log') return { action: word, exitStatus: null }
  if (!/^[0-9]+$/.test(word)) return null
  const exitStatus = Number(word)
  return { action: exitStatus === 0 ? 'success' : 'fail', exitStatus }
}

function ping({ action, exitStatus }: Tail, query: SentQuery): Pick<SentPing, 'action' | 'exitStatus' | 'run' | 'fault'> {
  const run = lastOf(query['rid'])
  const isOver = exitStatus !== null && exitStatus > exitStatusMax
  const isRun = run === null || isUuid(run)
  return {
    action,
    exitStatus: isOver ? null : exitStatus,
    run: isRun && run !== null ? run.toLowerCase() : null,
    fault: isOver ? 'badUrl' : isRun ? null : 'badRun',
  }
}

/** Returns the last value of a parameter; null: it was not sent. */
export const lastOf = (sent: SentQuery[string]): string | null => (typeof sent === 'string' ? sent : (sent?.at(-1) ?? null))
