// Incremental parser of the response to a check. It takes what curl takes as a response, because a site that browsers and curl read is up
// (ADR 40). Never opens a socket.
import { limits } from '#shared/limits/limits.ts'

/** Why the bytes are not a valid response. */
export type AnswerFault =
  | 'start'
  | 'version'
  | 'status'
  | 'colon'
  | 'null byte'
  | 'blank'
  | 'length'
  | 'chunk'
  | 'upgrade'
  | 'http2'
  | 'too large'

/** What a check needs of a head. Absent headers are empty. */
export interface AnswerHead {
  statusCode: number
  /** The codings of Content-Encoding and of Transfer-Encoding but `chunked`, in the order in which they were applied, with commas. */
  encoding: string
  /** The Content-Type. */
  contentType: string
  /** The last Location that is not empty. Each of its characters is a byte. */
  location: string
}

/** Listener to a response, called in this order. An interim response (1xx) has its own head. */
export interface AnswerListener {
  /** Returns false if nothing after the head is needed. */
  onHead(head: AnswerHead): boolean
  /** Returns false if no further bytes are needed. The bytes may be overwritten after the call. */
  onBody(bytes: Buffer): boolean
  onComplete(): void
}

/** State of the parser after some bytes. `more`: it needs further bytes. `over`: it needs no further bytes. `broken`: see `fault`. */
export type Parsed = 'more' | 'over' | 'broken'

/** What the next bytes are. `end of chunk`: the line break after the data of a chunk. */
type Part = 'start' | 'headers' | 'sized' | 'chunk size' | 'chunk' | 'end of chunk' | 'trailers' | 'until close'

/** Maximum number of bytes that are not part of the body, beside the head: empty lines, sizes of chunks and their extensions. */
const wrappingMax = 4 * limits.check.headerBytes
/** Largest number of bytes on the wire for one byte of the body. A byte takes so many bytes if it is a chunk of its own. */
const chunkBytes = 8
/** Largest number of pieces in which the beginning of a line is held. */
const heldMax = 64
const lineFeed = 0x0a
const bodiless: ReadonlySet<number> = new Set([204, 304])

/** Parses one response and the interim responses before it. */
export class Answer {
  readonly #listener: AnswerListener
  readonly #isHead: boolean
  readonly #keepsHead: boolean
  #lines: string[] = []
  #part: Part = 'start'
  #ended: 'over' | 'broken' | null = null
  #fault: AnswerFault | null = null
  /** Beginning of a line whose end has not arrived. */
  #held: Buffer[] = []
  #headBytes = 0
  /** Number of bytes read outside of the body, minus what the body read so far may have taken in addition. */
  #wrapping = 0
  /** Last header: the next line may continue it. */
  #header: string | null = null
  #head: AnswerHead = { statusCode: 0, encoding: '', contentType: '', location: '' }
  #transferCodings: string[] = []
  #isChunked = false
  #length: number | null = null
  /** Number of missing bytes of the body, or of the chunk. */
  #missing = 0

  /** `method`: the method of the request. A response to HEAD has no body, even if its headers state a length. `keepsHead`: see `lines`. */
  constructor(method: string, listener: AnswerListener, keepsHead = false) {
    this.#listener = listener
    this.#keepsHead = keepsHead
    this.#isHead = method === 'HEAD'
  }

  /** Status line and first headers of the latest head, if they are kept. Each character is a byte. */
  get lines(): readonly string[] {
    return this.#lines
  }

  /** Null unless a call has returned `broken`. */
  get fault(): AnswerFault | null {
    return this.#fault
  }

  read(bytes: Buffer): Parsed {
    for (let at = 0; at < bytes.length && this.#ended === null; ) {
      const isBody = this.#part === 'sized' || this.#part === 'chunk' || this.#part === 'until close'
      at = isBody ? this.#readBody(bytes, at) : this.#readLine(bytes, at)
    }
    return this.#ended ?? 'more'
  }

  /**
   * Handles the end of the connection. If the response may end with its connection, completes the response and returns true. As in curl,
   * also the headers may end so, but not by a reset.
   */
  close(isReset = false): boolean {
    if (this.#ended !== null || this.#head.statusCode < 200) return false
    if (this.#part === 'headers' && !isReset) this.#endHead()
    if (this.#part === 'until close') this.#complete()
    return this.#ended === 'over'
  }

  /** Ends the parsing. No method of the listener is called any more. */
  stop(): void {
    this.#ended ??= 'over'
  }

  #break(fault: AnswerFault): void {
    this.#fault = fault
    this.#ended = 'broken'
  }

  #complete(): void {
    this.#ended = 'over'
    this.#listener.onComplete()
  }

  #readBody(bytes: Buffer, from: number): number {
    const end = this.#part === 'until close' ? bytes.length : Math.min(bytes.length, from + this.#missing)
    this.#missing -= end - from
    this.#wrapping -= chunkBytes * (end - from)
    if (!this.#listener.onBody(bytes.subarray(from, end))) this.stop()
    if (this.#ended !== null || this.#missing > 0 || this.#part === 'until close') return end
    if (this.#part === 'chunk') this.#part = 'end of chunk'
    else this.#complete()
    return end
  }

  #readLine(bytes: Buffer, from: number): number {
    const found = bytes.indexOf(lineFeed, from)
    const end = found === -1 ? bytes.length : found + 1
    this.#wrapping += end - from
    if (this.#part === 'start' || this.#part === 'headers') this.#headBytes += end - from
    if (this.#headBytes > limits.check.headerBytes || this.#wrapping > wrappingMax) this.#break('too large')
    else if (found === -1) this.#hold(bytes.subarray(from))
    else this.#handleLine(this.#lineOf(bytes, from, found))
    return end
  }

  /** Keeps the beginning of a line. What cannot become a response is refused at once, because its sender may wait for an answer itself. */
  #hold(piece: Buffer): void {
    this.#held.push(Buffer.from(piece))
    if (this.#held.length === heldMax) this.#held = [Buffer.concat(this.#held)]
    if (this.#part !== 'start') return
    const text = Buffer.concat(this.#held.slice(0, prefix.length)).toString('latin1', 0, prefix.length)
    if (isHttp2(text)) this.#break('http2')
    else if (!mayBegin(text)) this.#break('start')
  }

  /** Returns the line, with the beginning that was held, and without its line break. */
  #lineOf(bytes: Buffer, from: number, to: number): string {
    let [whole, start, end] = [bytes, from, to]
    if (this.#held.length > 0) {
      whole = Buffer.concat([...this.#held, bytes.subarray(from, to)])
      start = 0
      end = whole.length
      this.#held = []
    }
    while (end > start && whole[end - 1] === 0x0d) end--
    return whole.toString('latin1', start, end)
  }

  #handleLine(line: string): void {
    if (this.#part === 'start') this.#readStart(line)
    else if (this.#part === 'headers') this.#readHeader(line)
    else if (this.#part === 'chunk size') this.#readChunkSize(line)
    else if (this.#part === 'end of chunk') this.#endChunk(line)
    // Trailers say nothing that a check needs.
    else if (line === '') this.#complete()
  }

  #readStart(line: string): void {
    if (line === '') return
    const [, version = '', status] = startLine.exec(line) ?? []
    if (isHttp2(line)) this.#break('http2')
    else if (!line.toUpperCase().startsWith(prefix)) this.#break('start')
    else if (!versions.has(version)) this.#break('version')
    else if (status === undefined || Number(status) < 100) this.#break('status')
    else {
      this.#beginHead(Number(status))
      this.#keep(line)
    }
  }

  #keep(line: string): void {
    if (this.#keepsHead && this.#lines.length <= limits.answers.headers)
      this.#lines.push(line.slice(0, limits.answers.headerBytes))
  }

  #beginHead(statusCode: number): void {
    this.#lines = []
    this.#part = 'headers'
    this.#header = null
    this.#head = { statusCode, encoding: '', contentType: '', location: '' }
    this.#transferCodings = []
    this.#isChunked = false
    this.#length = null
  }

  #readHeader(line: string): void {
    if (line.includes('\0')) this.#break('null byte')
    else if (line === '') this.#endHead()
    else if (line[0] !== ' ' && line[0] !== '\t') this.#beginHeader(line)
    else if (this.#header === null) this.#break('blank')
    else this.#header += ` ${line.trim()}`
  }

  #beginHeader(line: string): void {
    this.#takeHeader()
    this.#header = line
    if (!line.includes(':')) this.#break('colon')
  }

  #takeHeader(): void {
    const header = this.#header
    if (header === null) return
    this.#keep(header)
    const colon = header.indexOf(':')
    const name = header.slice(0, colon).trimEnd().toLowerCase()
    if (!needed.has(name)) return
    const value = header.slice(colon + 1).trim()
    if (name === 'content-type') this.#head.contentType = value
    else if (name === 'location') this.#head.location = value || this.#head.location
    else if (name === 'content-encoding') this.#head.encoding = joined([this.#head.encoding, value])
    else if (name === 'content-length') this.#takeLength(value)
    else for (const coding of value.split(',')) this.#takeTransferCoding(coding.trim().toLowerCase())
  }

  /** Like curl, takes the number with which the value begins, and the last one if there are several headers. */
  #takeLength(value: string): void {
    const digits = /^\+?(\d+)/.exec(value)?.[1]
    if (digits === undefined) this.#break('length')
    else this.#length = Number.isSafeInteger(Number(digits)) ? Number(digits) : null
  }

  #takeTransferCoding(coding: string): void {
    if (coding === 'chunked') this.#isChunked = true
    else if (coding !== 'identity' && coding !== '') this.#transferCodings.push(coding)
  }

  #endHead(): void {
    this.#takeHeader()
    if (this.#ended !== null) return
    const { statusCode } = this.#head
    // A check requests no change of protocol, so a response with such a change is invalid. Other interim responses, such as an unexpected
    // 100 (RFC 9110, 15.2), precede the response.
    this.#head.encoding = joined([this.#head.encoding, ...this.#transferCodings])
    this.#headBytes = 0
    if (statusCode === 101) this.#break('upgrade')
    else if (!this.#listener.onHead(this.#head)) this.stop()
    else if (statusCode < 200) this.#part = 'start'
    else if (this.#isHead || bodiless.has(statusCode)) this.#complete()
    else this.#beginBody()
  }

  #beginBody(): void {
    if (this.#isChunked) this.#part = 'chunk size'
    else if (this.#length === null) this.#part = 'until close'
    else if (this.#length === 0) this.#complete()
    else {
      this.#part = 'sized'
      this.#missing = this.#length
    }
  }

  #readChunkSize(line: string): void {
    const digits = /^0*([0-9a-f]{1,12})(?![0-9a-f])/i.exec(line)?.[1]
    this.#missing = Number.parseInt(digits ?? '', 16)
    if (digits === undefined) this.#break('chunk')
    else this.#part = this.#missing === 0 ? 'trailers' : 'chunk'
  }

  #endChunk(line: string): void {
    if (line === '') this.#part = 'chunk size'
    else this.#break('chunk')
  }
}

const prefix = 'HTTP/'
const startLine = /^http\/(\S+)(?: +(\d{3})(?!\d))?/i
/** Versions that curl takes without a change of protocol. */
const versions: ReadonlySet<string> = new Set(['1.0', '1.1', '2', '2.0'])
const needed: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'content-type',
  'location',
])

/** Whether the first characters of a line may become a status, an empty line or a frame of HTTP/2. */
const mayBegin = (text: string): boolean =>
  text === '\r' || prefix.startsWith(text.toUpperCase()) || (text.length < 4 && text.slice(0, 2) === '\0\0'.slice(0, text.length))

/** Whether the bytes begin as a frame with the settings of HTTP/2, which such a server sends without being asked. */
const isHttp2 = (text: string): boolean => text.length >= 4 && text.startsWith('\0\0') && text[3] === '\x04'

const joined = (parts: readonly string[]): string => parts.filter(part => part !== '').join(',')
