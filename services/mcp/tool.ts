// Record that describes one tool. The list of tools, the documentation and the tests are made from these records. JSON Schema describes
// arguments and results. This file imports only the types of TypeBox, because TypeBox's code would add 0.12 s and 20 MB to the start.
import type { XStatic } from 'typebox/schema'
import type { ApiReply } from '#shared/api-v3/client.ts'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import type { KeyAction } from '#shared/contracts/account.ts'

/** Rights of the caller's key, as returned by `GET /key` of the API. */
export interface KeyInfo {
  access: readonly string[]
  workspace: { id: string } | null
}

export interface ToolContext {
  /** Sends one request. The request is aborted if the client cancels the call. Throws the errors of the API's client. */
  api(request: ApiRequest): Promise<ApiReply>
  /**
   * Returns the workspace `named`. If `named` is undefined, returns the only workspace of the key. Throws ArgumentRefusal if the key has
   * several workspaces.
   */
  workspace(named: string | undefined): Promise<string>
}

export interface Outcome {
  result: unknown
  /** Cursor of the next page; null or absent: there is no further page. */
  nextCursor?: string | null
  /** Sentences for a person, sent before the JSON. */
  text?: string
}

export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

export interface Tool<Arguments = object> {
  name: string
  title: string
  /** Description for the agent: effect of the tool, and when to use it. */
  description: string
  arguments: ObjectSchema
  /** JSON type of the result. The schemas of the API say more; agents need no second copy. */
  result: 'object' | 'array'
  /** Right that the caller's key needs: an action, or `full`. Only a key without a scope has `full`. Null: any key may call the tool. */
  needs: KeyAction | 'full' | null
  effect: 'reads' | 'changes' | 'destroys'
  /** True if the tool has effects on systems other than Watchkeeper, such as the receivers of messages. */
  isOpenWorld?: true
  run(context: ToolContext, args: Arguments): Promise<Outcome>
}

type Declared<Properties, Required extends readonly string[]> = {
  readonly type: 'object'
  readonly properties: Properties
  readonly required: Required
}

interface Declaration<Properties, Required extends readonly string[]> {
  arguments: Properties
  required: Required
  run(context: ToolContext, args: XStatic<Declared<Properties, Required>>): Promise<Outcome>
}

/** Creates a tool. TypeScript infers the handler's arguments from their schemas. Unknown arguments are refused. */
export function tool<const P extends Readonly<Record<string, object>>, const R extends readonly (keyof P & string)[]>(
  record: Omit<Tool, 'arguments' | 'run'> & Declaration<P, R>,
): Tool {
  const { arguments: properties, required, run, ...rest } = record
  return {
    ...rest,
    arguments: { type: 'object', properties, required, additionalProperties: false },
    // The arguments were checked against the schema from which their types are inferred.
    run: (context, args) => run(context, args as XStatic<Declared<P, R>>),
  }
}

/** Refusal of a wrong argument, in the form of the API's refusals. */
export class ArgumentRefusal extends Error {
  override readonly name = 'ArgumentRefusal'
  readonly field: string
  /** Kind of fault. `shape`: an unknown argument or a wrong JSON type; `value`: all other faults. */
  readonly kind: 'shape' | 'value'

  constructor(field: string, message: string, kind: 'shape' | 'value' = 'value') {
    super(message)
    this.field = field
    this.kind = kind
  }
}
