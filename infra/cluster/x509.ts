// X.509 certificates for a cluster: one authority and the servers whose certificates it signs. All keys use the curve P-256. Uses only
// Node's crypto, so that the image needs no other program. Writes no files.
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface Pem {
  certificate: string
  key: string
}

interface Subject {
  commonName: string
  /** Instants in ms since the epoch, cut to whole seconds. */
  validFrom: number
  validTo: number
}

const oids = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  names: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
}

/** Makes an authority that can sign certificates of servers, but not of further authorities. */
export function makeAuthority(subject: Subject): Pem {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = keyIdentifier(publicKey)
  const extensions = [
    extension(oids.basicConstraints, sequence(boolean(true), integer(Buffer.from([0]))), true),
    // The two bits set are keyCertSign and cRLSign.
    extension(oids.keyUsage, bits(Buffer.from([0x06]), 1), true),
    extension(oids.subjectKey, tagged(0x04, key)),
  ]
  const certificate = signed({ ...subject, issuer: subject.commonName, publicKey, extensions }, privateKey)
  return { certificate, key: pemOf(privateKey) }
}

/**
 * Makes a server's certificate for `hosts`. It is valid as a client's certificate too, because servers of a cluster connect to each other.
 */
export function makeServer(authority: Pem, subject: Subject & { hosts: string[] }): Pem {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = new X509Certificate(authority.certificate)
  const extensions = [
    extension(oids.basicConstraints, sequence(), true),
    // digitalSignature.
    extension(oids.keyUsage, bits(Buffer.from([0x80]), 7), true),
    extension(oids.extendedKeyUsage, sequence(identifier(oids.serverAuth), identifier(oids.clientAuth))),
    extension(oids.names, sequence(...subject.hosts.map(alternativeName))),
    extension(oids.subjectKey, tagged(0x04, keyIdentifier(publicKey))),
    extension(oids.authorityKey, sequence(tagged(0x80, keyIdentifier(issuer.publicKey)))),
  ]
  const body = { ...subject, issuer: commonNameOf(issuer), publicKey, extensions }
  return { certificate: signed(body, createPrivateKey(authority.key)), key: pemOf(privateKey) }
}

/** Returns the host names and IP addresses of a server's certificate. Returns an empty list if `certificate` is empty. */
export function hostsOf(certificate: string): string[] {
  if (certificate === '') return []
  const names = new X509Certificate(certificate).subjectAltName?.split(', ') ?? []
  return names.map(name => name.slice(name.indexOf(':') + 1))
}

interface Body extends Subject {
  issuer: string
  publicKey: KeyObject
  extensions: Buffer[]
}

function signed(body: Body, signer: KeyObject): string {
  const algorithm = sequence(identifier(oids.ecdsaWithSha256))
  const serial = randomBytes(16)
  // Makes the number positive and without a leading zero, because DER allows only the shortest form of a number.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const contents = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    nameOf(body.issuer),
    sequence(time(body.validFrom), time(body.validTo)),
    nameOf(body.commonName),
    body.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...body.extensions)),
  )
  const certificate = sequence(contents, algorithm, bits(sign('sha256', contents, signer), 0))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

const commonNameOf = ({ subject }: X509Certificate): string => /^CN=(.*)$/m.exec(subject)?.[1] ?? ''
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Returns the key identifier of RFC 5280 4.2.1.2: a hash of the point, which is the last 65 bytes of the exported key. */
const keyIdentifier = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }).subarray(-65))
    .digest()

const alternativeName = (host: string): Buffer =>
  isIP(host) === 0 ? tagged(0x82, Buffer.from(host, 'ascii')) : tagged(0x87, Buffer.from(ipaddr.parse(host).toByteArray()))

const nameOf = (commonName: string): Buffer =>
  sequence(tagged(0x31, sequence(identifier(oids.commonName), tagged(0x0c, Buffer.from(commonName)))))

const extension = (oid: string, value: Buffer, critical = false): Buffer =>
  sequence(identifier(oid), ...(critical ? [boolean(true)] : []), tagged(0x04, value))

/** Encodes one DER value, which consists of a tag, the length of the content, and the content. */
function tagged(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const size = body.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}

const sequence = (...content: Buffer[]): Buffer => tagged(0x30, ...content)
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes)
const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]))
const bits = (bytes: Buffer, unused: number): Buffer => tagged(0x03, Buffer.from([unused]), bytes)

/** Encodes an instant as a DER time. DER writes a year before 2050 with two digits. */
function time(at: number): Buffer {
  const text = `${new Date(at).toISOString().replace(/[-:T]|\..*/g, '')}Z`
  return text < '2050' ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text))
}

function identifier(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Encodes a number with seven bits in each byte. The highest bit is set in all bytes except the last byte. */
function base128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80)
  return bytes
}
