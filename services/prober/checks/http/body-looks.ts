// What the body of an answer is judged by. The looks have an order: the fault of the first one that has a fault is the fault of the body, also
// if a later one found its own sooner.
import { type JsonTest, jsonFault } from '#shared/checks/http/json-judgement.ts'
import { limits } from '#shared/limits/limits.ts'
import { patternLimits } from '#shared/limits/pattern-limits.ts'
import { jsonText, pageDecoder } from './charset.ts'
import { createTextSearch } from './text-search.ts'

/** Sentence of a fault; null: there is none. */
export type Verdict = string | null

export interface Look {
  /** Takes the next chunk, which may be overwritten after the call. Returns undefined while it needs more of them. */
  add(chunk: Buffer): Verdict | undefined
  /** No chunk follows. */
  end(): Verdict
}

/** Returns a look for a text. `judge` returns the verdict on whether it is there. */
export function textLook(text: string, contentType: string, judge: (isThere: boolean) => Verdict): Look {
  const search = createTextSearch(text, contentType)
  return {
    add: chunk => {
      const isThere = search.add(chunk)
      return isThere === null ? undefined : judge(isThere)
    },
    end: () => judge(search.end()),
  }
}

/** Returns a look at a JSON value. `shown` makes a value of the answer fit to be quoted. */
export function jsonLook(test: JsonTest, contentType: string, shown: (json: string) => string): Look {
  const chunks: Buffer[] = []
  let seen = 0
  return {
    add: chunk => {
      seen += chunk.length
      if (seen > limits.check.jsonBytes) return 'answer is too long to read as JSON'
      chunks.push(Buffer.from(chunk))
      return undefined
    },
    end: () => jsonFault(jsonText(Buffer.concat(chunks), contentType), test, shown),
  }
}

/** A look that finds no fault, and keeps what a pattern is matched with when the others have found none. */
export interface PatternLook extends Look {
  /** Returns the texts of which any may match: in the charset of the page, and in UTF-8. */
  texts(): string[]
}

export function patternLook(contentType: string): PatternLook {
  const chunks: Buffer[] = []
  let left: number = patternLimits.bytes
  return {
    add: chunk => {
      if (left > 0) chunks.push(Buffer.from(chunk.subarray(0, left)))
      left -= Math.min(left, chunk.length)
      return left === 0 ? null : undefined
    },
    end: () => null,
    texts: () => {
      const bytes = Buffer.concat(chunks)
      const decoder = pageDecoder(bytes, contentType)
      return [...(decoder === null ? [] : [decoder.decode(bytes)]), bytes.toString()]
    },
  }
}

/** Returns a look that joins others. */
export function allOf(looks: readonly Look[]): Look {
  const verdicts: (Verdict | undefined)[] = looks.map(() => undefined)
  const judged = (): Verdict | undefined => {
    for (const verdict of verdicts) if (verdict !== null) return verdict
    return null
  }
  const ask = (each: (look: Look) => Verdict | undefined) => {
    for (const [i, look] of looks.entries()) if (verdicts[i] === undefined) verdicts[i] = each(look)
    return judged()
  }
  return { add: chunk => ask(look => look.add(chunk)), end: () => ask(look => look.end()) ?? null }
}
