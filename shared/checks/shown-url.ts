// What a check of a URL watches, for people. Pure.
import { redactedText, redactedUrl } from '#shared/secrecy/redacted-text.ts'
import type { Shown } from './check-kind.ts'

export function shownUrl(method: string, url: string): Shown {
  const shown = redactedUrl(url)
  return { method, target: shown || redactedText(url), url: shown, host: URL.parse(url)?.host ?? null }
}
