// Certificates: files that settings name, and those that the servers of bus and store show.
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parseServerAddresses } from '#shared/bus/nats/server-addresses.ts'
import type { AllSettings } from '../../runtime/all-settings.ts'
import type { CertificateFacts, StoreFacts } from '../facts.ts'
import { type DialOptions, dial } from './dial.ts'

const fileSettings = ['NATS_CA_FILE', 'NATS_CERT_FILE', 'NATS_TLS_CERT'] as const

export async function lookAtCertificates(settings: AllSettings, store: StoreFacts): Promise<CertificateFacts[]> {
  const named: [name: string, file: string][] = [
    ...fileSettings.map(name => [name, settings[name]] as [string, string]),
    ['the authority of MONGODB_URL', storeOption(settings.MONGODB_URL, 'tlscafile') ?? ''],
  ]
  const files = named.filter(([, file]) => file !== '').map(([name, file]) => ofFile(name, file))
  const servers = [...busServers(settings), ...storeServers(settings, store)].map(ofServer)
  return (await Promise.all([...files, ...servers])).filter(facts => facts !== null)
}

async function ofFile(name: string, file: string): Promise<CertificateFacts> {
  try {
    const certificate = new X509Certificate(await readFile(file, 'utf8'))
    return {
      name: `${name} (${file})`,
      validFrom: Date.parse(certificate.validFrom),
      validTo: Date.parse(certificate.validTo),
      fault: null,
    }
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'it holds no certificate'
    return {
      name,
      validFrom: null,
      validTo: null,
      fault: `The file ${file} can't be read (${why}): put a certificate as PEM there.`,
    }
  }
}

/** Returns null if the server shows none, or cannot be reached: that is the matter of another check. */
async function ofServer(options: DialOptions): Promise<CertificateFacts | null> {
  const { certificate } = await dial(options)
  if (certificate === null) return null
  const name = `${options.host}:${options.port}`
  return { name, validFrom: Date.parse(certificate.valid_from), validTo: Date.parse(certificate.valid_to), fault: null }
}

function busServers({ NATS_URL: url, NATS_CA_FILE: authority }: AllSettings): DialOptions[] {
  const addresses = url === '' ? [] : (parseServerAddresses(url) ?? [])
  return addresses
    .filter(({ tls }) => tls || authority !== '')
    .map(({ server }) => ({ ...split(server), secured: 'after greeting' as const }))
}

function storeServers({ MONGODB_URL: url }: AllSettings, store: StoreFacts): DialOptions[] {
  if (store.kind !== 'mongodb') return []
  const isSecured = url.startsWith('mongodb+srv:') || /[?&](?:tls|ssl)=true(?:&|$)/i.test(url)
  return isSecured ? store.members.map(({ host, port }) => ({ host, port, secured: 'at once' as const })) : []
}

/** Returns the value of an option of a connection string, whose names have any case. */
function storeOption(url: string, wanted: string): string | undefined {
  const options = [...new URLSearchParams(url.split('?')[1] ?? '')]
  return options.find(([name]) => name.toLowerCase() === wanted)?.[1]
}

function split(server: string): { host: string; port: number } {
  const at = server.lastIndexOf(':')
  return { host: server.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(server.slice(at + 1)) }
}
