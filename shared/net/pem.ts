// Certificates in PEM (RFC 7468).
import { X509Certificate } from 'node:crypto'

/** Returns the certificates of a text, each in PEM. Anything else of the text is left out. */
export const pemCertificates = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []

/** Whether the text holds 1 to `most` certificates that can be read. It may have lines between them, but nothing else in PEM, such as a key. */
export function isCertificates(text: string, most: number): boolean {
  const certificates = pemCertificates(text)
  const blocks = text.split('-----BEGIN').length - 1
  return certificates.length === blocks && blocks >= 1 && blocks <= most && certificates.every(isReadable)
}

function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0
  } catch {
    return false
  }
}
