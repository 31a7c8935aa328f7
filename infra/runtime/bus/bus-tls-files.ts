// PEM files with which this process and the bus at NATS_URL authenticate each other.
import type { TlsFiles } from '#shared/bus/nats/nats-options.ts'
import type { AllSettings } from '../all-settings.ts'
import { requireCertificate, requirePair } from './pem-files.ts'

/** Returns the files that are set. Throws a StartError. */
export async function busTlsFiles({
  NATS_CA_FILE,
  NATS_CERT_FILE,
  NATS_KEY_FILE,
}: AllSettings): Promise<{ tlsFiles?: TlsFiles }> {
  await requireCertificate({ NATS_CA_FILE })
  await requirePair({ NATS_CERT_FILE }, { NATS_KEY_FILE })
  const tlsFiles = {
    ...(NATS_CA_FILE !== '' && { caFile: NATS_CA_FILE }),
    ...(NATS_CERT_FILE !== '' && { certFile: NATS_CERT_FILE, keyFile: NATS_KEY_FILE }),
  }
  return Object.keys(tlsFiles).length === 0 ? {} : { tlsFiles }
}
