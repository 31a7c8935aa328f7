// Certificates: those of files, and those that servers show.
import { day } from '#shared/limits/limits.ts'
import { counted } from '#shared/text/counted.ts'
import type { CertificateFacts, Facts } from '../facts.ts'
import { type Finding, fault, splitAdvice, warning, well } from '../finding.ts'

const soonMs = 30 * day

export function checkCertificates({ certificates, at }: Facts): Finding[] {
  if (certificates.length === 0) return []
  const findings = certificates.flatMap(certificate => judged(certificate, at))
  if (findings.length > 0) return findings
  const first = certificates.toSorted((one, other) => (one.validTo ?? 0) - (other.validTo ?? 0))[0] as CertificateFacts
  return [
    well(`${counted(certificates.length, 'certificate')}; the first to end is ${first.name}, in ${daysTo(first, at)} days.`),
  ]
}

function judged(certificate: CertificateFacts, at: number): Finding[] {
  const { name, validTo, validFrom, fault: said } = certificate
  const remedy =
    'Make new ones (`./watchkeeper cluster secrets <folder> --renew`, or your authority), and restart the servers one by one.'
  if (validTo !== null && validTo <= at)
    return [
      fault(
        `The certificate of ${name} ended on ${dayOf(validTo)}.`,
        'Connections to it are refused, or will be at the next reconnect.',
        remedy,
      ),
    ]
  if (validFrom !== null && validFrom > at)
    return [
      fault(
        `The certificate of ${name} is valid only from ${dayOf(validFrom)} on.`,
        'Until then connections are refused.',
        'See the clock of this machine; else make the certificate anew.',
      ),
    ]
  if (said !== null) {
    const { what, remedy: own } = splitAdvice(said)
    return [fault(`${name}: ${what}`, 'Connections to it are refused.', own || remedy)]
  }
  if (validTo !== null && validTo - at < soonMs)
    return [
      warning(
        `The certificate of ${name} ends in ${daysTo(certificate, at)} days, on ${dayOf(validTo)}.`,
        'From then on connections to it are refused.',
        remedy,
      ),
    ]
  return []
}

const daysTo = ({ validTo }: CertificateFacts, at: number): number => Math.floor(((validTo ?? at) - at) / day)
const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)
