// Responses that are not as RFC 9112 wants them, and whether curl 7.88.1 takes each as a response of 200 with the body `hello`. The record is
// compared with curl itself where that version is installed (like-curl.test.ts).

const crlf = '\r\n'
const chunks = `5${crlf}hello${crlf}0${crlf}${crlf}`

/** A response with these headers in front of its length. */
const withHeaders = (...headers: string[]): string =>
  ['HTTP/1.1 200 OK', ...headers, 'Content-Length: 5', 'Connection: close', '', 'hello'].join(crlf)

/** A response with exactly these headers, and this body. */
const exactly = (headers: string[], body = 'hello'): string => ['HTTP/1.1 200 OK', ...headers, '', body].join(crlf)

const chunked = (body: string, ...headers: string[]): string => exactly(['Transfer-Encoding: chunked', ...headers], body)
const withStart = (start: string): string => withHeaders().replace('HTTP/1.1 200 OK', start)
const many = (count: number): string[] => Array<string>(count).fill(`X-A: ${'a'.repeat(2_000)}`)

export interface OddAnswer {
  name: string
  /** Characters up to 0xff are the bytes. */
  text: string
  /** Whether curl takes it. */
  curl: boolean
  /**
   * Whether a check takes it; absent: as curl does. A check that finds its text reads no further, and it has always skipped empty lines before
   * the status.
   */
  own?: boolean
}

const taken = (name: string, text: string): OddAnswer => ({ name, text, curl: true })
const refused = (name: string, text: string): OddAnswer => ({ name, text, curl: false })

export const oddAnswers: readonly OddAnswer[] = [
  taken('line feeds alone', withHeaders('X-A: b').replaceAll(crlf, '\n')),
  taken('a line feed alone behind the status', withHeaders().replace(crlf, '\n')),
  taken('a line feed alone behind one header', withHeaders('X-A: b').replace(`b${crlf}`, 'b\n')),
  taken('a line feed alone at the end of the head', withHeaders().replace(`close${crlf}${crlf}`, `close${crlf}\n`)),
  taken('two carriage returns in each line break', withHeaders('X-A: b').replaceAll(crlf, '\r\r\n')),
  refused('carriage returns alone', withHeaders().replaceAll(crlf, '\r')),

  taken('a control character in a cookie', withHeaders('Set-Cookie: a=\x01b')),
  taken('a delete character in a value', withHeaders('X-A: a\x7fb')),
  taken('a carriage return within a value', withHeaders('X-A: a\rb')),
  taken('bytes of UTF-8 in a value', withHeaders('X-A: sch\xc3\xb6n')),
  refused('a null byte in a value', withHeaders('X-A: a\0b')),
  refused('a null byte in a name', withHeaders('X\0A: b')),

  taken('a blank within a name', withHeaders('X A: b')),
  taken('a blank behind a name', withHeaders('X-A : b')),
  taken('a tab behind a name', withHeaders('X-A\t: b')),
  taken('a blank behind the name of the length', exactly(['Content-Length : 5'])),
  taken('bytes of UTF-8 in a name', withHeaders('X-\xc3\x84: b')),
  taken('brackets in a name', withHeaders('X-(A)@[b]: c')),
  taken('a quoted name', withHeaders('"X": b')),
  taken('an empty name', withHeaders(': b')),
  refused('a header without a colon', withHeaders('some words')),

  taken('a tab before the length', exactly(['Content-Length:\t5'])),
  taken('a tab behind the length', exactly(['Content-Length: 5\t'])),
  taken('two equal lengths', withHeaders('Content-Length: 5')),
  taken('two lengths, of which the last is right', withHeaders('Content-Length: 6')),
  taken('two lengths in one header', exactly(['Content-Length: 5, 5'])),
  taken('a length with a plus', exactly(['Content-Length: +5'])),
  taken('a length beyond all numbers', exactly(['Content-Length: 99999999999999999999999'])),
  refused('a negative length', exactly(['Content-Length: -5'])),
  refused('an empty length', exactly(['Content-Length:'])),
  refused('a word as length', exactly(['Content-Length: many'])),
  { ...refused('a length that is not reached', exactly(['Content-Length: 7'])), own: true },

  taken('a length before Transfer-Encoding', exactly(['Content-Length: 5', 'Transfer-Encoding: chunked'], chunks)),
  taken('a length behind Transfer-Encoding', chunked(chunks, 'Content-Length: 5')),
  taken('a wrong length beside chunks', chunked(chunks, 'Content-Length: 3')),
  taken('a length beside the coding identity', exactly(['Transfer-Encoding: identity', 'Content-Length: 5'])),
  taken('the coding identity alone', exactly(['Transfer-Encoding: identity'])),
  taken('chunks stated twice', chunked(chunks, 'Transfer-Encoding: chunked')),
  taken('chunks stated twice in one header', exactly(['Transfer-Encoding: chunked, chunked'], chunks)),
  taken('chunks before identity', exactly(['Transfer-Encoding: chunked, identity'], chunks)),
  taken('chunks in capitals', exactly(['Transfer-Encoding: CHUNKED'], chunks)),
  taken('chunks in HTTP/1.0', chunked(chunks).replace('1.1', '1.0')),
  taken('blanks behind the size of a chunk', chunked(chunks.replace('5', '5  '))),
  taken('an extension of a chunk', chunked(chunks.replace('5', '5;a="b c"'))),
  taken('line feeds alone around chunks', chunked(chunks.replaceAll(crlf, '\n'))),
  taken('zeros before the size of a chunk', chunked(chunks.replace('5', '000005'))),
  taken('trailers', chunked(chunks.replace(`0${crlf}`, `0${crlf}X-A: b${crlf}`))),
  refused('a size of a chunk with 0x', chunked(chunks.replace('5', '0x5'))),
  { ...refused('no line break behind the data of a chunk', chunked(chunks.replace(`hello${crlf}`, 'hello'))), own: true },
  { ...refused('chunks without their end', chunked(`5${crlf}hello${crlf}`)), own: true },
  { ...refused('a last chunk without its line break', chunked(`5${crlf}hello${crlf}0${crlf}`)), own: true },
  refused('no chunks at all', chunked('hello')),

  taken('a header of 65 KiB', withHeaders(`X-A: ${'a'.repeat(65 * 1024)}`)),
  taken('a header of 90 KiB', withHeaders(`X-A: ${'a'.repeat(90 * 1024)}`)),
  taken('headers of 200 KB', withHeaders(...many(100))),
  taken('headers of 290 KB', withHeaders(...many(145))),
  refused('headers of 310 KB', withHeaders(...many(155))),

  taken('a header in two lines', withHeaders('X-A: b', '  c')),
  taken('a header in two lines with a tab', withHeaders('X-A: b', '\tc')),
  refused('a blank before the first header', withHeaders(' X-A: b')),

  taken('no reason', withStart('HTTP/1.1 200')),
  taken('a blank instead of a reason', withStart('HTTP/1.1 200 ')),
  taken('a reason with bytes of UTF-8', withStart('HTTP/1.1 200 \xc3\x96k')),
  taken('a reason with a control character', withStart('HTTP/1.1 200 O\x01K')),
  taken('a reason that is glued to the status', withStart('HTTP/1.1 200OK')),
  taken('two blanks before the status', withStart('HTTP/1.1  200 OK')),
  taken('the protocol in small letters', withStart('http/1.1 200 OK')),
  taken('HTTP/1.0', withStart('HTTP/1.0 200 OK')),
  taken('HTTP/2 in the form of HTTP/1', withStart('HTTP/2 200 OK')),
  taken('HTTP/2.0 in the form of HTTP/1', withStart('HTTP/2.0 200 OK')),
  refused('HTTP/1.2', withStart('HTTP/1.2 200 OK')),
  refused('HTTP/3.0', withStart('HTTP/3.0 200 OK')),
  refused('HTTP/1 without a point', withStart('HTTP/1 200 OK')),
  refused('a tab before the status', withStart('HTTP/1.1\t200 OK')),
  refused('a status of four digits', withStart('HTTP/1.1 2000 OK')),
  refused('a status of two digits', withStart('HTTP/1.1 20 OK')),
  refused('a status below 100', withStart('HTTP/1.1 099 OK')),
  refused('a radio station', withStart('ICY 200 OK')),
  refused('a blank before the status', ` ${withHeaders()}`),
  refused('a mark of UTF-8 before the status', `\xef\xbb\xbf${withHeaders()}`),
  refused('words before the status', `hello${crlf}${withHeaders()}`),
  { ...refused('an empty line before the status', `${crlf}${withHeaders()}`), own: true },
  { ...refused('empty lines before the status', `\n\n${withHeaders()}`), own: true },

  taken('no length', exactly([])),
  taken('bytes behind the body', `${withHeaders()}more`),
  taken('a second response behind the body', withHeaders() + withHeaders()),
  taken('an upgrade that is offered', withHeaders('Upgrade: h2,h2c')),
  taken('two different Connection headers', withHeaders('Connection: keep-alive')),
  taken('an early hint', `HTTP/1.1 103 Early Hints${crlf}Link: </a>${crlf}${crlf}${withHeaders()}`),
  taken('an unexpected invitation to go on', `HTTP/1.1 100 Continue${crlf}${crlf}${withHeaders()}`),
  refused('a change of protocol', `HTTP/1.1 101 Switching Protocols${crlf}Upgrade: x${crlf}${crlf}hello`),
  refused('a secure shell', `SSH-2.0-OpenSSH_9.9${crlf}`),
  refused('a page without a head', '<html>hello</html>'),
  refused('nothing', ''),
]

/** Responses without a body whose head ends with the connection, and whether curl takes each as a response of 200. */
export const cutHeads: readonly OddAnswer[] = [
  taken('a close behind the status', `HTTP/1.1 200 OK${crlf}`),
  taken('a close behind a header', `HTTP/1.1 200 OK${crlf}X-A: b${crlf}`),
  taken('a close within a header', `HTTP/1.1 200 OK${crlf}X-A: b${crlf}X-B`),
  refused('a close within the status', 'HTTP/1.1 200 OK'),
]
