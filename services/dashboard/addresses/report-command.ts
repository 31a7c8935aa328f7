// Shell command that sends a first report to an Observation address.

/** Returns a command for a POSIX shell, in which `url` is quoted. */
export function reportCommand({ url, template, second_factor: isKeyed }: Address): string {
  const report = { resource: 'my-resource', template_id: template ?? 'my-template', signal: 'my-signal', state: 'ok' }
  const key = isKeyed ? ['-H "X-Observation-Key: $WATCHKEEPER_OBSERVATION_KEY"'] : []
  return ['curl -sS', quoted(url), ...key, "-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(report))}`].join(
    ' ',
  )
}

interface Address {
  url: string
  template: string | null
  second_factor: boolean
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
