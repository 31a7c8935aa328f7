// The answer of a check, taken apart while it arrives. The parser is llhttp, which is Node's own, in the WebAssembly that undici brings
// along; undici's client around it cost twice as much as the rest of a check (ADR 15). Owns the parser's memory; knows no socket.
import { createRequire } from 'node:module'
import { limits } from '#shared/limits/limits.ts'

/** Listener to a response, called in this order. An interim response (1xx) has a start and a head of its own. */
export interface AnswerListener {
  onAnswerStart(): void
  /** False: nothing behind the head is wanted any more. `encoding`: the Content-Encoding, '' without one. */
  onHead(statusCode: number, encoding: string): boolean
  /** The bytes are the reader's again when this returns. False: nothing more is wanted. */
  onBody(bytes: Buffer): boolean
  /** The answer came whole. */
  onComplete(): void
}

/** more: go on. over: nothing more is wanted. Else what is wrong with what arrived. */
export type Parsed = 'more' | 'over' | 'not HTTP' | 'headers too large'

/** Reads one answer, the interim ones before it included. `free` it, whatever came of it. */
export class Answer {
  readonly #listener: AnswerListener
  readonly #isHead: boolean
  #parser: number
  #bytes: Buffer = nothing
  #headerBytes = 0
  /** Bytes read, less those that the bytes of the body account for. */
  #wrapping = 0
  /** The name of the header of which the value is read; its parts come in pieces where the network cut them. */
  #name = ''
  #isNameComplete = true
  #encoding = ''
  #statusCode = 0
  #stopped: Parsed | null = null
  #isFreed = false

  /** `method` is the request's: the answer to HEAD has no body, whatever its headers say. */
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

  /** The connection was closed: whether that is how an answer may end. Completes one that has no other end. */
  close(): boolean {
    if (this.#parser === 0 || this.#statusCode < 200) return false
    const result = this.#run(exports => exports.llhttp_finish(this.#parser))
    return result === ok || this.#stopped === 'over'
  }

  /** Also from within what the listener hears: the parser still writes to its memory until it has returned. */
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

  /** The parser calls back into the one answer that runs it: nothing of it waits for anything. */
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

  // The parser reports. A number other than 0 stops it; 1 behind a head says that no body follows.

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
    // A name longer than the one that matters is another one.
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
    // Nobody asked to change the protocol. An invitation to go on, which nobody asked for either, is an interim answer (RFC 9110, 15.2).
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
/** The parser passes over empty lines, blanks and chunk extensions without a word: more of them than headers of one byte bring along has no end. */
const wrappingMax = 4 * limits.check.headerBytes
/** Most bytes on the wire for a byte of body in a chunk of its own. */
const chunkBytes = 8

// The module. Its numbers are llhttp's: the type of a parser, the results of a run.
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

/** One instance serves all checks of a thread, with a place in its memory into which each piece of an answer is copied. */
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
