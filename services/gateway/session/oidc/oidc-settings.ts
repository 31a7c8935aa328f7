// Settings of the OIDC provider. The client secret may be in a file that an orchestrator mounts.
import { readFileSync } from 'node:fs'
import { isLoopback } from '#shared/net/loopback.ts'
import { SettingError } from '#shared/settings.ts'
import type { OidcOptions } from '../caller/options.ts'

export interface OidcSettings {
  OIDC_ISSUER: string
  OIDC_CLIENT_ID: string
  OIDC_CLIENT_SECRET: string
  OIDC_CLIENT_SECRET_FILE: string
  OIDC_NAME: string
}

/**
 * Returns the issuer unchanged, because providers compare it literally. Throws an Error whose message completes the sentence "OIDC_ISSUER
 * …".
 */
export function parseIssuer(value: string): string {
  if (value === '') return ''
  const url = URL.canParse(value) ? new URL(value) : null
  const fits = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url && fits && url.search === '' && url.hash === '' && url.username === '' && url.password === '') return value
  throw new Error('must be an https address without a query (http only on loopback)')
}

/** Returns the options of the provider; null: no provider is configured. Throws a SettingError if the client secret cannot be read. */
export function oidcOptions(settings: OidcSettings): OidcOptions | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_NAME: name } = settings
  if (issuer === '') return null
  return { issuer, clientId, name, clientSecret: settings.OIDC_CLIENT_SECRET || secretFrom(settings.OIDC_CLIENT_SECRET_FILE) }
}

function secretFrom(file: string): string {
  let secret = ''
  try {
    secret = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new SettingError(
      `The file ${file} can't be read (${(error as NodeJS.ErrnoException).code}): correct OIDC_CLIENT_SECRET_FILE.`,
    )
  }
  if (secret === '')
    throw new SettingError(`The file ${file} is empty: put the client secret there, or correct OIDC_CLIENT_SECRET_FILE.`)
  return secret
}
