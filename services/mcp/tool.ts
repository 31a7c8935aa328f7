// A tool as one record: listed from it, documented from it, tested from it. Arguments and results are JSON Schema, typed by TypeBox's types
// alone: its runtime would cost the start 0.12 s and 20 MB.
import type { XStatic } from 'typebox/schema'
import type { ApiReply } from '#shared/api-v3/client.ts'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import type { KeyAction } from '#shared/contracts/account.ts'

/** The rights of the caller's key, as `GET /key` of the API says. */
export interface KeyInfo {
  access: readonly string[]
  workspace: { id: string } | null
}

export interface ToolContext {
  /** One request; ends when the client cancels the call. Throws as the API's client does. */
  api(request: ApiRequest): Promise<ApiReply>
  /** The named workspace, else the only one that the key reaches. Throws ArgumentRefusal if there are several. */
  workspace(named: string | undefined): Promise<string>
}

export interface Outcome {
  result: unknown
  /** Null and absent: there is no further page. */
  nextCursor?: string | null
  /** Sentences for a person, before the JSON. */
  text?: string
}

/** JSON Schema of an object. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

export interface Tool<Arguments = object> {
  name: string
  title: string
  /** For the agent: what it does and when to take it. */
  description: string
  arguments: ObjectSchema
  /** Schema of `result`. */
  result: object
  /** Of the key: null: any; an action; `full`: no scoped key. */
  needs: KeyAction | 'full' | null
  effect: 'reads' | 'changes' | 'destroys'
  /** Reaches systems that are not Watchkeeper. */
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

/** Infers the handler's arguments from their schemas. Unknown arguments are refused. */
export function tool<const P extends Readonly<Record<string, object>>, const R extends readonly (keyof P & string)[]>(
  record: Omit<Tool, 'arguments' | 'run'> & Declaration<P, R>,
): Tool {
  const { arguments: properties, required, run, ...rest } = record
  return {
    ...rest,
    arguments: { type: 'object', properties, required, additionalProperties: false },
    // The arguments have been held against the schema that they are typed by.
    run: (context, args) => run(context, args as XStatic<Declared<P, R>>),
  }
}

/** An argument that cannot be meant, in the form of the API's refusals. */
export class ArgumentRefusal extends Error {
  override readonly name = 'ArgumentRefusal'
  readonly field: string
  /** `shape`: an unknown argument or a wrong JSON type; `value`: everything else. */
  readonly kind: 'shape' | 'value'

  constructor(field: string, message: string, kind: 'shape' | 'value' = 'value') {
    super(message)
    this.field = field
    this.kind = kind
  }
}
