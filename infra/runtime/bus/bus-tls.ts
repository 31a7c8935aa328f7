// Checks of the TLS files for the bus and of the listener of the embedded nats-server. The checks run before any use of the files, because
// errors of nats-server and of a TLS library do not name the wrong file or setting.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { TlsFiles } from '#shared/bus/nats/nats-options.ts'
import { isLoopback } from '#shared/net/loopback.ts'
import type { AllSettings } from '../all-settings.ts'
import { usageError } from '../start-error.ts'

/** Returns the TLS files that are set. Throws a StartError if a file is invalid. */
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

/** Checks the settings for the listener. Throws a StartError if a setting is wrong. */
export async function demandFittingListener(settings: AllSettings): Promise<void> {
  const { NATS_TLS_CERT, NATS_TLS_KEY, NATS_LISTEN, NATS_PORT } = settings
  if (isIP(NATS_LISTEN) === 0 && NATS_LISTEN !== 'localhost') {
    throw usageError(`NATS_LISTEN must be an IP address of this machine, such as 0.0.0.0; it is "${NATS_LISTEN}".`)
  }
  if (!isLoopback(NATS_LISTEN) && NATS_PORT === 0) {
    throw usageError(
      'NATS_PORT must be set where NATS_LISTEN opens the bus to other machines: they need a port that stays, such as 4222.',
    )
  }
  await requirePair({ NATS_TLS_CERT }, { NATS_TLS_KEY })
}

/** Returns the certificate; null: the path is empty. Throws a StartError if the file contains no certificate. */
async function requireCertificate(setting: Record<string, string>): Promise<X509Certificate | null> {
  const [name, file] = nameAndFile(setting)
  return file === '' ? null : read(name, file, 'certificate', text => new X509Certificate(text))
}

/** Throws a StartError if only one file is set, or if the key does not belong to the certificate. */
async function requirePair(certificateOf: Record<string, string>, keyOf: Record<string, string>): Promise<void> {
  const [certName, certFile] = nameAndFile(certificateOf)
  const [keyName, keyFile] = nameAndFile(keyOf)
  if ((certFile === '') !== (keyFile === '')) {
    throw usageError(`${certName} and ${keyName} belong together: set both or neither.`)
  }
  const certificate = await requireCertificate(certificateOf)
  if (certificate === null) return
  const key = await read<KeyObject>(keyName, keyFile, 'private key without a passphrase', createPrivateKey)
  if (certificate.checkPrivateKey(key)) return
  throw usageError(`The key in ${keyFile} is not that of the certificate in ${certFile}: correct ${keyName}.`)
}

const nameAndFile = (setting: Record<string, string>): [string, string] => Object.entries(setting)[0] ?? ['', '']

async function read<T>(name: string, file: string, what: string, parse: (text: string) => T): Promise<T> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`The file ${file} can't be read (${error.code}): correct ${name}.`)
  })
  try {
    return parse(text)
  } catch {
    throw usageError(`The file ${file} holds no ${what} as PEM: correct ${name}.`)
  }
}
