// The gateway's directory client. If a write of this gateway changes rights, the directory client removes the affected callers from the
// caches before the response is sent. The published revocation (callers/revocations.ts) could arrive only after the sender's next request,
// which would be too late.
import type { DirectoryClient } from '#shared/bus/clients/clients.ts'
import type { Revoked } from '#shared/bus/subjects.ts'
import type { AskRequest, AskResults, AskVerb } from '#shared/contracts/ask/ask.ts'
import type { Forgetting } from './revocations.ts'

type Revocation = { what: Revoked; id: string }
type Revocations = { [V in AskVerb]?: (request: AskRequest<V>, result: AskResults[V]) => Revocation }

const user = ({ userId }: { userId: string }): Revocation => ({ what: 'user', id: userId })

/**
 * Verbs of requests that change rights. For each verb, a function returns the revocation that the directory publishes after such a request.
 * The id in the revocation comes from the request or from its result.
 */
const revocations: Revocations = {
  'create-workspace': user,
  'add-member': (_request, member) => user(member),
  'change-role': user,
  'remove-member': user,
  'accept-invitation': user,
  'update-user': user,
  'delete-user': user,
  'delete-workspace': ({ by }) => ({ what: 'user', id: by?.userId ?? '' }),
  'delete-key': ({ keyId }) => ({ what: 'key', id: keyId }),
  'delete-address': ({ addressId }) => ({ what: 'address', id: addressId }),
  'rotate-ping-address': ({ subjectId }) => ({ what: 'ping', id: subjectId }),
  'delete-ping-key': ({ keyId }) => ({ what: 'ping-key', id: keyId }),
}

/** Wraps `directory`. Results and errors of `directory` are passed on unchanged. */
export function forgetOwnWrites(directory: DirectoryClient, memories: readonly Forgetting[]): DirectoryClient {
  return {
    ask: async (verb, request, traceId) => {
      const result = await directory.ask(verb, request, traceId)
      const revocation = revocations[verb]?.(request, result)
      if (revocation !== undefined) for (const memory of memories) memory.revoke(revocation)
      return result
    },
  }
}
