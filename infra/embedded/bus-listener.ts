// Where the embedded nats-server listens and what it shows there, as the settings say: checked before it is started, because it says
// less clearly what is wrong.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { isLoopback } from '#shared/loopback.ts'
import type { AllSettings } from './all-settings.ts'
import { usageError } from './start-error.ts'

/** Throws a StartError. */
export async function demandFittingListener(settings: AllSettings): Promise<void> {
  const { NATS_TLS_CERT, NATS_TLS_KEY, NATS_LISTEN, NATS_PORT } = settings
  if ((NATS_TLS_CERT === '') !== (NATS_TLS_KEY === '')) {
    throw usageError('NATS_TLS_CERT and NATS_TLS_KEY belong together: set both or neither.')
  }
  if (isIP(NATS_LISTEN) === 0 && NATS_LISTEN !== 'localhost') {
    throw usageError(`NATS_LISTEN must be an IP address of this machine, such as 0.0.0.0; it is "${NATS_LISTEN}".`)
  }
  if (!isLoopback(NATS_LISTEN) && NATS_PORT === 0) {
    throw usageError(
      'NATS_PORT must be set where NATS_LISTEN opens the bus to other machines: they need a port that stays, such as 4222.',
    )
  }
  if (NATS_TLS_CERT === '') return
  const certificate = await readPem('NATS_TLS_CERT', NATS_TLS_CERT, 'certificate', text => new X509Certificate(text))
  const key = await readPem<KeyObject>('NATS_TLS_KEY', NATS_TLS_KEY, 'private key without a passphrase', createPrivateKey)
  if (!certificate.checkPrivateKey(key)) {
    throw usageError(`The key in ${NATS_TLS_KEY} is not that of the certificate in ${NATS_TLS_CERT}: correct NATS_TLS_KEY.`)
  }
}

async function readPem<T>(name: string, file: string, what: string, parse: (text: string) => T): Promise<T> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`The file ${file} can't be read (${error.code}): correct ${name}.`)
  })
  try {
    return parse(text)
  } catch {
    throw usageError(`The file ${file} holds no ${what} as PEM: correct ${name}.`)
  }
}
