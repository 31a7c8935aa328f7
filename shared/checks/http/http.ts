// The kind of check over HTTP and HTTPS, with all that a request may carry and an answer may be judged by.
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import { headersOf, isNamed } from '#shared/net/header-lines.ts'
import { type CheckKind, plainEntry } from '../check-kind.ts'
import { authority, ipFamily, verify } from '../connection-fields.ts'
import { shownUrl } from '../shown-url.ts'
import { slowMs } from '../slowness.ts'
import { availabilityParts, checkedSignal, failing, fieldRef, fieldRefs, reachability, slowRule } from '../template-parts.ts'
import { certificate, renewal, tls } from '../tls/tls.ts'
import { watchFields } from '../watch-fields.ts'
import { certificateDays, type HttpOptions, httpFields, url, withDefaults } from './fields.ts'
import { fromWebsite } from './from-website.ts'
import { refuseOptions } from './refusal.ts'

/** Options that have their default are absent. */
export type HttpEntry = CheckEntry & { options: HttpOptions }

const key = 'http'

/** The origin and the virtual host that get the secrets, and the judgement of the certificate behind which they are. */
function aimOf(check: StoredCheck): string {
  const { url, headers, verify, authority } = withDefaults(check)
  return JSON.stringify([URL.parse(url)?.origin, headersOf(headers).filter(isNamed('host')), verify, authority])
}

const { signals, rules } = availabilityParts(key, httpFields, {
  help: 'The answer of the server.',
  action: 'Open the URL yourself, then look at the server, at what it needs, and at what was changed last.',
})

const parts = {
  signals: [
    ...signals,
    checkedSignal({
      key: certificate,
      check: {
        ...{ type: tls.key, target: fieldRef(url), days: fieldRef(certificateDays) },
        ...fieldRefs([verify, authority, ipFamily]),
      },
      everySeconds: 3_600,
      help: 'The certificate of an https URL.',
    }),
  ],
  rules: [
    ...rules,
    {
      key: certificate,
      action: renewal,
      help: 'The certificate ends soon, or is not valid.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: failing(certificate),
    },
    slowRule(reachability, slowMs, 'Look at the load of the server, and at what it waits for.'),
  ],
}

export const http: CheckKind = {
  key,
  name: 'HTTP',
  watches: 'A website or API',
  help: 'Sends a request to a URL, follows redirects, and judges status, body and time of the answer.',
  value: { name: 'Time', unit: 'ms' },
  fields: httpFields,
  watch: watchFields(60),
  keepsAnswers: true,
  templates: [
    {
      key: 'http-check',
      version: 1,
      name: 'HTTP check',
      summary:
        'Checks a URL from several locations, with headers, credentials, redirects and JSON, and opens an Incident when enough fail.',
      fields: [certificateDays, slowMs],
      upgrade: fromWebsite,
      parts,
    },
  ],
  typed: target => ({ url: target.includes('://') ? target : `https://${target}` }),
  refuse: refuseOptions,
  aim: aimOf,
  shown: check => shownUrl(String(check['method'] ?? 'GET'), String(check['url'])),
  ...plainEntry(key, httpFields),
}
