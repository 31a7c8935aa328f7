// Checks of certificates and keys that settings name. They run before any use, because errors of a TLS library do not name the wrong file.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { usageError } from '../start-error.ts'

/** Returns the certificate; null: the path is empty. Throws a StartError if the file contains no certificate. */
export async function requireCertificate(setting: Record<string, string>): Promise<X509Certificate | null> {
  const [name, file] = nameAndFile(setting)
  return file === '' ? null : read(name, file, 'certificate', text => new X509Certificate(text))
}

/** Throws a StartError unless both files are unset, or the key belongs to the certificate. */
export async function requirePair(certificateOf: Record<string, string>, keyOf: Record<string, string>): Promise<void> {
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
