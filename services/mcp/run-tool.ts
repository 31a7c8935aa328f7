// Runs a tool: checks the arguments against the tool's schema, and returns the result or the refusal in the form of MCP. No result and no
// refusal contains the API key.
import type { ApiClient } from '#shared/api-v3/client.ts'
import { ApiRefusal, ApiUnreachable, type RefusalBody } from '#shared/api-v3/errors.ts'
import type { Warning } from '#shared/api-v3/warnings.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { boundedTo } from './bounded.ts'
import { ArgumentRefusal, type KeyInfo, type Outcome, type Tool, type ToolContext } from './tool.ts'

export interface ToolReply {
  [member: string]: unknown
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

export interface Calling {
  api: ApiClient
  key: KeyInfo
  /** Aborts when the client cancels the call, or when the client's input ends. */
  signal: AbortSignal
  /** Logs a failure that is neither a refusal of the API nor the end of a cancelled call. */
  onFailure(tool: string, error: unknown): void
}

export async function runTool(tool: Tool, sent: Record<string, unknown>, calling: Calling): Promise<ToolReply> {
  try {
    const args = checked(tool, sent)
    const warnings: Warning[] = []
    const context = contextOf(calling, warnings)
    const outcome = await wholePage(tool, args, limit => tool.run(context, limit === null ? args : { ...args, limit }))
    return success(withWarnings(outcome, warnings))
  } catch (error) {
    const isExpected = error instanceof ApiRefusal || error instanceof ArgumentRefusal || calling.signal.aborted
    if (!isExpected) calling.onFailure(tool.name, error)
    return { content: [textOf(boundedTo({ ...refusalOf(error) }, most))], isError: true }
  }
}

/** Largest number of bytes of a reply: of its JSON, together with the sentences before it. An agent can read this amount at once. */
const most = clientLimits.toolReplyBytes

const textOf = (value: unknown) => ({ type: 'text' as const, text: JSON.stringify(value) })

/**
 * Returns the outcome of a tool. If a page with a cursor is too large, the page is read again with as many items as fit, so the cursor
 * continues behind the last of them.
 */
async function wholePage(
  { arguments: { properties } }: Tool,
  args: { limit?: number },
  run: (limit: number | null) => Promise<Outcome>,
): Promise<Outcome> {
  let outcome = await run(null)
  if (!('cursor' in properties)) return outcome
  for (let tries = 0; tries < triesMax; tries++) {
    const { result } = outcome
    const fitting = fittingItems(result, most - cursorBytes)
    if (!Array.isArray(result) || fitting === result.length || result.length < 2) break
    outcome = await run(Math.min(Math.max(fitting, 1), args.limit ?? result.length))
  }
  return outcome
}

/** Reads of one page at most after the first. The items may grow meanwhile; the bound of the reply holds without another read. */
const triesMax = 2
/** Bytes left for the cursor and the frame of a page. */
const cursorBytes = 1024

/** Returns how many of the first items of a list have at most `room` bytes together. */
function fittingItems(list: unknown, room: number): number {
  if (!Array.isArray(list)) return 0
  let [count, bytes] = [0, 0]
  for (const item of list) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes > room) break
    count++
  }
  return count
}

function success({ result, nextCursor = null, text }: Outcome): ToolReply {
  const sentences = text === undefined ? [] : [{ type: 'text' as const, text }]
  const whole = nextCursor === null ? { result } : { result, next_cursor: nextCursor }
  const shown = boundedTo(whole, most - Buffer.byteLength(text ?? ''))
  return { content: [...sentences, textOf(shown)], structuredContent: shown }
}

/**
 * Returns the arguments after a check. An argument that the client sent as null counts as absent. Throws ArgumentRefusal for the first
 * fault.
 */
function checked(tool: Tool, sent: Record<string, unknown>): object {
  const refusal = firstRefusal(tool.arguments, sent)
  if (refusal === null) return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
  throw new ArgumentRefusal(refusal.field, refusal.message, refusal.kind === 'unreadable' ? 'shape' : 'value')
}

/** Returns the outcome with the warnings of its requests among the sentences for a person. */
const withWarnings = (outcome: Outcome, warnings: readonly Warning[]): Outcome =>
  warnings.length === 0
    ? outcome
    : { ...outcome, text: [...(outcome.text === undefined ? [] : [outcome.text]), ...warnings.map(warningText)].join('\n') }

const warningText = ({ field, text }: Warning): string => `Warning (${field}): ${text}.`

/** `warnings`: gets the warnings of each request. */
const contextOf = ({ api, key, signal }: Calling, warnings: Warning[]): ToolContext => ({
  api: async request => {
    const reply = await api.call(request, signal)
    warnings.push(...(reply.warnings ?? []))
    return reply
  },
  workspace: async named => named ?? key.workspace?.id ?? onlyWorkspace(api, signal),
})

async function onlyWorkspace(api: ApiClient, signal: AbortSignal): Promise<string> {
  const { result } = await api.call({ method: 'GET', path: '/workspaces' }, signal)
  const reached = result as { id: string }[]
  const [only] = reached
  if (only !== undefined && reached.length === 1) return only.id
  throw new ArgumentRefusal(
    'workspace',
    `The key reaches ${reached.length} workspaces: name one by its id, list_workspaces shows them`,
  )
}

/** Returns a refusal in the form of the API's error object. */
function refusalOf(error: unknown): RefusalBody {
  if (error instanceof ApiRefusal) return error.body
  if (error instanceof ArgumentRefusal) {
    const [code, error_type] = error.kind === 'shape' ? [1400, 'bad_request'] : [1422, 'validation']
    return { code, error_type, message: error.message, details: { field: error.field } }
  }
  const message =
    error instanceof ApiUnreachable
      ? `Watchkeeper can't be reached at ${error.base}: ${error.message}. Nothing is known of what was asked; try again later.`
      : 'The tool failed for a reason of its own; the log of the MCP server has it.'
  return { code: 1500, error_type: 'server', message, details: {} }
}
