// Prose of the tree as passages: comments, docstrings, test titles, paragraphs of documents. Pure. Omits code and quoted text.

export interface Passage {
  /** Number of the passage's first line; the file's first line has number 1. */
  line: number
  kind: 'header' | 'comment' | 'docstring' | 'title' | 'document'
  /** Text as one line, with back-ticks. */
  text: string
  /** Line of code below a comment or docstring, trimmed. */
  below?: string
}

/** Returns the passages of a file, first to last. The extension and folder of `path` decide how the text is read. */
export function passagesOf({ path, text }: { path: string; text: string }): Passage[] {
  if (path.endsWith('.md')) return paragraphs(text)
  return [...comments(text), ...(path.startsWith('test/') ? titles(text) : [])].sort((one, other) => one.line - other.line)
}

/** Returns the sentences of a passage that have at least three words. */
export function sentencesOf(passage: Passage): string[] {
  return passage.text.split(/(?<=[.!?])\s+(?=[`"(*]*[A-Z0-9])/).filter(sentence => sentence.split(/\s+/).length > 2)
}

export function unquoted(text: string): string {
  return text.replace(/`[^`]*`|"[^"]*"|“[^”]*”|\*[^*]+\*|'[^' ]*'/g, '…')
}

function comments(text: string): Passage[] {
  const found: Passage[] = []
  let open: { line: number; kind: Passage['kind']; parts: string[] } | null = null
  const lines = text.split('\n')
  const close = (after?: number) => {
    const below = after === undefined ? undefined : lines[after]?.trim()
    if (open !== null)
      found.push({
        line: open.line,
        kind: open.kind,
        text: open.parts.join(' ').replace(/\s+/g, ' ').trim(),
        ...(below && open.kind !== 'header' ? { below } : {}),
      })
    open = null
  }
  let inBlock = false
  for (const [index, line] of lines.entries()) {
    const block: RegExpExecArray | null = inBlock
      ? /^\s*(?:\*(?!\/))?\s?(.*?)(\*\/)?\s*$/.exec(line)
      : /^\s*\/\*\*?\s?(.*?)(\*\/)?\s*$/.exec(line)
    const single = inBlock ? null : /^(\s*)\/\/ ?(?!\s*biome-ignore|\s*@ts-)(.*)$/.exec(line)
    if (block !== null) {
      if (!inBlock) close()
      open ??= { line: index + 1, kind: 'docstring', parts: [] }
      open.parts.push(block[1] ?? '')
      inBlock = block[2] === undefined
      if (!inBlock) close(index + 1)
    } else if (single !== null) {
      // An empty line separates passages of a comment.
      if (single[2]?.trim() === '') {
        close()
        continue
      }
      open ??= { line: index + 1, kind: index === 0 ? 'header' : 'comment', parts: [] }
      open.parts.push(single[2] ?? '')
    } else close(index)
  }
  close()
  return found.filter(passage => /[a-z]{2}/i.test(passage.text))
}

function titles(text: string): Passage[] {
  const found: Passage[] = []
  for (const match of text.matchAll(/\bt\.test\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)) {
    const line = text.slice(0, match.index).split('\n').length
    found.push({ line, kind: 'title', text: (match[2] ?? '').replace(/\\(['"`])/g, '$1') })
  }
  return found
}

function paragraphs(text: string): Passage[] {
  const found: Passage[] = []
  let isCode = false
  let open: Passage | null = null
  const close = () => {
    if (open !== null && /[a-z]{2}/i.test(open.text)) found.push(open)
    open = null
  }
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) {
      isCode = !isCode
      close()
    } else if (isCode || /^\s*$|^\s*\||^\s*<|^#/.test(line)) close()
    else {
      const item = /^\s*(?:[-*]|\d+\.)\s+(.*)$/.exec(line)
      if (item !== null) close()
      const words = (item?.[1] ?? line).trim()
      if (open === null) open = { line: index + 1, kind: 'document', text: words }
      else open.text += ` ${words}`
    }
  }
  close()
  return found
}
