// Forms of texts in the fields of a check, beyond their length. A field names its form, because a browser loads fields without this file.
import { asciiName } from '#shared/net/domain-name.ts'
import { parseEndpoint, parseHost } from '#shared/net/host-port.ts'
import { isMediaType } from '#shared/net/media-type.ts'
import { readNameServer } from '#shared/net/name-server.ts'
import { isCertificates } from '#shared/net/pem.ts'
import { unescaped } from '#shared/text/escapes.ts'
import { utf8Bytes } from '#shared/text/utf8-bytes.ts'
import type { CheckField, TextForm } from './check-field.ts'

interface Rules {
  isOf(text: string): boolean
  /** Returns what a text must be or hold, as the end of a sentence. `length`: its bound, such as `255 characters`. */
  must(length: string): string
  /** Returns the bytes that the text stands for. Absent: its own in UTF-8. */
  bytes?(text: string): number
}

/** Largest number of certificates of an authority. */
const certificatesMost = 8

const none: Rules = { isOf: () => true, must: length => `have at most ${length}` }

const forms: Readonly<Record<TextForm, Rules>> = {
  lines: none,
  'media type': { isOf: text => text === '' || isMediaType(text), must: () => 'be a MIME type' },
  host: {
    isOf: text => parseHost(text) !== null,
    must: length => `be a host name or an IP address of at most ${length}`,
  },
  'host name': {
    isOf: text => /^[^:]*[^:\d.][^:]*$/.test(parseHost(text) ?? ''),
    must: length => `be a host name of at most ${length}`,
  },
  endpoint: {
    isOf: text => parseEndpoint(text, 1) !== null,
    must: length => `be a host, host:port or a URL without user information, of at most ${length}`,
  },
  escaped: {
    isOf: text => unescaped(text) !== null,
    must: length => `have at most ${length}, with no other escapes than \\r, \\n, \\t, \\\\ and \\x00 to \\xff`,
    bytes: text => unescaped(text)?.length ?? 0,
  },
  certificates: {
    isOf: text => isCertificates(text, certificatesMost),
    must: length => `hold 1 to ${certificatesMost} certificates in PEM, and nothing else in PEM, of at most ${length} in all`,
  },
  'domain name': {
    isOf: text => asciiName(text) !== null,
    must: length => `be a domain name of at most ${length}`,
  },
  'name server': {
    isOf: text => readNameServer(text) !== null,
    must: () => 'be an IP address, with or without a port, such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353',
  },
}

const formOf = ({ form }: CheckField): Rules => (form === undefined ? none : forms[form])

/** Whether a text has the form and the length of its field. The field's default always has. */
export function isTextWithin(field: CheckField, text: string): boolean {
  const { default: usual, characters = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY } = field
  const form = formOf(field)
  const size = form.bytes ?? utf8Bytes
  if (text === usual) return true
  return [...text].length <= characters && size(text) <= bytes && form.isOf(text) && (field.fits?.(text) ?? true)
}

/** Returns what a text of the field must be or hold, as the end of a sentence. */
export const mustOfText = (field: CheckField): string =>
  formOf(field).must(field.bytes === undefined ? `${field.characters} characters` : `${field.bytes} bytes`)
