// What somebody who tries a check sees of it beside its outcome: redirects, certificate, records, and the answer of the server, folded.

export interface TriedMore {
  hops: readonly { status: number; location: string }[]
  certificate: { subject: string; issuer: string; not_after: string; days: number } | null
  records: readonly string[] | null
  response: { status_line: string | null; headers: readonly string[]; body: string; binary: boolean; truncated: boolean } | null
}

export function TriedDetails({ hops, certificate, records, response }: TriedMore) {
  const lines = [
    ...hops.map(({ status, location }) => `${status} → ${location}`),
    ...(certificate === null ? [] : [certificateLine(certificate)]),
    ...(records === null || records.length === 0 ? [] : [`Records: ${records.join(', ')}`]),
  ]
  const answer = response === null ? [] : [response.status_line, ...response.headers, '', response.body]
  const text = answer.filter(line => line !== null).join('\n')
  if (lines.length === 0 && response === null) return null
  return (
    <details>
      <summary>What was found</summary>
      {lines.map(line => (
        <p key={line} class="found">
          {line}
        </p>
      ))}
      {text.trim() !== '' && <pre>{text.trim()}</pre>}
      {response?.binary && <p class="found">The body is no text.</p>}
      {response?.truncated && <p class="found">The body goes on.</p>}
    </details>
  )
}

const certificateLine = ({ subject, issuer, not_after: end, days }: NonNullable<TriedMore['certificate']>): string =>
  `Certificate of ${subject}, by ${issuer}, until ${end.slice(0, 10)} (${Math.floor(days)} days)`
