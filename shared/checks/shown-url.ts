// What a check of a URL watches, for people. Pure.

import type { Shown } from '#shared/contracts/subjects/checked-signal.ts'
import { redactedText, redactedUrl } from '#shared/secrecy/redacted-text.ts'

export function shownUrl(method: string, url: string): Shown {
  const shown = redactedUrl(url)
  return { method, target: shown || redactedText(url), url: shown, host: URL.parse(url)?.host ?? null }
}
