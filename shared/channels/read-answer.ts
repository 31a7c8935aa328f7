// Meaning of an HTTP answer for channels whose far end says no more than its status (reference/messages 2). Pure.
import { second } from '#shared/limits/limits.ts'
import type { ChannelAnswer, ChannelReading } from './port.ts'

/** 2xx is a success. After 429 and 5xx another attempt may succeed; 429 is about the whole destination. */
export function readAnswer({ status, headers, at }: ChannelAnswer): ChannelReading {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  if (status !== 429 && status < 500) return { kind: 'failed' }
  const afterMs = parseRetryAfter(headers['retry-after'], at)
  return { kind: 'again', afterMs, ...(status === 429 ? { lane: true } : {}) }
}

/**
 * Returns the pause that a Retry-After header requests, in ms from `at`. The header contains seconds or an HTTP date. Null: the header is
 * absent or invalid.
 */
function parseRetryAfter(value: string | string[] | undefined, at: number): number | null {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined) return null
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * second
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - at)
}
