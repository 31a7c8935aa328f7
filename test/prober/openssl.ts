// Certificates that openssl makes for a test, in a folder that is removed after it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

const run = (words: readonly string[], cwd?: string) =>
  execFileSync('openssl', words, { cwd, stdio: ['ignore', 'pipe', 'ignore'] })

export const hasOpenssl = (() => {
  try {
    return run(['version']).length > 0
  } catch {
    return false
  }
})()

const strong = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
/** Extensions of a certificate for loopback. */
export const local = 'subjectAltName=DNS:localhost,IP:127.0.0.1'

export interface Wanted {
  /** Name of the certificate that signs. */
  authority?: string
  extensions?: string[]
  key?: string[]
  days?: number
  /** Common name of the subject. */
  subject?: string
  /** Name of the certificate whose key it gets; absent: a new one. */
  keyOf?: string
  /** Further options of the signature. */
  signature?: string[]
}

/** Certificates are named: `<name>.key` and `<name>.pem` are their files. */
export function createMaker(t: Pick<Test, 'teardown'>) {
  const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-certificates-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const openssl = (...words: string[]) => run(words, folder)
  const text = (file: string) => readFileSync(join(folder, file), 'utf8')

  /** Makes a key and a certificate of this name. */
  function make(name: string, wanted: Wanted = {}): void {
    const { authority = 'root', extensions = [local], key = strong, days = 9, subject = 'localhost', signature = [] } = wanted
    const { keyOf } = wanted
    const keys = keyOf === undefined ? ['-newkey', ...key, '-nodes', '-keyout', `${name}.key`] : ['-new', '-key', `${keyOf}.key`]
    openssl('req', ...keys, '-out', `${name}.csr`, '-subj', `/CN=${subject}`)
    writeFileSync(join(folder, `${name}.ext`), extensions.join('\n'))
    const signer = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-extfile', `${name}.ext`, ...signature]
    openssl('x509', '-req', '-in', `${name}.csr`, '-days', String(days), '-out', `${name}.pem`, ...signer)
  }

  function makeAuthority(name: string, days = 9): void {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`]
    openssl('req', '-x509', '-newkey', ...strong, '-nodes', ...files, '-days', String(days), '-subj', `/CN=${name}`)
  }

  return { make, makeAuthority, text }
}
