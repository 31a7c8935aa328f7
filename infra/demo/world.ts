// What the demo watches and how it behaves: six sites and two jobs. The Shop's outage follows the messages and not the clock, so that a slow
// machine shows the same story later.
import { second } from '#shared/limits/limits.ts'
import type { Behaviour, Message } from './outside.ts'

export interface Site {
  /** Path of the site, and key of its Resource. */
  path: string
  name: string
  /** Confirmation and recovery delay, seconds; those of an installation are two minutes by default. */
  holdSeconds: number
}

/** Long enough to be seen, short enough to wait for. */
export const holdSeconds = 5

export const sites: readonly Site[] = [
  { path: 'shop', name: 'Shop', holdSeconds },
  { path: 'search', name: 'Search', holdSeconds },
  // Longer than a flap: it opens an incident that never lasts, so nobody is notified.
  { path: 'checkout', name: 'Checkout', holdSeconds: 25 },
  { path: 'blog', name: 'Blog', holdSeconds },
  { path: 'docs', name: 'Docs', holdSeconds },
  { path: 'payments', name: 'Payments API', holdSeconds },
]

export interface Job {
  key: string
  name: string
}

export const jobs: readonly Job[] = [
  { key: 'backup', name: 'Database backup' },
  { key: 'invoices', name: 'Invoice import' },
]

/** A job reports this often; it counts as silent after three missing reports. */
export const jobEverySeconds = 10

/** Template of a job: reports of success and failure, and silence. */
export const jobTemplate = {
  key: 'job',
  version: 1,
  name: 'Job',
  summary: 'A job reports each run; a run that fails and a run that is missing are problems.',
  signals: [{ key: 'run', kind: 'heartbeat', every_seconds: jobEverySeconds }],
  rules: [
    {
      key: 'failing',
      action: 'Read the log of the job.',
      wait: { confirm_after: holdSeconds, recover_after: holdSeconds },
      decision: {
        any: [{ signal: 'run', field: 'status', operator: 'eq', operand: 'problem' }, { not: { signal: 'run', field: 'known' } }],
      },
    },
  ],
}

export type JobReport = { state: 'ok' } | { state: 'problem'; reason: string }

export interface World {
  behaviourOf(path: string): Behaviour | undefined
  /** Returns what a job reports now; null: it reports nothing. */
  reportOf(key: string): JobReport | null
  /** Moves the story on when a message about the Shop arrives. */
  hear(message: Pick<Message, 'title'>): void
}

/** Times of the story, ms. */
const upMs = 25 * second
const shownMs = 20 * second
const flapMs = 8 * second
/** The second job fails at the end of each period, and reports nothing in its last part. */
const jobPeriodMs = 150 * second
const jobFailsAtMs = 60 * second
const jobSilentAtMs = 90 * second

/** Returns a world that begins now. `now`: instant in ms, of any clock that only goes forward. */
export function createWorld(now: () => number): World {
  const beganAt = now()
  let shop: { isUp: boolean; until: number | null } = { isUp: true, until: beganAt + upMs }
  const isShopUp = () => {
    if (shop.until !== null && now() >= shop.until) shop = { isUp: !shop.isUp, until: null }
    return shop.isUp
  }
  const healthy: Behaviour = { status: 200, delayMs: 20 }
  const behaviours: Record<string, () => Behaviour> = {
    shop: () => ({ status: isShopUp() ? 200 : 503, delayMs: 30 }),
    search: () => ({ status: 200, delayMs: 1_200 + ((now() / 10) % 900) }),
    checkout: () => ({ status: Math.floor((now() - beganAt) / flapMs) % 2 === 0 ? 200 : 502, delayMs: 40 }),
  }
  return {
    behaviourOf: path => (sites.some(site => site.path === path) ? (behaviours[path]?.() ?? healthy) : undefined),
    reportOf: key => {
      const at = (now() - beganAt) % jobPeriodMs
      if (key !== 'invoices' || at < jobFailsAtMs) return { state: 'ok' }
      return at < jobSilentAtMs ? { state: 'problem', reason: 'No space left on db-2' } : null
    },
    hear: ({ title }) => {
      if (shop.until !== null || !title.startsWith('Shop ')) return
      shop = { isUp: shop.isUp, until: now() + (shop.isUp ? upMs : shownMs) }
    },
  }
}
