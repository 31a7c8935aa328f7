// Runs a tool: checks the arguments against the tool's schema, and returns the result or the refusal in the form of MCP. No result and no
// refusal contains the API key.
import type { ApiClient } from '#shared/api-v3/client.ts'
import { ApiRefusal, ApiUnreachable, type RefusalBody } from '#shared/api-v3/errors.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
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
  /** Logs a failure that is not a refusal of the API. */
  onFailure(tool: string, error: unknown): void
}

export async function runTool(tool: Tool, sent: Record<string, unknown>, calling: Calling): Promise<ToolReply> {
  try {
    return success(await tool.run(contextOf(calling), checked(tool, sent)))
  } catch (error) {
    if (!(error instanceof ApiRefusal || error instanceof ArgumentRefusal)) calling.onFailure(tool.name, error)
    return { content: [textOf(refusalOf(error))], isError: true }
  }
}

const textOf = (value: unknown) => ({ type: 'text' as const, text: JSON.stringify(value) })

function success({ result, nextCursor = null, text }: Outcome): ToolReply {
  const shown = nextCursor === null ? { result } : { result, next_cursor: nextCursor }
  const sentences = text === undefined ? [] : [{ type: 'text' as const, text }]
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

const contextOf = ({ api, key, signal }: Calling): ToolContext => ({
  api: request => api.call(request, signal),
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
