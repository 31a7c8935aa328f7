// A check of a certificate: connects, reads the certificate, judges it and closes. Sends nothing after the handshake.
import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { type TlsAnswers, tlsFields } from '#shared/checks/tls/fields.ts'
import { type Dates, daysLeft, judgeDates } from '#shared/checks/tls/judge.ts'
import { usualPort } from '#shared/checks/tls/tls.ts'
import { parseEndpoint } from '#shared/net/host-port.ts'
import { type CheckContext, type Checker, type CheckOutcome, noPhases } from '../checker.ts'
import { ConnectedCheck } from '../connected-check.ts'
import { CertificateError, type ConnectionTarget } from '../connection.ts'
import { optionsIn } from '../options.ts'
import { sentences } from '../sentences.ts'
import { issuersOf } from './path.ts'

export const checkTls: Checker = (entry, context, done) => {
  const options = optionsIn<TlsAnswers>(tlsFields, entry)
  const target = targetOf(options)
  if (target === null) return { start: () => done(impossible), abandon: () => undefined }
  return new TlsCheck(options, target, context, Math.min(options.timeout_seconds * 1_000, entry.intervalMs), done)
}

/** Outcome of a check of an address that has no certificate. */
const impossible: CheckOutcome = Object.freeze({
  ok: false,
  error: 'the address is not https',
  statusCode: null,
  phases: noPhases,
  value: null,
  cannot: true,
})

/** Returns null if the address is not https. */
function targetOf({
  target,
  server_name: serverName,
  verify,
  authority,
  ip_family: ipFamily,
}: TlsAnswers): ConnectionTarget | null {
  const endpoint = parseEndpoint(target, usualPort)
  if (endpoint === null || endpoint.isPlain) return null
  const { hostname, port } = endpoint
  return { secure: true, hostname, literal: isIP(hostname) !== 0, port, ipFamily, serverName, protocols: [], verify, authority }
}

class TlsCheck extends ConnectedCheck<ConnectionTarget> {
  readonly #options: TlsAnswers
  /** End of the certificate, ms since the epoch; null: none was read. */
  #validTo: number | null = null

  constructor(
    options: TlsAnswers,
    target: ConnectionTarget,
    context: CheckContext,
    totalMs: number,
    done: (outcome: CheckOutcome) => void,
  ) {
    super(target, context, totalMs, done)
    this.#options = options
  }

  protected override onReady(): void {
    const { trust, clock } = this.context
    const { verify, authority } = this.target
    const own = this.connection.certificate()
    if (own === null) {
      this.settle(sentences.noCertificate)
      return
    }
    const now = clock.now()
    const chain = verify ? issuersOf(own, certificate => trust.isAnchored(certificate, authority), now) : []
    const dates = datesOf(own)
    this.#validTo = dates.validTo
    this.settle(judgeDates(this.#options, [dates, ...chain.map(datesOf)], now))
  }

  protected override read(): boolean {
    return false
  }

  protected override onClosed(): void {
    this.settle(sentences.closedBefore)
  }

  override onFailed(error: Error): void {
    if (error instanceof CertificateError) this.#validTo = error.validTo
    super.onFailed(error)
  }

  /** A connection that failed says nothing about the certificate, and outages are for other checks to tell. */
  protected override outcomeOf(error: string | null): CheckOutcome {
    const outcome = super.outcomeOf(error)
    if (this.#validTo === null) return { ...outcome, value: null, cannot: true }
    return { ...outcome, value: daysLeft(this.#validTo, this.context.clock.now()) }
  }
}

const datesOf = ({ validFromDate, validToDate }: X509Certificate): Dates => ({
  validFrom: validFromDate.getTime(),
  validTo: validToDate.getTime(),
})
