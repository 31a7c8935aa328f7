// Bytes of a body that arrive in many small chunks, kept in few buffers. Each chunk from the HTTP parser is an object and a block of the C
// library of its own: a body of single bytes took 200 times its size, and the C library kept what it had been given for them.

/** A chunk of at least this size is kept as it is. */
const largeBytes = 4_096
const blockBytesLeast = 1_024
const blockBytesMost = 64 * 1_024

export class KeptBytes {
  #whole: Buffer[] = []
  /** Copies of small chunks that follow the last of `#whole`; `#used` of its bytes are filled. */
  #block: Buffer | null = null
  #used = 0

  /** Number of buffers that hold the bytes. */
  get buffers(): number {
    return this.#whole.length + (this.#block === null ? 0 : 1)
  }

  /** Keeps the bytes of a chunk. The only chunk of a body is kept without a copy. */
  add(chunk: Buffer): void {
    if (this.#whole.length === 0 && this.#block === null) {
      this.#whole.push(chunk)
      return
    }
    if (chunk.length >= largeBytes) {
      this.#endBlock()
      this.#whole.push(chunk)
    } else this.#copy(chunk)
  }

  /** Returns all bytes in one buffer, and keeps them no longer. */
  take(): Buffer {
    this.#endBlock()
    const [first] = this.#whole
    const bytes = this.#whole.length === 1 && first !== undefined ? first : Buffer.concat(this.#whole)
    this.clear()
    return bytes
  }

  clear(): void {
    this.#whole = []
    this.#block = null
    this.#used = 0
  }

  #copy(chunk: Buffer): void {
    let block = this.#block
    if (block !== null && this.#used + chunk.length > block.length) {
      const bytes = Math.min(2 * block.length, blockBytesMost)
      this.#endBlock()
      block = null
      this.#block = Buffer.allocUnsafeSlow(Math.max(bytes, chunk.length))
    }
    this.#block ??= Buffer.allocUnsafeSlow(Math.max(blockBytesLeast, chunk.length))
    chunk.copy(this.#block, this.#used)
    this.#used += chunk.length
  }

  #endBlock(): void {
    if (this.#block !== null && this.#used > 0) this.#whole.push(this.#block.subarray(0, this.#used))
    this.#block = null
    this.#used = 0
  }
}
