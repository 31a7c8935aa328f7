// Payload templates: literal text with `{{ field }}` (reference/messages 3.4 and 3.5). Pure. Preview, validation and messages all use this
// renderer, so their results agree. An error is one sentence and quotes no value.
import { limits } from '#shared/limits/limits.ts'
import { type FieldName, fieldNames, isFieldName, type TemplateFields } from '#shared/template/fields.ts'

export type Rendered = { ok: true; output: string } | { ok: false; error: string }

export type ContentType = 'application/json' | 'text/plain'

type Part = { text: string } | { field: FieldName }
type Parsed = { parts: Part[] } | { error: string }

const open = '{{'
const close = '}}'

/**
 * Returns JSON if the template begins with `{` or `[` after blanks, else plain text. A template that begins with a field (`{{`) is plain
 * text.
 */
export function contentTypeOf(template: string): ContentType {
  const start = template.trimStart()
  return start.startsWith('[') || (start.startsWith('{') && !start.startsWith(open)) ? 'application/json' : 'text/plain'
}

/** Returns the size of a template in bytes of UTF-8, as sent and stored. */
export const templateBytes = (template: string): number => Buffer.byteLength(template)

/** Renders a template. In a JSON template, values are escaped, and the output must be valid JSON. */
export function renderTemplate(template: string, fields: TemplateFields): Rendered {
  const parsed = parse(template)
  if ('error' in parsed) return { ok: false, error: parsed.error }
  const isJson = contentTypeOf(template) === 'application/json'
  const output = join(parsed.parts, name => (isJson ? escapeForJson(fields[name]) : fields[name]))
  if (output === null) return { ok: false, error: `The result has more than ${limits.template.outputBytes} bytes.` }
  return !isJson || isJsonText(output) ? { ok: true, output } : { ok: false, error: 'The result is not valid JSON.' }
}

/** Parses a template. A `}}` without `{{` is text, because nested JSON objects end with `}}`. */
function parse(template: string): Parsed {
  const parts: Part[] = []
  for (let at = 0; ; ) {
    const opened = template.indexOf(open, at)
    if (opened < 0) return { parts: [...parts, { text: template.slice(at) }] }
    const closed = template.indexOf(close, opened + open.length)
    if (closed < 0) return { error: `The braces opened at ${place(template, opened)} are not closed: write {{ field }}.` }
    const name = template.slice(opened + open.length, closed).trim()
    if (!isFieldName(name)) return { error: unknownField(name, place(template, opened)) }
    parts.push({ text: template.slice(at, opened) }, { field: name })
    at = closed + close.length
  }
}

/** Returns the joined parts; null: the text would be too long. */
function join(parts: readonly Part[], textOf: (name: FieldName) => string): string | null {
  let bytes = 0
  const texts: string[] = []
  for (const part of parts) {
    const text = 'text' in part ? part.text : textOf(part.field)
    bytes += Buffer.byteLength(text)
    if (bytes > limits.template.outputBytes) return null
    texts.push(text)
  }
  return texts.join('')
}

/** Returns line and column of a position, both counted from 1. */
function place(template: string, index: number): string {
  const before = template.slice(0, index).split('\n')
  return `line ${before.length}, column ${[...(before.at(-1) ?? '')].length + 1}`
}

function unknownField(name: string, where: string): string {
  const quoted = [...name.slice(0, 4 * limits.template.quotedCharacters)].slice(0, limits.template.quotedCharacters).join('')
  return `Unknown field "${quoted}" at ${where}: the fields are ${fieldNames.join(', ')}.`
}

/** Returns a value as the inside of a JSON string. */
const escapeForJson = (value: string): string => JSON.stringify(value).slice(1, -1)

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
