// One run of the fuzz of generation 3: the state that its parts share, and the form of a caller's request.
import type { Random } from '../../simulation/random.ts'
import type { FuzzReport } from '../fuzz.ts'
import type { FuzzedInstallation } from '../installation.ts'
import type { Making } from './bodies.ts'
import type { V3Answered, V3Request, Wanted } from './judge.ts'
import type { V3Known } from './known.ts'
import { addressPath, type V3Operation } from './operations.ts'
import type { Caller } from './people.ts'

export interface V3Run {
  installation: FuzzedInstallation
  random: Random
  operations: readonly V3Operation[]
  callers: readonly Caller[]
  owner: Caller
  known: V3Known
  making: Making
  report: FuzzReport
  /** Sends the request, judges the response and remembers the objects in it. */
  play(request: V3Request): Promise<V3Answered>
  /** Records an offence of the latest request. */
  complain(offence: string): void
}

interface Given {
  path: string
  body: Record<string, unknown> | null
  caller: Caller
  wanted: Wanted | null
}

export function requestOf({ owner, known }: V3Run, operation: V3Operation, { path, body, caller, wanted }: Given): V3Request {
  const isAddress = operation.path === addressPath
  const address = known.addresses.find(({ token }) => path.endsWith(token))
  const headers: Record<string, string> = {
    ...(isAddress || caller.token === null ? {} : { authorization: `Bearer ${caller.token}` }),
    ...(isAddress && address?.secondFactor ? { 'x-observation-key': owner.token as string } : {}),
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  }
  const text = body === null ? null : JSON.stringify(body)
  return { method: operation.method, path: isAddress ? path : `/api${path}`, headers, body: text, broken: [], caller, wanted }
}
