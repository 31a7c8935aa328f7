// Incremental parser of the response to a check. It uses llhttp, the parser of Node itself, in the WebAssembly build that undici contains
// (ADR 15). Owns the parser's memory. Never opens a socket.
import { createRequire } from 'node:module'
import { limits } from '#shared/limits/limits.ts'

/** Listener to a response, called in this order. An interim response (1xx) has its own start and head. */
export interface AnswerListener {
  onAnswerStart(): void
  /** Returns false if nothing after the head is needed. `encoding`: the Content-Encoding, empty without one. */
  onHead(statusCode: number, encoding: string): boolean
  /** Returns false if no further bytes are needed. The bytes may be overwritten after the call. */
  onBody(bytes: Buffer): boolean
  onComplete(): void
}

/**
 * State of the parser after some bytes. `more`: it needs further bytes. `over`: it needs no further bytes. Any other value: the reason why
 * the bytes are not a valid response.
 */
export type Parsed = 'more' | 'over' | 'not HTTP' | 'headers too large'

/** Parses one response and the interim responses before it. The caller must call `free` in every case. */
export class Answer {
  readonly #listener: AnswerListener
  readonly #isHead: boolean
  #parser: number
  #bytes: Buffer = nothing
  #headerBytes = 0
  /**
   * Least number of bytes read that cannot be part of the body. It is the number of all bytes read, minus the largest size on the wire of
   * the body read so far.
   */
  #wrapping = 0
  /** Name of the header that is being read. Name and value may arrive in several parts. */
  #name = ''
  #isNameComplete = true
  #encoding = ''
  #statusCode = 0
  #stopped: Parsed | null = null
  #isFreed = false

  /** `method`: the method of the request. A response to HEAD has no body, even if its headers state a length. */
  constructor(method: string, listener: AnswerListener) {
    this.#listener = listener
    this.#isHead = method === 'HEAD'
    llhttp ??= load()
    this.#parser = llhttp.llhttp_alloc(response)
  }

  read(bytes: Buffer): Parsed {
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      const parsed = this.#parse(bytes.subarray(from, from + pieceBytes))
      if (parsed !== 'more') return parsed
    }
    return 'more'
  }

  /** Handles the end of the connection. If the response may end with its connection, completes the response and returns true. */
  close(): boolean {
    if (this.#parser === 0 || this.#statusCode < 200) return false
    const result = this.#run(exports => exports.llhttp_finish(this.#parser))
    return result === ok || this.#stopped === 'over'
  }

  /**
   * Frees the parser's memory. If a listener calls this function while the parser runs, the memory is freed when the parser's call has
   * returned.
   */
  free(): void {
    this.#isFreed = true
    if (current !== this) this.#freeParser()
  }

  #freeParser(): void {
    if (this.#parser !== 0) llhttp?.llhttp_free(this.#parser)
    this.#parser = 0
  }

  #parse(piece: Buffer): Parsed {
    if (this.#parser === 0) return 'over'
    if (this.#wrapping > wrappingMax) return 'headers too large'
    this.#wrapping += piece.length
    this.#bytes = piece
    const result = this.#run(exports => {
      new Uint8Array(exports.memory.buffer, pieceAt, piece.length).set(piece)
      return exports.llhttp_execute(this.#parser, pieceAt, piece.length)
    })
    this.#bytes = nothing
    if (this.#stopped !== null) return this.#stopped
    return result === ok ? 'more' : 'not HTTP'
  }

  /**
   * Calls the parser. During the call, the parser's callbacks go to this answer. The call is synchronous, so no other answer uses the
   * parser meanwhile.
   */
  #run(call: (exports: Llhttp) => number): number {
    current = this
    try {
      return call(llhttp as Llhttp)
    } finally {
      current = null
      if (this.#isFreed) this.#freeParser()
    }
  }

  #stop(why: Parsed): number {
    this.#stopped = why
    return stop
  }

  // Callbacks of the parser. If a callback returns 0, the parser continues. If the callback at the end of a head returns 1, no body
  // follows. Any other result stops the parser.

  onMessageStart(): number {
    this.#listener.onAnswerStart()
    return 0
  }

  onStatus(length: number): number {
    return this.#countHeader(length)
  }

  onHeaderName(at: number, length: number): number {
    if (this.#isNameComplete) this.#name = ''
    this.#isNameComplete = false
    // If the name is already longer than `content-encoding`, it is another name, and the rest of it is not needed.
    if (this.#name.length <= encodingName.length) this.#name += this.#text(at, length).toLowerCase()
    return this.#countHeader(length)
  }

  onHeaderValue(at: number, length: number): number {
    if (this.#name === encodingName) {
      const isNext = !this.#isNameComplete && this.#encoding !== ''
      this.#encoding += (isNext ? ',' : '') + this.#text(at, length)
    }
    this.#isNameComplete = true
    return this.#countHeader(length)
  }

  onHeadComplete(statusCode: number, isUpgrade: boolean): number {
    // A check requests no change of protocol, so a response with such a change is invalid. Interim responses, such as an unexpected 100
    // (RFC 9110, 15.2), are skipped below.
    if (isUpgrade) return this.#stop('not HTTP')
    const encoding = this.#encoding
    this.#headerBytes = 0
    this.#encoding = ''
    this.#statusCode = statusCode
    if (!this.#listener.onHead(statusCode, encoding)) return this.#stop('over')
    return this.#isHead || statusCode < 200 ? 1 : 0
  }

  onBody(at: number, length: number): number {
    const from = at - pieceAt
    this.#wrapping -= chunkBytes * length
    return this.#listener.onBody(this.#bytes.subarray(from, from + length)) ? 0 : this.#stop('over')
  }

  onMessageComplete(): number {
    if (this.#statusCode < 200) return 0
    this.#listener.onComplete()
    return this.#stop('over')
  }

  #text(at: number, length: number): string {
    return this.#bytes.toString('latin1', at - pieceAt, at - pieceAt + length)
  }

  #countHeader(length: number): number {
    this.#headerBytes += length
    return this.#headerBytes < limits.check.headerBytes ? 0 : this.#stop('headers too large')
  }
}

const encodingName = 'content-encoding'
const nothing = Buffer.alloc(0)
/** Maximum number of bytes that the parser may skip without a callback, such as empty lines, blanks and chunk extensions. */
const wrappingMax = 4 * limits.check.headerBytes
/** Largest number of bytes on the wire for one byte of the body. A byte takes so many bytes if it is a chunk of its own. */
const chunkBytes = 8

// Numbers of llhttp: the type of a parser, and results of a call.
const response = 2
const ok = 0
const stop = -1

interface Llhttp {
  memory: { readonly buffer: ArrayBuffer }
  malloc(length: number): number
  llhttp_alloc(type: number): number
  llhttp_free(parser: number): void
  llhttp_execute(parser: number, at: number, length: number): number
  llhttp_finish(parser: number): number
}

/** One instance serves all checks of a thread. Each piece of a response is copied to the address `pieceAt` in the instance's memory. */
let llhttp: Llhttp | null = null
let current: Answer | null = null
let pieceAt = 0
const pieceBytes = 65_536

interface Assembly {
  Module: new (bytes: Buffer) => object
  Instance: new (module: object, imports: object) => { exports: Llhttp }
}

function load(): Llhttp {
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly
  const bytes = createRequire(import.meta.url)('undici/lib/llhttp/llhttp-wasm.js') as Buffer
  const running = () => current as Answer
  const env = {
    wasm_on_url: () => 0,
    wasm_on_message_begin: () => running().onMessageStart(),
    wasm_on_status: (_parser: number, _at: number, length: number) => running().onStatus(length),
    wasm_on_header_field: (_parser: number, at: number, length: number) => running().onHeaderName(at, length),
    wasm_on_header_value: (_parser: number, at: number, length: number) => running().onHeaderValue(at, length),
    wasm_on_headers_complete: (_parser: number, statusCode: number, upgrade: number) =>
      running().onHeadComplete(statusCode, upgrade === 1),
    wasm_on_body: (_parser: number, at: number, length: number) => running().onBody(at, length),
    wasm_on_message_complete: () => running().onMessageComplete(),
  }
  const { exports } = new Instance(new Module(bytes), { env })
  pieceAt = exports.malloc(pieceBytes)
  return exports
}
